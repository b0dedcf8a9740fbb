import type { ResourceDeletedEvent } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { createStore } from '../api/store.ts';
import { addPatch } from './patches.ts';
import { runSoon } from './soon.ts';

type Deleted = ResourceDeletedEvent['data'];
type Resource = Deleted['resource'];

/** What was deleted since the page was loaded, by whomever. */
const deletedIds = createStore<ReadonlySet<string>>(new Set());

/** Whether something that a screen shows has been deleted meanwhile, by itself or with the channel that it belongs to. */
export const useIsDeleted = (id: string | undefined, channelId?: string): boolean =>
  deletedIds.use((ids) => [id, channelId].some((one) => one !== undefined && ids.has(one)));

/** What the keys of its queries begin with, and of what is deleted with it. Patches of the inbox read chats again. */
const KEYS: Readonly<Record<Resource, readonly string[]>> = {
  campaign: ['campaigns'],
  automation: ['automations'],
  message_template: ['messageTemplates'],
  api_webhook: ['webhooks'],
  segment: ['segments', 'campaigns'],
  saved_reply: ['savedReplies'],
  channel: ['channels', 'messageTemplates', 'campaigns', 'teams'],
};
const LISTS_MS = 300;

/** Lists are read again. What is about the deleted one itself is not: the server would answer that it does not exist. */
const readListsSoon = runSoon(LISTS_MS, (key, cache: QueryClient) => {
  const ids = deletedIds.read();
  const isDeleted = (part: unknown): boolean => typeof part === 'string' && ids.has(part);
  void cache.invalidateQueries({
    queryKey: [key],
    predicate: ({ queryKey, state }) =>
      !queryKey.some(isDeleted) && !isDeleted((state.data as { channelId?: unknown } | undefined)?.channelId),
  });
});

addPatch(['resource.deleted'], (event, cache) => {
  const { resource, id } = event.data as Deleted;
  deletedIds.write(new Set([...deletedIds.read(), id]));
  for (const key of KEYS[resource]) readListsSoon(key, cache);
});
