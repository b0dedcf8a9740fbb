import { type Static, Type } from 'typebox';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { hasRemovals, withoutViews } from '../db/removals.ts';
import type { TenantReader } from '../db/tenant.ts';
import { meOf, type Principal } from '../http/permissions.ts';
import type { Filter } from '../search/grammar/filter.ts';
import { parseSearchRequest, type SearchRequest } from '../search/request.ts';
import { countEach } from '../search/run-search.ts';
import { Query } from '../search/schema.ts';
import { restrictToChannels } from '../search/source.ts';
import { chatFields, chatSource } from './search.ts';

/** More chats than this are not counted: nobody reads the difference, and every row would be. */
const COUNT_CAP = 1_000;
const MAX_VIEWS = 20;
const IS_UNREAD: Filter = { op: 'eq', field: 'isUnread', type: 'boolean', value: true };

export const CountsBody = Type.Object({
  views: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 100, description: 'Identifies the count in the answer' }),
      query: Type.Optional(Query),
    }),
    { minItems: 1, maxItems: MAX_VIEWS },
  ),
});
type CountsBody = Static<typeof CountsBody>;

export const ChatCount = Type.Object(
  {
    key: Type.String(),
    total: Type.Integer({ description: `How many chats match; at most ${COUNT_CAP}` }),
    unread: Type.Integer({ description: `How many of them are unread; at most ${COUNT_CAP}` }),
    totalIsCapped: Type.Boolean({ description: 'Whether more chats match than were counted' }),
  },
  { title: 'ChatCount' },
);
type ChatCount = Static<typeof ChatCount>;

/** How many chats match each filter. All filters are checked before anything is counted. */
export async function countChats(
  reader: TenantReader & Parameters<typeof countEach>[0],
  { views }: CountsBody,
  principal: Principal,
): Promise<ChatCount[]> {
  const invalidParams: InvalidParams = {};
  const me = meOf(principal);
  const requests = views.map(({ query }, index) => {
    try {
      const all = parseSearchRequest(query === undefined ? {} : { query }, chatFields, reader.now, me);
      const filter: Filter = all.filter ? { op: 'and', conditions: [all.filter, IS_UNREAD] } : IS_UNREAD;
      return { all, unread: { ...all, filter } };
    } catch (error) {
      if (!(error instanceof ApiError) || error.invalidParams === undefined) throw error;
      for (const [path, issue] of Object.entries(error.invalidParams))
        invalidParams[`views.${index}.${path}`] = issue;
      return undefined;
    }
  });
  if (Object.keys(invalidParams).length > 0) throw new ApiError('invalid_body_params', { invalidParams });
  const source = { ...restrictToChannels(chatSource, principal.channelIds), countCap: COUNT_CAP };
  // All in one statement: six views took twelve, each with a round trip.
  const count = (from: string): Promise<number[]> =>
    countEach(
      reader,
      requests.flatMap((one) =>
        [one?.all, one?.unread].map((request) => ({
          searchable: chatFields,
          source: { ...source, from },
          tenantId: reader.tenantId,
          request: request as SearchRequest,
        })),
      ),
    );
  const [isRemoving, found] = await Promise.all([hasRemovals(reader), count(withoutViews(source.from))]);
  const totals = isRemoving ? await count(source.from) : found;
  return views.map(({ key }, index) => {
    const [total, unread] = totals.slice(2 * index) as [number, number];
    return {
      key,
      total: Math.min(total, COUNT_CAP),
      unread: Math.min(unread, COUNT_CAP),
      totalIsCapped: total > COUNT_CAP,
    };
  });
}
