import type { ReactNode } from 'react';
import type { FlowDefinition } from '../../../flow/definition.ts';
import { FlowPicture } from '../../../flow/flow-picture.tsx';
import { useText } from '../../../i18n/i18n.tsx';
import type { Paint } from './paint.ts';
import styles from './runs.module.css';

interface SplitProps {
  definition: FlowDefinition;
  paint?: Paint | undefined;
  /** The ways that a run took. */
  taken?: ReadonlySet<string> | undefined;
  issues?: ReadonlyMap<string, readonly string[]> | undefined;
  selected?: string | undefined;
  onSelect?: ((id: string) => void) | undefined;
  children: ReactNode;
}

/** Words at one side, the picture at the other. Below each other where there is little place. */
export function Split({ definition, paint, taken, issues, selected, onSelect, children }: SplitProps) {
  const t = useText();
  return (
    <div className={styles.split}>
      <div className={styles.side}>{children}</div>
      <section className={styles.picture} aria-label={t('runs.picture')}>
        <FlowPicture
          definition={definition}
          label={t('runs.picture')}
          paint={paint}
          taken={taken}
          issues={issues}
          selected={selected}
          onSelect={onSelect}
        />
      </section>
    </div>
  );
}
