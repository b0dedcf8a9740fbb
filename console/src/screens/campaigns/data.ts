import {
  type Campaign,
  type CampaignWithCounts,
  getCampaign,
  type Recipient,
  searchAutomations,
  searchCampaigns,
  searchChannels,
  searchContacts,
  searchRecipients,
  searchSegments,
} from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client, queryClient, useRead } from '../../api/api.ts';
import { type ListData, useAll, useList } from '../../api/lists.ts';
import { changeLists, readAfterwards } from '../../api/read-afterwards.ts';
import { useScope } from '../../api/session.tsx';
import { addPatch } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

export const CAMPAIGNS_KEY = ['campaigns'];
export const SEGMENTS_KEY = ['segments'];
/** The campaigns that use segments. */
export const USES_KEY = [...CAMPAIGNS_KEY, 'ofSegments'];
/** How many contacts a segment has. */
export const COUNTS_KEY = [...SEGMENTS_KEY, 'count'];
/** How many contacts a filter matches. */
const SIZES_KEY = ['contacts', 'count'];
const campaignKey = (id: string): readonly string[] => [...CAMPAIGNS_KEY, 'one', id];
const recipientsKey = (id: string): readonly string[] => [...CAMPAIGNS_KEY, 'recipients', id];

export type Counts = CampaignWithCounts['recipientCounts'];
export type RecipientStatus = Recipient['status'];

/** The results of each row are read by itself, so a page is small. */
const PAGE_SIZE = 25;
const NOT_TESTS = 'eq(isTest,false)';

/** What was read may be older than what was heard of since the question was sent. */
function newestOf<C extends Campaign>(read: C): C | CampaignWithCounts {
  const known = findCampaign(queryClient, read.id);
  return known && known.updatedAt > read.updatedAt ? known : read;
}

export const useCampaigns = (search: string) =>
  useList<Campaign>(
    CAMPAIGNS_KEY,
    async (own, input) => {
      const page = await searchCampaigns(own, input);
      return { ...page, items: page.items.map(newestOf) };
    },
    { query: NOT_TESTS, ...(search.trim() === '' ? {} : { search: search.trim().slice(0, 200) }) },
    { pageSize: PAGE_SIZE },
  );

export const useCampaign = (campaignId: string, enabled = true) =>
  useRead(
    campaignKey(campaignId),
    async (signal) => newestOf(await getCampaign(client, { path: { campaignId }, signal })),
    { enabled },
  );

export const useChannels = () => useAll(['channels'], searchChannels);
export const useSegments = () => useAll(SEGMENTS_KEY, searchSegments, { enabled: useScope('contacts:read') });

/** Those that a campaign can start. */
export const useActiveAutomations = () => {
  const automations = useAll(['automations'], searchAutomations, { enabled: useScope('automations:read') });
  return automations.data?.filter(({ status }) => status === 'active') ?? [];
};

export const useRecipients = (campaignId: string, status: RecipientStatus | undefined) =>
  useList(
    recipientsKey(campaignId),
    (own, { body, signal }) => searchRecipients(own, { path: { campaignId }, body, signal }),
    status === undefined ? {} : { query: `eq(status,"${status}")` },
  );

const NAMES_AT_ONCE = 100;

/** The names of contacts by their ids. Each is read once, however often the list of recipients is. */
export function useNames(contactIds: readonly string[]): ReadonlyMap<string, string> {
  const canRead = useScope('contacts:read');
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const missing = contactIds.filter((id) => !names.has(id)).slice(0, NAMES_AT_ONCE);
  const { data } = useRead(
    ['contacts', 'names', missing],
    async (signal) => {
      const query = `in(id,${missing.map((id) => `"${id}"`).join()})`;
      const body = { query, pagination: { limit: NAMES_AT_ONCE } };
      const { items } = await searchContacts(client, { body, signal });
      // One that was deleted has no name.
      const found = new Map(missing.map((id) => [id, '–']));
      for (const { id, displayName } of items) found.set(id, displayName);
      return found;
    },
    { enabled: canRead && missing.length > 0 },
  );
  useEffect(() => {
    if (data) setNames((known) => new Map([...known, ...data]));
  }, [data]);
  return names;
}

/** How many contacts a filter matches now. */
export const useAudienceSize = (query: string | null) =>
  useRead(
    [...SIZES_KEY, query],
    async (signal) => {
      const page = await searchContacts(client, {
        body: { query: query as string, pagination: { limit: 1 } },
        signal,
      });
      return { total: page.pagination.total, isCapped: page.pagination.totalIsCapped === true };
    },
    { enabled: query !== null },
  );

const LISTS_MS = 500;
const RECIPIENTS_MS = 2_000;
const readListsSoon = runSoon(
  LISTS_MS,
  (_, cache: QueryClient) => void cache.invalidateQueries({ queryKey: [...CAMPAIGNS_KEY, 'list'] }),
);
const readRecipientsSoon = runSoon(
  RECIPIENTS_MS,
  (id, cache: QueryClient) => void cache.invalidateQueries({ queryKey: recipientsKey(id) }),
);

/** The campaign as it was last heard of. */
export const findCampaign = (cache: QueryClient, id: string): CampaignWithCounts | undefined =>
  cache.getQueryData(campaignKey(id));

/** Shows a campaign as it is now, wherever it is shown. */
export function storeCampaign(cache: QueryClient, campaign: Campaign | CampaignWithCounts): void {
  // An answer may come after an event about what happened later.
  if (campaign.updatedAt < (findCampaign(cache, campaign.id)?.updatedAt ?? '')) return;
  readAfterwards(campaignKey(campaign.id), () => {});
  cache.setQueryData<CampaignWithCounts>(campaignKey(campaign.id), (before) =>
    'recipientCounts' in campaign ? campaign : before && { ...before, ...campaign },
  );
  const lists = cache.getQueriesData<ListData<Campaign>>({ queryKey: [...CAMPAIGNS_KEY, 'list'] });
  const isListed = lists.some(([, data]) =>
    data?.pages.some(({ items }) => items.some(({ id }) => id === campaign.id)),
  );
  if (!isListed && !campaign.isTest) readListsSoon('', cache);
  changeLists<Campaign>(cache, [...CAMPAIGNS_KEY, 'list'], (rows) =>
    rows.map((row) => (row.id === campaign.id ? campaign : row)),
  );
}

/** A campaign that is gone. */
export function forgetCampaign(cache: QueryClient, campaignId: string): void {
  cache.removeQueries({ queryKey: campaignKey(campaignId) });
  changeLists<Campaign>(cache, [...CAMPAIGNS_KEY, 'list'], (rows) =>
    rows.filter(({ id }) => id !== campaignId),
  );
}

addPatch(['campaign.*'], (event, cache) => {
  const campaign = event.data as Campaign;
  storeCampaign(cache, campaign);
  readRecipientsSoon(campaign.id, cache);
  void cache.invalidateQueries({ queryKey: USES_KEY });
});

/** How many match a filter changes with the contacts, of which thousands may come at once. */
const COUNTS_MS = 2_000;
const countSoon = runSoon(COUNTS_MS, (_, cache: QueryClient) => {
  for (const queryKey of [SIZES_KEY, COUNTS_KEY]) void cache.invalidateQueries({ queryKey });
});
addPatch(['contact.*'], (_, cache) => countSoon('', cache));
