import { useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

/** As a page shows it. */
const plain = (text: string): string => text.trim().replace(/\s+/g, ' ');

interface ConfirmDialogProps {
  title: string;
  /** What is destroyed, by its name, and what stays. */
  text: string;
  /** What the button says. */
  action: string;
  /** For what cannot be brought back: the name must be typed. */
  typed?: string;
  write: { mutate(): void; isPending: boolean; error: unknown };
  onClose: () => void;
}

/** Asks before something is destroyed. */
export function ConfirmDialog({ title, text, action, typed, write, onClose }: ConfirmDialogProps) {
  const t = useText();
  const [name, setName] = useState('');
  return (
    <FormDialog
      title={title}
      submit={action}
      onSubmit={() => write.mutate()}
      onClose={onClose}
      isBusy={write.isPending}
      error={write.error}
      isDanger
      isDisabled={typed !== undefined && plain(name) !== plain(typed)}
    >
      <p>{text}</p>
      {typed !== undefined && (
        <TextField
          label={t('confirm.type', { name: typed })}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
      )}
    </FormDialog>
  );
}
