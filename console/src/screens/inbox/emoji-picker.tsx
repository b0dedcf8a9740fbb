import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslator } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EMOJI } from './emoji-data.ts';
import styles from './emoji-picker.module.css';
import pickerStyles from './picker.module.css';

/** As many as the grid has columns. */
const COLUMNS = 9;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
};

interface EmojiPickerProps {
  onPick: (sign: string) => void;
  onClose: () => void;
}

/** A sign by its name, in either language, or by arrows. */
export function EmojiPicker({ onPick, onClose }: EmojiPickerProps) {
  const { t, language } = useTranslator();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const words = text.trim().toLocaleLowerCase().split(/\s+/);
  const found = EMOJI.filter(({ en, de }) =>
    words.every((word) => `${en} ${de}`.toLocaleLowerCase().includes(word)),
  );
  const at = Math.min(index, found.length - 1);
  const active = found[at];
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at, id]);

  function onKeyDown(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = at + step;
      if (next >= 0 && next < found.length) setIndex(next);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (active) onPick(active.sign);
    }
  }

  return (
    <Dialog title={t('composer.emoji')} onClose={onClose}>
      <input
        ref={input}
        className={pickerStyles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={active ? `${id}-${at}` : undefined}
        aria-label={t('composer.emojiPlaceholder')}
        placeholder={t('composer.emojiPlaceholder')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      {active ? (
        <>
          <div id={`${id}-list`} role="listbox" aria-label={t('composer.emoji')} className={styles.grid}>
            {found.map((emoji, position) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the input above has the focus
              <div
                key={emoji.sign}
                id={`${id}-${position}`}
                role="option"
                aria-selected={position === at}
                aria-label={emoji[language]}
                className={classes(styles.sign, position === at && styles.active)}
                onClick={() => onPick(emoji.sign)}
                onPointerMove={() => setIndex(position)}
              >
                {emoji.sign}
              </div>
            ))}
          </div>
          <p className={styles.name}>
            <span aria-hidden="true">{active.sign}</span> {active[language]}
          </p>
        </>
      ) : (
        <p className={pickerStyles.empty}>{t('palette.empty', { text: text.trim() })}</p>
      )}
    </Dialog>
  );
}
