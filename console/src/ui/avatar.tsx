import type { CSSProperties } from 'react';
import styles from './avatar.module.css';
import { classes } from './classes.ts';

/** Far enough apart to be distinguished. */
const HUES = [175, 215, 255, 295, 335, 15, 40, 95];
const hueOf = (text: string): number =>
  HUES[
    [...text].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997, 7) % HUES.length
  ] as number;

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /\p{L}|\p{N}/u.test(word));
  const letterOf = (word: string | undefined): string => /\p{L}|\p{N}/u.exec(word ?? '')?.[0] ?? '';
  return (letterOf(words[0]) + (words.length > 1 ? letterOf(words.at(-1)) : '')).toUpperCase() || '?';
}

interface AvatarProps {
  name: string;
  /** The same colour for the same id, whatever the name is. */
  id?: string;
  size?: 'small' | 'normal' | 'large';
}

/** A person as letters on a colour. The name stands beside it, so the letters are a picture and no text. */
export function Avatar({ name, id = name, size = 'normal' }: AvatarProps) {
  return (
    <span
      className={classes(styles.avatar, styles[size])}
      style={{ '--hue': hueOf(id) } as CSSProperties}
      data-initials={initialsOf(name)}
      aria-hidden="true"
    />
  );
}
