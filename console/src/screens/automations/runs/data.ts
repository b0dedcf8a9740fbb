import {
  type AutomationRun,
  type Contact,
  getAutomationRun,
  getAutomationVersion,
  searchAutomationRuns,
  searchAutomationVersions,
  searchContacts,
} from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { client, useRead } from '../../../api/api.ts';
import { type ListData, useList } from '../../../api/lists.ts';
import { useScope } from '../../../api/session.tsx';
import { addPatch } from '../../../live/patches.ts';
import { runSoon } from '../../../live/soon.ts';

export type RunStatus = AutomationRun['status'];
export const runStatuses: readonly RunStatus[] = [
  'running',
  'waiting',
  'failed',
  'completed',
  'cancelled',
  'scheduled',
];
export const isUnfinished = ({ status }: Pick<AutomationRun, 'status'>): boolean =>
  status === 'scheduled' || status === 'running' || status === 'waiting';
/** A run that failed before its first step has none to go on from. */
export const canRetry = ({ status, startedAt }: AutomationRun): boolean =>
  status === 'failed' && startedAt !== null;

const RUNS_KEY = ['automation_runs'];
const listKey = (automationId: string): readonly string[] => [...RUNS_KEY, 'of', automationId];
const runKey = (runId: string): readonly string[] => [...RUNS_KEY, 'one', runId];
export const funnelKey = (automationId: string): readonly string[] => [...RUNS_KEY, 'funnel', automationId];

/** The filter that the API gets. */
export const queryOf = (automationId: string, status: RunStatus | undefined): string => {
  const own = `eq(automationId,"${automationId}")`;
  return status === undefined ? own : `and(${own},eq(status,"${status}"))`;
};

export const useRuns = (automationId: string, status: RunStatus | undefined) =>
  useList(
    [...listKey(automationId), status ?? ''],
    searchAutomationRuns,
    { query: queryOf(automationId, status) },
    { withTotal: true },
  );

export const useRun = (runId: string) =>
  useRead(runKey(runId), (signal) => getAutomationRun(client, { path: { runId }, signal }));

export const useVersion = (automationId: string, versionId: string | undefined) =>
  useRead(
    ['automations', 'version', versionId],
    (signal) => getAutomationVersion(client, { path: { automationId, versionId: versionId ?? '' }, signal }),
    { enabled: versionId !== undefined },
  );

export const useVersions = (automationId: string) =>
  useRead(['automations', 'versions', automationId, 'numbers'], (signal) =>
    searchAutomationVersions(client, {
      path: { automationId },
      body: { sortBy: 'desc(number)', pagination: { limit: 100 } },
      signal,
    }),
  );

/** The names of contacts, as far as they exist. */
export function useContactNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(ids)].sort();
  const contacts = useRead(
    ['contacts', 'names', ...wanted],
    async (signal) => {
      const found: Contact[] = [];
      for (let from = 0; from < wanted.length; from += 100) {
        const some = wanted.slice(from, from + 100);
        const query = `in(id,${some.map((id) => `"${id}"`).join()})`;
        found.push(
          ...(await searchContacts(client, { body: { query, pagination: { limit: 100 } }, signal })).items,
        );
      }
      return found;
    },
    { enabled: useScope('contacts:read') && wanted.length > 0, keepsPrevious: true },
  );
  return new Map(contacts.data?.map(({ id, displayName }) => [id, displayName]));
}

const SOON_MS = 500;
const FUNNEL_MS = 2_000;
/** The trace is not part of events, so the run is read again. */
const readRunSoon = runSoon(SOON_MS, (runId, cache: QueryClient) => {
  void cache.invalidateQueries({ queryKey: runKey(runId) });
});
const readListSoon = runSoon(SOON_MS, (automationId, cache: QueryClient) => {
  void cache.invalidateQueries({ queryKey: listKey(automationId) });
});
const readFunnelSoon = runSoon(FUNNEL_MS, (automationId, cache: QueryClient) => {
  void cache.invalidateQueries({ queryKey: funnelKey(automationId) });
});

/** Shows a run as it is now, where it is shown. Returns whether a list of all runs has it. */
export function storeRun(cache: QueryClient, run: AutomationRun): boolean {
  let isListed = false;
  cache.setQueriesData<ListData<AutomationRun>>(
    { queryKey: [...listKey(run.automationId), ''] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.map((one) => {
            if (one.id !== run.id) return one;
            isListed = true;
            return run;
          }),
        })),
      },
  );
  return isListed;
}

addPatch(['automation.*'], (event, cache) => {
  const run = event.data as AutomationRun;
  const isListed = storeRun(cache, run);
  readRunSoon(run.id, cache);
  readFunnelSoon(run.automationId, cache);
  // Lists by state gain and lose runs.
  if (!isListed || cache.getQueriesData({ queryKey: listKey(run.automationId) }).length > 1)
    readListSoon(run.automationId, cache);
});
