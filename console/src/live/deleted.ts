import type { ResourceDeletedEvent } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { whenTenantSwitches } from '../api/session.tsx';
import { createStore } from '../api/store.ts';
import { addPatch } from './patches.ts';
import { runSoon } from './soon.ts';

type Deleted = ResourceDeletedEvent['data'];
type Resource = Deleted['resource'];

/** What was deleted since the page was loaded, by whomever. */
const deletedIds = createStore<ReadonlySet<string>>(new Set());
whenTenantSwitches(() => deletedIds.write(new Set()));

/** Whether something that a screen shows has been deleted meanwhile. */
export const useIsDeleted = (id: string | undefined): boolean =>
  deletedIds.use((ids) => id !== undefined && ids.has(id));

/** What the keys of its queries begin with. */
const KEYS: Readonly<Record<Resource, string>> = {
  campaign: 'campaigns',
  automation: 'automations',
  message_template: 'messageTemplates',
  api_webhook: 'webhooks',
  segment: 'segments',
  saved_reply: 'savedReplies',
};
const LISTS_MS = 300;

/** Lists are read again. What is about the deleted one itself is not: the server would answer that it does not exist. */
const readListsSoon = runSoon(LISTS_MS, (resource, cache: QueryClient) => {
  const ids = deletedIds.read();
  void cache.invalidateQueries({
    queryKey: [KEYS[resource as Resource]],
    predicate: ({ queryKey }) => !queryKey.some((part) => typeof part === 'string' && ids.has(part)),
  });
});

addPatch(['resource.deleted'], (event, cache) => {
  const { resource, id } = event.data as Deleted;
  deletedIds.write(new Set([...deletedIds.read(), id]));
  readListsSoon(resource, cache);
});
