import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { describeError, isLoggedOut } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './toast.module.css';

interface Toast {
  text: string;
  look?: 'good' | 'bad';
  /** Such as undo. */
  action?: { label: string; run(): void };
}

const SHOWN_MS = 5_000;
/** Longer: there is something to read or to press. */
const LONG_MS = 12_000;

const Context = createContext<(toast: Toast) => void>(() => {});
/** Shows a short message below: `toast({ text: t('saved') })`. */
export const useToast = (): ((toast: Toast) => void) => useContext(Context);

/** Shows an error with what to do. After the end of the session the login is shown instead. */
export function useShowError(): (error: unknown) => void {
  const toast = useToast();
  const t = useText();
  return (error) => {
    if (!isLoggedOut(error)) toast({ text: describeError(error, t), look: 'bad' });
  };
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const [toasts, setToasts] = useState<readonly (Toast & { id: number })[]>([]);
  const lastId = useRef(0);
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Shown again, so that it is above a dialog that was opened meanwhile.
    region.current?.hidePopover();
    if (toasts.length > 0) region.current?.showPopover();
  }, [toasts]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const show = useCallback(
    (toast: Toast) => {
      lastId.current += 1;
      const id = lastId.current;
      setToasts((all) => [...all.slice(-2), { ...toast, id }]);
      setTimeout(() => remove(id), toast.action || toast.look === 'bad' ? LONG_MS : SHOWN_MS);
    },
    [remove],
  );
  return (
    <Context value={show}>
      {children}
      <div ref={region} popover="manual" className={styles.toasts} role="status">
        {toasts.map(({ id, text, look = 'good', action }) => (
          <div key={id} className={classes(styles.toast, look === 'bad' && styles.bad)}>
            <Icon name={look === 'bad' ? 'warning' : 'check'} />
            <span className={styles.text}>{text}</span>
            {action && (
              <Button
                look="quiet"
                onClick={() => {
                  remove(id);
                  action.run();
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton icon="close" label={t('action.close')} onClick={() => remove(id)} />
          </div>
        ))}
      </div>
    </Context>
  );
}
