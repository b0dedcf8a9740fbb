import type { FormEvent, ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { isShownByFields } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import styles from './form-dialog.module.css';
import { ErrorNotice } from './notices.tsx';

interface FormDialogProps {
  title: string;
  /** What the button says. */
  submit: string;
  onSubmit: () => void;
  onClose: () => void;
  isBusy: boolean;
  /** What the last attempt answered. Issues of `fields` are shown there, all others below. */
  error: unknown;
  fields?: readonly string[];
  isDanger?: boolean;
  isDisabled?: boolean;
  /** For what needs the window. */
  isWide?: boolean;
  children: ReactNode;
}

/** A form in a window of its own. */
export function FormDialog({
  title,
  submit,
  onSubmit,
  onClose,
  isBusy,
  error,
  fields = [],
  isDanger = false,
  isDisabled = false,
  isWide = false,
  children,
}: FormDialogProps) {
  const t = useText();
  const id = useId();
  const [isTouched, setIsTouched] = useState(false);
  // A second click may come before this window shows that the first is being sent.
  const isSent = useRef(false);
  useEffect(() => {
    if (!isBusy) isSent.current = false;
  });
  const touch = (): void => {
    isSent.current = false;
    setIsTouched(true);
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isDisabled || isBusy || isSent.current) return;
    isSent.current = true;
    onSubmit();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isWide={isWide}
      keepsOpen={isTouched}
      isBusy={isBusy}
      actions={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button
            type="submit"
            form={id}
            look={isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabled={isDisabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={send} onInput={touch}>
        {children}
        {error && !isShownByFields(error, fields) ? <ErrorNotice error={error} /> : null}
      </form>
    </Dialog>
  );
}
