import { type ChangeChatsBody, cancelJob, changeChats, getJob, type Job } from '@parley/sdk';
import { client } from '../../api/api.ts';
import { hasEnded } from '../../api/jobs.ts';
import { createStore } from '../../api/store.ts';

/** A change of many chats. It goes on, whatever screen the person looks at. */
export interface BulkChange {
  /** Undefined until the server has chosen the chats. */
  job: Job | undefined;
  /** Why it could not be started, or why nobody knows how far it is. */
  error: unknown;
}

export type BulkAction = ChangeChatsBody['action'];

const current = createStore<BulkChange | undefined>(undefined);

export const useBulkChange = (): BulkChange | undefined => current.use();

/** One after the other: a second change could contradict the first. */
export const isRunning = (bulk: BulkChange | undefined): boolean =>
  bulk !== undefined && bulk.error === undefined && !(bulk.job && hasEnded(bulk.job));

/** Nothing tells how far a job is, so it is asked; the changes themselves arrive as events. */
const ASK_MS = 700;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ASK_MS));

async function follow(job: Job): Promise<void> {
  let last = job;
  current.write({ job, error: undefined });
  try {
    while (!hasEnded(last)) {
      await pause();
      if (current.read()?.job?.id !== job.id) return;
      last = await getJob(client, { path: { jobId: job.id } });
      if (current.read()?.job?.id !== job.id) return;
      current.write({ job: last, error: undefined });
    }
  } catch (error) {
    current.write({ job: last, error });
  }
}

/** Does the same to chats: to some, or to all that match a filter. Returns whether it begins. */
export function startBulkChange(chats: { ids: string[] } | { query: string }, action: BulkAction): boolean {
  if (isRunning(current.read())) return false;
  const started = { job: undefined, error: undefined };
  current.write(started);
  const unlessForgotten =
    <T>(show: (result: T) => unknown) =>
    (result: T): void => {
      if (current.read() === started) show(result);
    };
  changeChats(client, { body: { ...chats, action } }).then(
    unlessForgotten(({ jobId, ...job }) => follow({ id: jobId, ...job })),
    unlessForgotten((error) => current.write({ job: undefined, error })),
  );
  return true;
}

export async function cancelBulkChange({ id }: Job): Promise<void> {
  try {
    const job = await cancelJob(client, { path: { jobId: id } });
    if (current.read()?.job?.id === id) current.write({ job, error: undefined });
  } catch (error) {
    if (current.read()?.job?.id === id) current.write({ job: current.read()?.job, error });
  }
}

export const forgetBulkChange = (): void => current.write(undefined);
