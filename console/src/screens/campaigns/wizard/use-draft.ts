import { type CampaignWithCounts, ParleyError, type UpdateCampaignBody, updateCampaign } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { client } from '../../../api/api.ts';
import { storeCampaign } from '../data.ts';

const SAVE_MS = 600;

interface Snapshot {
  /** What is not stored yet. */
  changes: UpdateCampaignBody;
  isSaving: boolean;
  error: unknown;
}

/** The fields that an answer refuses. */
const refusedFields = (error: unknown): string[] =>
  error instanceof ParleyError
    ? error.issues.map(({ parameter }) => parameter.split('.', 1)[0] as string)
    : [];

const without = (changes: UpdateCampaignBody, names: readonly string[]): UpdateCampaignBody =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => !names.includes(name)));

const isEmpty = (changes: UpdateCampaignBody): boolean => Object.keys(changes).length === 0;

/** Stores what is typed into a campaign, one request at a time, so that an older value never overwrites a newer one. */
function createSaver(campaignId: string, cache: QueryClient) {
  let snapshot: Snapshot = { changes: {}, isSaving: false, error: undefined };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<void> = Promise.resolve();
  const listeners = new Set<() => void>();
  const set = (next: Partial<Snapshot>): void => {
    snapshot = { ...snapshot, ...next };
    for (const listener of listeners) listener();
  };

  async function send(body: UpdateCampaignBody): Promise<void> {
    storeCampaign(cache, await updateCampaign(client, { path: { campaignId }, body }));
    const sent = new Map(Object.entries(body));
    // What was typed meanwhile is sent next.
    const left = Object.entries(snapshot.changes).filter(
      ([name, value]) => !sent.has(name) || sent.get(name) !== value,
    );
    set({ changes: Object.fromEntries(left) });
  }

  async function save(): Promise<void> {
    const { changes } = snapshot;
    if (isEmpty(changes)) return;
    set({ isSaving: true });
    try {
      await send(changes);
      set({ isSaving: false, error: undefined });
    } catch (error) {
      // One wrong field keeps none of the others from being stored.
      const rest = without(changes, refusedFields(error));
      if (!isEmpty(rest) && refusedFields(error).length > 0) await send(rest).catch(() => {});
      set({ isSaving: false, error });
    }
  }

  const flush = (): Promise<boolean> => {
    clearTimeout(timer);
    last = last.then(save);
    return last.then(() => isEmpty(snapshot.changes));
  };
  return {
    read: () => snapshot,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(changes: UpdateCampaignBody) {
      set({ changes: { ...snapshot.changes, ...changes } });
      clearTimeout(timer);
      timer = setTimeout(flush, SAVE_MS);
    },
    flush,
  };
}
type Saver = ReturnType<typeof createSaver>;

/** By campaign: what could not be stored is still there when somebody comes back. */
const savers = new Map<string, Saver>();

function saverOf(campaignId: string, cache: QueryClient): Saver {
  const saver = savers.get(campaignId) ?? createSaver(campaignId, cache);
  savers.set(campaignId, saver);
  return saver;
}

export interface Draft {
  /** The campaign with everything that was typed. */
  campaign: CampaignWithCounts;
  change(changes: UpdateCampaignBody): void;
  /** Stores what is left, and says whether everything is stored. */
  flush(): Promise<boolean>;
  isSaving: boolean;
  isSaved: boolean;
  error: unknown;
}

export function useDraft(stored: CampaignWithCounts): Draft {
  const saver = saverOf(stored.id, useQueryClient());
  const { changes, isSaving, error } = useSyncExternalStore(saver.subscribe, saver.read);
  useEffect(() => () => void saver.flush(), [saver]);
  const typed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  // A message replaces an automation, and the other way round.
  const replaced = {
    ...(changes.message === undefined ? {} : { automationId: null }),
    ...(changes.automationId === undefined ? {} : { message: null }),
  };
  return {
    campaign: { ...stored, ...replaced, ...typed } as CampaignWithCounts,
    change: saver.change,
    flush: saver.flush,
    isSaving,
    isSaved: isEmpty(changes),
    error,
  };
}
