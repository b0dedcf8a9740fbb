import { type ReportRow, type SearchReportsBody, searchReports } from '@parley/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { client, queryClient, useRead } from '../../api/api.ts';
import { useEvents } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

const KEY = ['reports'];
/** Figures change with every message; nobody needs them sooner. */
const AGAIN_MS = 30_000;

export type ReportName = SearchReportsBody['name'];
export type { ReportRow };

export const useReport = (body: SearchReportsBody, enabled = true): UseQueryResult<ReportRow[]> =>
  useRead([...KEY, body], (signal) => searchReports(client, { body, signal }), {
    enabled,
    keepsPrevious: true,
  });

const readAgain = runSoon(AGAIN_MS, () => void queryClient.invalidateQueries({ queryKey: KEY }));

/** Keeps what is shown up to date while the period has not ended. */
export const useLiveReports = (to: string): void =>
  useEvents(['message.*', 'chat.*', 'automation.*'], () => {
    if (Date.parse(to) > Date.now()) readAgain('all', undefined);
  });
