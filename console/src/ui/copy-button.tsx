import { useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';

const SHOWN_MS = 2_000;

/** Copies a text, and says so. `label` says what, where that is not plain. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useText();
  const [hasCopied, setHasCopied] = useState(false);
  // Plain http has no clipboard; the text can be selected.
  if (!navigator.clipboard) return null;
  return (
    <Button
      icon={hasCopied ? 'check' : 'copy'}
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setHasCopied(true);
        setTimeout(() => setHasCopied(false), SHOWN_MS);
      }}
    >
      {hasCopied ? t('action.copied') : (label ?? t('action.copy'))}
    </Button>
  );
}
