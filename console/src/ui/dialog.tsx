import { type ReactNode, useId } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { Modal } from './modal.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons below. */
  actions?: ReactNode;
  /** For what needs the window. */
  isWide?: boolean;
  keepsOpen?: boolean;
  /** What somebody asked for is being done. */
  isBusy?: boolean;
  /** It has something that is shown only once. */
  isShownOnce?: boolean;
}

/** A window over the page, with a title and buttons. */
export function Dialog({
  title,
  onClose,
  children,
  actions,
  isWide = false,
  keepsOpen = false,
  isBusy = false,
  isShownOnce = false,
}: DialogProps) {
  const t = useText();
  const id = useId();
  return (
    <Modal
      className={classes(styles.dialog, isWide && styles.wide)}
      labelledBy={id}
      keepsOpen={keepsOpen}
      isLocked={isBusy || isShownOnce}
      onClose={onClose}
    >
      <div className={styles.content}>
        <header className={styles.header}>
          <h2 id={id}>{title}</h2>
          {!isShownOnce && (
            <IconButton icon="close" label={t('action.close')} disabled={isBusy} onClick={onClose} />
          )}
        </header>
        <div className={styles.body}>{children}</div>
        {actions !== undefined && <footer className={styles.actions}>{actions}</footer>}
      </div>
    </Modal>
  );
}
