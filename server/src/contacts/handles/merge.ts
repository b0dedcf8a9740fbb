import type { Issues } from '../../base/issues.ts';
import type { Handle, HandleType } from '../../providers/kinds.ts';
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
/** A handle of a contact in the database. */
export interface StoredHandle extends HandleState {
  id: string;
  hasChats: boolean;
}

const isSame = (a: Handle, b: Handle): boolean => a.type === b.type && a.value === b.value;

/** The value of the primary handle of each type. */
type Primaries = Map<HandleType, string>;

const fields = [
  ['phoneNumber', 'phone_number'],
  ['email', 'email'],
] as const;

/**
 * Returns the handles that a contact has after a change. `handles` replaces the whole list. `phoneNumber` and `email` set
 * the primary handle of their type: the earlier one is removed, unless it has chats or `handles` contains it; null
 * removes all handles of the type.
 */
export function mergeHandles(
  before: readonly StoredHandle[],
  given: GivenHandles,
  issues: Issues,
): HandleState[] {
  const primaries: Primaries = new Map();
  let after: Handle[] = given.handles ? validateList(given.handles, before, primaries, issues) : [...before];
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
    primaries.set(type, value);
  }
  return withPrimaries(after, before, primaries);
}

/** Validates a list of handles and returns each once. Adds those that are marked as primary to `primaries`. */
function validateList(
  given: NonNullable<GivenHandles['handles']>,
  before: readonly StoredHandle[],
  primaries: Primaries,
  issues: Issues,
): Handle[] {
  const after: Handle[] = [];
  for (const [index, { type, value: text, isPrimary }] of given.entries()) {
    // A stored handle is not validated again: it may have come from a vendor.
    const isStored = before.some((handle) => isSame(handle, { type, value: text }));
    const { value, issue } = isStored ? { value: text } : validateHandle(type, text);
    if (value === undefined) {
      issues.add(`handles.${index}.value`, issue.key, issue.message);
      continue;
    }
    if (!after.some((handle) => isSame(handle, { type, value }))) after.push({ type, value });
    if (isPrimary !== true) continue;
    if ((primaries.get(type) ?? value) !== value)
      issues.add(
        `handles.${index}.isPrimary`,
        'custom',
        `Another ${type} of the list is the primary one already`,
      );
    primaries.set(type, value);
  }
  return after;
}

/** One handle of each type is primary: the one that was set, else the one that was before, else the first. */
function withPrimaries(
  after: readonly Handle[],
  before: readonly StoredHandle[],
  primaries: ReadonlyMap<HandleType, string>,
): HandleState[] {
  const primaryOf = (type: HandleType): string | undefined => {
    const ofType = after.filter((handle) => handle.type === type);
    const earlier = ofType.find((one) => before.some((handle) => handle.isPrimary && isSame(handle, one)));
    return primaries.get(type) ?? (earlier ?? ofType[0])?.value;
  };
  return after.map(({ type, value }) => ({ type, value, isPrimary: primaryOf(type) === value }));
}
