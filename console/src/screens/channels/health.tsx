import type { Channel } from '@parley/sdk';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import styles from './channels.module.css';

const LOOKS = { unchecked: 'plain', healthy: 'good', degraded: 'warn', failing: 'bad' } as const;

/** Whether a channel works, and if not, why. */
export function HealthBadge({ of: { health, problem } }: { of: Pick<Channel, 'health' | 'problem'> }) {
  const t = useText();
  return (
    <>
      <Badge look={LOOKS[health]}>{t(`channels.health.${health}`)}</Badge>
      {problem !== null && <div className={styles.muted}>{problem}</div>}
    </>
  );
}
