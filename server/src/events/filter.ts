import { ApiError, type InvalidParamKey, type InvalidParams, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { Queryable } from '../db/database.ts';
import { eventTypes } from '../engine/event-types.ts';
import { isKnownPattern, matches } from '../webhooks/match.ts';
import type { StreamQuery } from './schema.ts';

/** Whether a stream asked for an event. */
export type Filter = (event: { type: string; channel_id: string | null }) => boolean;

export interface StreamWish {
  filter: Filter;
  /** The number after which it begins; without one, it begins with what comes. */
  last: number | undefined;
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** What a stream is to send, or an error that names every wrong parameter. Filters mean what webhooks mean by them. */
export async function readWish(
  db: Queryable,
  tenantId: string,
  query: StreamQuery,
  header: string | undefined,
): Promise<StreamWish> {
  const patterns = listOf(query.types);
  const channelIds = listOf(query.channelIds).map((id) => id.toLowerCase());
  // A browser's own header is about what it saw last, the parameter about where it once began.
  const last = header || query.lastEventId;
  const issues: InvalidParams = {
    ...validateTypes(patterns),
    ...(await validateChannels(db, tenantId, channelIds)),
    ...(last ? validateLast(last) : {}),
  };
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
  const lines = (patterns.length === 0 ? [null] : patterns).map((type_pattern) => ({
    type_pattern,
    channel_ids: channelIds.length === 0 ? null : channelIds,
  }));
  return {
    filter: (event) => lines.some((line) => matches(line, event)),
    last: last ? Number(last) : undefined,
  };
}

const issue = (name: string, key: InvalidParamKey, message: string): InvalidParams => ({
  [name]: { key, message },
});
const shown = (text: string): string => JSON.stringify(text.slice(0, 60));

function validateTypes(patterns: string[]): InvalidParams {
  const unknown = patterns.find((pattern) => !isKnownPattern(pattern));
  if (unknown === undefined) return {};
  return issue(
    'types',
    'invalid_enum_value',
    `No event is called ${shown(unknown)}. There are ${eventTypes.join(', ')}, and prefixes such as message.*`,
  );
}

async function validateChannels(db: Queryable, tenantId: string, ids: string[]): Promise<InvalidParams> {
  const malformed = ids.find((id) => !isUuid(id));
  if (malformed !== undefined)
    return issue('channelIds', 'invalid_string', `Must be UUIDs, received ${shown(malformed)}`);
  const known = await findKnownChannelIds(db, tenantId, ids);
  const unknown = ids.find((id) => !known.has(id));
  return unknown === undefined ? {} : issue('channelIds', 'custom', `There is no channel ${unknown}`);
}

function validateLast(last: string): InvalidParams {
  if (/^\d{1,16}$/.test(last) && Number.isSafeInteger(Number(last))) return {};
  return issue('lastEventId', 'invalid_string', `Must be the sequence of an event, received ${shown(last)}`);
}

/** Refuses a place that the events do not lead on from: whoever goes on there would miss some without knowing. */
export function requireKept(last: number, { oldest, newest }: { oldest: number; newest: number }): void {
  const refuse = (message: string): never => {
    throw invalidParam('lastEventId', 'custom', message);
  };
  if (last > newest) refuse(`There is no event ${last} yet, the newest is ${newest}`);
  if (last > 0 && last < oldest - 1)
    refuse(
      `Events after ${last} are no longer kept, the oldest is ${oldest}. Begin with 0 to get all that are kept`,
    );
}
