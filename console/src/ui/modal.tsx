import { type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './modal.module.css';

interface ModalProps {
  onClose: () => void;
  /** Its size and place. */
  className: string | undefined;
  /** Read aloud; or the id of the element that says it. */
  label?: string;
  labelledBy?: string;
  /** A click beside it must not lose what somebody has typed. */
  keepsOpen?: boolean;
  /** While something is being saved, nothing closes it: its result would not be seen. */
  isBusy?: boolean;
  children: ReactNode;
}

/** The frame of everything above the page. It is shown while it is rendered; Escape and a click beside it close it. */
export function Modal({
  onClose,
  className,
  label,
  labelledBy,
  keepsOpen = false,
  isBusy = false,
  children,
}: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current as HTMLDialogElement;
    dialog.showModal();
    // React focuses the field with `autoFocus` earlier, while it cannot have the focus yet.
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={classes(styles.modal, className)}
      aria-label={label}
      aria-labelledby={labelledBy}
      onCancel={(event) => {
        // A chooser of files inside that was left says so with the same event.
        if (event.target !== ref.current) return;
        event.preventDefault();
        if (!isBusy) onClose();
      }}
      onClose={(event) => {
        // Browsers let nobody prevent a second Escape.
        if (event.target !== ref.current || ref.current.open) return;
        if (isBusy) ref.current.showModal();
        else onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === ref.current && !keepsOpen && !isBusy) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
