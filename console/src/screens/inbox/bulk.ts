import { type ChangeChatsBody, cancelJob, changeChats, getJob, type Job } from '@parley/sdk';
import { useSyncExternalStore } from 'react';
import { client } from '../../api/api.ts';
import { whenTenantSwitches } from '../../api/session.tsx';

/** A change of many chats. It goes on, whatever screen the person looks at. */
export interface BulkChange {
  /** Undefined until the server has chosen the chats. */
  job: Job | undefined;
  /** Why it could not be started, or why nobody knows how far it is. */
  error: unknown;
}

export type BulkAction = ChangeChatsBody['action'];

let current: BulkChange | undefined;
const listeners = new Set<() => void>();
function change(next: BulkChange | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useBulkChange = (): BulkChange | undefined => useSyncExternalStore(subscribe, () => current);

const hasEnded = ({ status }: Job): boolean => status !== 'queued' && status !== 'running';

/** One after the other: a second change could contradict the first. */
export const isRunning = (bulk: BulkChange | undefined): boolean =>
  bulk !== undefined && bulk.error === undefined && !(bulk.job && hasEnded(bulk.job));

/** Nothing tells how far a job is, so it is asked; the changes themselves arrive as events. */
const ASK_MS = 700;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ASK_MS));

async function follow(job: Job): Promise<void> {
  let last = job;
  change({ job, error: undefined });
  try {
    while (!hasEnded(last)) {
      await pause();
      if (current?.job?.id !== job.id) return;
      last = await getJob(client, { path: { jobId: job.id } });
      if (current?.job?.id !== job.id) return;
      change({ job: last, error: undefined });
    }
  } catch (error) {
    change({ job: last, error });
  }
}

/** Does the same to chats: to some, or to all that match a filter. Returns whether it begins. */
export function startBulkChange(chats: { ids: string[] } | { query: string }, action: BulkAction): boolean {
  if (isRunning(current)) return false;
  const started = { job: undefined, error: undefined };
  change(started);
  const unlessForgotten =
    <T>(show: (result: T) => unknown) =>
    (result: T): void => {
      if (current === started) show(result);
    };
  changeChats(client, { body: { ...chats, action } }).then(
    unlessForgotten(follow),
    unlessForgotten((error) => change({ job: undefined, error })),
  );
  return true;
}

export async function cancelBulkChange({ id }: Job): Promise<void> {
  try {
    const job = await cancelJob(client, { path: { jobId: id } });
    if (current?.job?.id === id) change({ job, error: undefined });
  } catch (error) {
    if (current?.job?.id === id) change({ job: current.job, error });
  }
}

export const forgetBulkChange = (): void => change(undefined);
whenTenantSwitches(forgetBulkChange);
