import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons below. */
  actions?: ReactNode;
  /** For what needs the window. */
  isWide?: boolean;
}

/** A window over the page. It is shown while it is rendered; Escape and a click beside it close it. */
export function Dialog({ title, onClose, children, actions, isWide = false }: DialogProps) {
  const t = useText();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current as HTMLDialogElement;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={classes(styles.dialog, isWide && styles.wide)}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className={styles.content}>
        <header className={styles.header}>
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label={t('action.close')} onClick={onClose} />
        </header>
        <div className={styles.body}>{children}</div>
        {actions !== undefined && <footer className={styles.actions}>{actions}</footer>}
      </div>
    </dialog>
  );
}
