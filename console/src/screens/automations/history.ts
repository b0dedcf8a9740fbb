/** What was, is and would be again: the stack of undo and redo. */
export interface History<T> {
  past: readonly T[];
  present: T;
  future: readonly T[];
  /** What the last change was about, and when: typing is undone as a whole. */
  last?: { about: string; at: number };
}

const MAX_PAST = 200;
const TYPING_MS = 1_000;

export const startHistory = <T>(present: T): History<T> => ({ past: [], present, future: [] });

/** A change. Changes of the same thing in quick succession are one. */
export function pushChange<T>(history: History<T>, present: T, about: string, at: number): History<T> {
  if (present === history.present) return history;
  const { last, past } = history;
  const isSame = about !== '' && last?.about === about && at - last.at < TYPING_MS;
  return {
    past: isSame ? past : [...past, history.present].slice(-MAX_PAST),
    present,
    future: [],
    last: { about, at },
  };
}

/** Something else instead of all of it. What was undone before can be got back as well. */
export const replacePresent = <T>({ past, present, future }: History<T>, next: T): History<T> => ({
  past: [...past, present, ...future].slice(-MAX_PAST),
  present: next,
  future: [],
});

export function undoChange<T>({ past, present, future }: History<T>): History<T> {
  const before = past.at(-1);
  return before === undefined
    ? { past, present, future }
    : { past: past.slice(0, -1), present: before, future: [present, ...future] };
}

export function redoChange<T>({ past, present, future }: History<T>): History<T> {
  const [next, ...rest] = future;
  return next === undefined
    ? { past, present, future }
    : { past: [...past, present], present: next, future: rest };
}
