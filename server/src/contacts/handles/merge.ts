import type { Issues } from '../../base/issues.ts';
import type { HandleType } from '../../providers/adapter.ts';
import { validateHandle } from './validate.ts';

export interface GivenHandles {
  phoneNumber?: string | null;
  email?: string | null;
  handles?: { type: HandleType; value: string; isPrimary?: boolean }[];
}

export interface HandleState {
  type: HandleType;
  value: string;
  isPrimary: boolean;
}
/** A handle that is stored already. */
export interface StoredHandle extends HandleState {
  id: string;
  hasChats: boolean;
}

interface Named {
  type: HandleType;
  value: string;
}
const isSame = (a: Named, b: Named): boolean => a.type === b.type && a.value === b.value;

/** Which handle of each type is shown. */
type Shown = Map<HandleType, string>;

const fields = [
  ['phoneNumber', 'phone_number'],
  ['email', 'email'],
] as const;

/**
 * The handles that a contact has after a change. Pure. A list of handles replaces the one before. `phoneNumber` and
 * `email` say which of their type is shown: the one before it goes, unless it has chats or stands in the list; null
 * takes every one of the type away.
 */
export function mergeHandles(
  before: readonly StoredHandle[],
  given: GivenHandles,
  issues: Issues,
): HandleState[] {
  const shown: Shown = new Map();
  let after: Named[] = given.handles ? validateList(given.handles, before, shown, issues) : [...before];
  for (const [field, type] of fields) {
    const wanted = given[field];
    if (wanted === undefined) continue;
    if (wanted === null) {
      if (given.handles?.some((handle) => handle.type === type))
        issues.add(field, 'custom', `Cannot be null while handles has a ${type}`);
      after = after.filter((handle) => handle.type !== type);
      continue;
    }
    const { value, issue } = validateHandle(type, wanted);
    if (issue) {
      issues.add(field, issue.key, issue.message);
      continue;
    }
    const replaced = given.handles
      ? undefined
      : before.find((one) => one.type === type && one.isPrimary && one.value !== value && !one.hasChats);
    after = after.filter((handle) => replaced === undefined || !isSame(handle, replaced));
    if (!after.some((handle) => isSame(handle, { type, value }))) after.push({ type, value });
    shown.set(type, value);
  }
  return withPrimaries(after, before, shown);
}

/** The handles of a list, each once; `shown` learns which of them are said to be primary. */
function validateList(
  given: NonNullable<GivenHandles['handles']>,
  before: readonly StoredHandle[],
  shown: Shown,
  issues: Issues,
): Named[] {
  const after: Named[] = [];
  for (const [index, { type, value: text, isPrimary }] of given.entries()) {
    // What is stored already is not judged again: a vendor may have brought it.
    const isStored = before.some((handle) => isSame(handle, { type, value: text }));
    const { value, issue } = isStored ? { value: text } : validateHandle(type, text);
    if (value === undefined) {
      issues.add(`handles.${index}.value`, issue.key, issue.message);
      continue;
    }
    if (!after.some((handle) => isSame(handle, { type, value }))) after.push({ type, value });
    if (isPrimary !== true) continue;
    if ((shown.get(type) ?? value) !== value) {
      const message = `Another ${type} of the list is the primary one already`;
      issues.add(`handles.${index}.isPrimary`, 'custom', message);
    }
    shown.set(type, value);
  }
  return after;
}

/** Of each type one is shown: the one that is said to be, else the one that was, else the first. */
function withPrimaries(
  after: readonly Named[],
  before: readonly StoredHandle[],
  shown: ReadonlyMap<HandleType, string>,
): HandleState[] {
  const primaryOf = (type: HandleType): string | undefined => {
    const ofType = after.filter((handle) => handle.type === type);
    const was = ofType.find((one) => before.some((handle) => handle.isPrimary && isSame(handle, one)));
    return shown.get(type) ?? (was ?? ofType[0])?.value;
  };
  return after.map(({ type, value }) => ({ type, value, isPrimary: primaryOf(type) === value }));
}
