import { searchMessageTemplates } from '@parley/sdk';
import { useAll } from './lists.ts';

/** The templates of a channel that its vendor has approved. */
export const useApprovedTemplates = (channelId: string) =>
  useAll(['messageTemplates', 'approved', channelId], searchMessageTemplates, {
    query: `and(eq(channelId,"${channelId}"),eq(status,"approved"))`,
  });
