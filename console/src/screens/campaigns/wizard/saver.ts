import { ParleyError, type UpdateCampaignBody } from '@parley/sdk';
import { createStore } from '../../../api/store.ts';

const SAVE_MS = 600;

type Fields = Readonly<Record<string, unknown>>;

export interface Unsaved {
  /** What is not stored yet. */
  changes: UpdateCampaignBody;
  /** What was stored when somebody began to change it. */
  bases: Fields;
  isSaving: boolean;
  error: unknown;
}

/** The fields that an answer refuses. */
const refusedFields = (error: unknown): string[] =>
  error instanceof ParleyError
    ? error.issues.map(({ parameter }) => parameter.split('.', 1)[0] as string)
    : [];

const without = <T extends object>(fields: T, names: readonly string[]): T =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) as T;

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fields that somebody else has changed meanwhile, to something else. */
export const findConflicts = (
  stored: Fields,
  { changes, bases }: Pick<Unsaved, 'changes' | 'bases'>,
): string[] =>
  Object.entries(changes).flatMap(([name, value]) =>
    isSame(stored[name], bases[name]) || isSame(stored[name], value) ? [] : [name],
  );

interface SaverDeps {
  /** The campaign as it is stored; events keep it up to date. */
  readStored(): Fields;
  /** Stores fields. Afterwards `readStored` returns them. */
  send(body: UpdateCampaignBody): Promise<void>;
}

/**
 * Stores what is typed into a campaign, one request at a time, so that an older value never overwrites a newer one. What
 * somebody else has changed meanwhile is not overwritten before somebody says so.
 */
export function createSaver({ readStored, send }: SaverDeps) {
  const store = createStore<Unsaved>({ changes: {}, bases: {}, isSaving: false, error: undefined });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<void> = Promise.resolve();
  const set = (part: Partial<Unsaved>): void => store.write({ ...store.read(), ...part });
  const basesOf = (names: readonly string[]): Fields => {
    const stored = readStored();
    return Object.fromEntries(names.map((name) => [name, stored[name]]));
  };

  async function sendFields(body: UpdateCampaignBody): Promise<void> {
    await send(body);
    const sent = new Map<string, unknown>(Object.entries(body));
    // What was typed meanwhile is sent next.
    const left = Object.entries(store.read().changes).filter(
      ([name, value]) => !sent.has(name) || sent.get(name) !== value,
    );
    const own = left.map(([name]) => name).filter((name) => sent.has(name));
    set({ changes: Object.fromEntries(left), bases: { ...store.read().bases, ...basesOf(own) } });
  }

  async function save(): Promise<void> {
    const body = without(store.read().changes, findConflicts(readStored(), store.read()));
    if (isEmpty(body)) return;
    set({ isSaving: true });
    try {
      await sendFields(body);
      set({ isSaving: false, error: undefined });
    } catch (error) {
      // One wrong field keeps none of the others from being stored.
      const rest = without(body, refusedFields(error));
      if (!isEmpty(rest) && refusedFields(error).length > 0) await sendFields(rest).catch(() => {});
      set({ isSaving: false, error });
    }
  }

  /** Stores what is left, and says whether everything is stored. */
  const flush = (): Promise<boolean> => {
    clearTimeout(timer);
    last = last.then(save);
    return last.then(() => isEmpty(store.read().changes));
  };
  return {
    use: store.use,
    change(changes: UpdateCampaignBody): void {
      const unsaved = store.read();
      const begun = Object.keys(changes).filter((name) => !(name in unsaved.changes));
      set({
        changes: { ...unsaved.changes, ...changes },
        bases: { ...unsaved.bases, ...basesOf(begun) },
      });
      clearTimeout(timer);
      timer = setTimeout(flush, SAVE_MS);
    },
    /** Ends a conflict: the own values are stored, or given up. */
    resolve(keepsOwn: boolean): void {
      const unsaved = store.read();
      const names = findConflicts(readStored(), unsaved);
      if (keepsOwn) set({ bases: { ...unsaved.bases, ...basesOf(names) } });
      else set({ changes: without(unsaved.changes, names) });
      void flush();
    },
    flush,
    hasChanges: (): boolean => !isEmpty(store.read().changes),
  };
}
export type Saver = ReturnType<typeof createSaver>;
