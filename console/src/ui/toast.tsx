import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { describeError, isLoggedOut } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { KeyCaps } from '../keys/key-caps.tsx';
import { useKeys } from '../keys/keys.ts';
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
      const end = (): void => {
        // Somebody reads it, or is about to press its button.
        if (region.current?.matches(':hover, :focus-within')) setTimeout(end, SHOWN_MS);
        else remove(id);
      };
      setTimeout(end, toast.action || toast.look === 'bad' ? LONG_MS : SHOWN_MS);
    },
    [remove],
  );
  const run = ({ id, action }: Toast & { id: number }): void => {
    remove(id);
    action?.run();
  };
  // The button is far away for those who use the keyboard, and not there for long.
  const undoable = toasts.findLast(({ action }) => action !== undefined);
  useKeys(
    undoable?.action
      ? [{ keys: 'z', label: undoable.action.label, group: 'general', run: () => run(undoable) }]
      : [],
  );
  return (
    <Context value={show}>
      {children}
      <div ref={region} popover="manual" className={styles.toasts} role="status">
        {toasts.map((toast) => (
          <div key={toast.id} className={classes(styles.toast, toast.look === 'bad' && styles.bad)}>
            <Icon name={toast.look === 'bad' ? 'warning' : 'check'} />
            <span className={styles.text}>{toast.text}</span>
            {toast.action && (
              <Button
                look="quiet"
                aria-keyshortcuts={toast === undoable ? 'z' : undefined}
                onClick={() => run(toast)}
              >
                {toast.action.label}
                {toast === undoable && (
                  <span aria-hidden="true">
                    <KeyCaps keys="z" />
                  </span>
                )}
              </Button>
            )}
            <IconButton icon="close" label={t('action.close')} onClick={() => remove(toast.id)} />
          </div>
        ))}
      </div>
    </Context>
  );
}
