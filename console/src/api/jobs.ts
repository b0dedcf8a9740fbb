import { type Client, getJob, type Job } from '@parley/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { client, useRead } from './api.ts';

type ReadJob = (client: Client, input: { path: { jobId: string }; signal: AbortSignal }) => Promise<Job>;

const EVERY_MS = 1_000;
export const hasEnded = ({ status }: Job): boolean => status !== 'queued' && status !== 'running';

/** A job while it is worked on. Its progress has no events, so it is asked for every second. */
export const useJob = (jobId: string, read: ReadJob = getJob): UseQueryResult<Job> =>
  useRead(['jobs', jobId], (signal) => read(client, { path: { jobId }, signal }), {
    everyMs: (job) => (job !== undefined && hasEnded(job as Job) ? false : EVERY_MS),
  });
