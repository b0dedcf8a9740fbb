import type { StepType } from '../../flow/definition.ts';
import { stepTypes } from '../../flow/kinds.ts';
import { stepIcons } from '../../flow/step-icons.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './dialogs.module.css';

/** Which step to insert. */
export function StepChooser({
  onChoose,
  onClose,
}: {
  onChoose: (type: StepType) => void;
  onClose: () => void;
}) {
  const t = useText();
  return (
    <Dialog title={t('automations.insertStep')} onClose={onClose}>
      <ul className={styles.kinds}>
        {stepTypes.map((type, index) => (
          <li key={type}>
            <button
              // The attribute, not React's focus at once: the window decides about the focus when it opens.
              ref={(button) => {
                if (index === 0) button?.setAttribute('autofocus', '');
              }}
              type="button"
              className={styles.kind}
              onClick={() => onChoose(type)}
            >
              <span className={styles.kindIcon}>
                <Icon name={stepIcons[type]} />
              </span>
              <span className={styles.kindText}>
                <span>{t(`flow.step.${type}`)}</span>
                <span className={styles.muted}>{t(`automations.stepHelp.${type}`)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
