import { useText } from '../i18n/i18n.tsx';
import styles from './key-caps.module.css';
import { isApple } from './keys.ts';

const NAMES: Readonly<Record<string, string>> = {
  mod: isApple ? '⌘' : 'Ctrl',
  shift: isApple ? '⇧' : 'Shift',
  alt: isApple ? '⌥' : 'Alt',
  Enter: '↵',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

const nameOf = (key: string): string => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);

/** A binding as it is printed on the keyboard. */
export function KeyCaps({ keys }: { keys: string }) {
  const t = useText();
  return (
    <span className={styles.caps}>
      {keys.split(' ').map((press, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: presses have an order and may repeat
        <span key={index} className={styles.press}>
          {index > 0 && <span className={styles.then}>{t('keys.then')}</span>}
          {press.split('+').map((key) => (
            <kbd key={key} className={styles.cap}>
              {nameOf(key)}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
