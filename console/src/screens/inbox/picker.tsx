import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './picker.module.css';

export interface Choice {
  id: string;
  label: string;
  /** A second line, which is searched too. */
  detail?: string | undefined;
  picture?: ReactNode;
  isChosen?: boolean;
}

interface PickerProps {
  title: string;
  placeholder: string;
  choices: readonly Choice[];
  /** Shown if there is nothing to choose from at all. */
  empty: string;
  /** Given: it finds the choices for what is typed. Else they are searched here. */
  onText?: (text: string) => void;
  /** The choices are not yet those for what is typed: Enter waits, and takes the only one if there is one. */
  isWaiting?: boolean;
  /** What was picked is being done: nothing else can be picked, and the window stays. */
  isBusy?: boolean;
  onPick: (id: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

const matches = ({ label, detail = '' }: Choice, text: string): boolean =>
  `${label} ${detail}`.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase());

/** A list to choose from by typing, arrows and Enter. */
export function Picker({
  title,
  placeholder,
  choices,
  empty,
  onText,
  isWaiting = false,
  isBusy = false,
  onPick,
  onClose,
  children,
}: PickerProps) {
  const t = useText();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const [isEntered, setIsEntered] = useState(false);
  const found = onText ? choices : choices.filter((choice) => matches(choice, text));
  const active = found[Math.min(index, found.length - 1)];
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (active) document.getElementById(`${id}-${active.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, id]);

  const pick = (chosen: Choice | undefined): void => {
    if (chosen && !isBusy) onPick(chosen.id);
  };
  const pickEntered = useEffectEvent(() => {
    setIsEntered(false);
    if (found.length === 1) pick(active);
  });
  useEffect(() => {
    if (isEntered && !isWaiting) pickEntered();
  }, [isEntered, isWaiting]);

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setIndex((Math.min(index, found.length - 1) + step + found.length) % found.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (isWaiting) setIsEntered(true);
      else pick(active);
    }
  }

  return (
    <Dialog title={title} onClose={onClose} isBusy={isBusy}>
      <input
        ref={input}
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={active ? `${id}-${active.id}` : undefined}
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onText?.(event.target.value);
          setIndex(0);
          setIsEntered(false);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length > 0 && (
        <div id={`${id}-list`} role="listbox" aria-label={title} className={styles.list}>
          {found.map((choice) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the input above has the focus
            <div
              key={choice.id}
              id={`${id}-${choice.id}`}
              role="option"
              aria-selected={choice === active}
              className={classes(styles.option, choice === active && styles.active)}
              onClick={() => pick(choice)}
              onPointerMove={() => setIndex(found.indexOf(choice))}
            >
              {choice.picture}
              <span className={styles.label}>
                <span dir="auto">{choice.label}</span>
                {choice.detail && (
                  <span className={styles.detail} dir="auto">
                    {choice.detail}
                  </span>
                )}
              </span>
              {choice.isChosen && <span className={styles.chosen}>✓ {t('inbox.chosen')}</span>}
            </div>
          ))}
        </div>
      )}
      {found.length === 0 && (
        <p className={styles.empty}>
          {choices.length === 0 ? !isWaiting && empty : t('palette.empty', { text: text.trim() })}
        </p>
      )}
      {children}
    </Dialog>
  );
}
