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
  /** Only its own buttons close it: something is being stored whose result must be seen, or is shown only once. */
  isLocked?: boolean;
  children: ReactNode;
}

/** The frame of everything above the page. It is shown while it is rendered; Escape and a click beside it close it. */
export function Modal({
  onClose,
  className,
  label,
  labelledBy,
  keepsOpen = false,
  isLocked = false,
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
  useEffect(() => {
    if (!isLocked) return;
    // Browsers close a window at the second Escape, whatever its page says to the first. The focus may be nowhere.
    const keep = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') event.preventDefault();
    };
    document.addEventListener('keydown', keep, true);
    return () => document.removeEventListener('keydown', keep, true);
  }, [isLocked]);
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
        if (!isLocked) onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === ref.current && !keepsOpen && !isLocked) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
