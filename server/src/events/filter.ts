import { invalidParam } from '../base/errors.ts';
import { eventTypes } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import { isKnownPattern, matches } from '../webhooks/match.ts';
import type { StreamQuery } from './schema.ts';

/** Whether a stream sends an event. */
export type Filter = (event: { type: string; channel_id: string | null }) => boolean;

export interface StreamRequest {
  filter: Filter;
  /** The number after which it starts; undefined: with the next event. */
  last: number | undefined;
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Validates the parameters of a stream, or throws all their issues. Filters have the same meaning as for webhooks. */
export async function validateStreamQuery(
  db: TenantQueryable,
  query: StreamQuery,
  header: string | undefined,
): Promise<StreamRequest> {
  const patterns = listOf(query.types);
  const channelIds = listOf(query.channelIds).map((id) => id.toLowerCase());
  // A browser sends the last event it received as the header; the parameter is where it first started.
  const last = header || query.lastEventId;
  const issues = collectIssues();
  validateTypes(patterns, issues);
  await validateChannels(db, channelIds, issues);
  if (last) validateLast(last, issues);
  issues.throwIfAny();
  const lines = (patterns.length === 0 ? [null] : patterns).map((type_pattern) => ({
    type_pattern,
    channel_ids: channelIds.length === 0 ? null : channelIds,
  }));
  return {
    filter: (event) => lines.some((line) => matches(line, event)),
    last: last ? Number(last) : undefined,
  };
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 60));

function validateTypes(patterns: string[], issues: Issues): void {
  const unknown = patterns.find((pattern) => !isKnownPattern(pattern));
  if (unknown !== undefined)
    issues.add(
      'types',
      'invalid_enum_value',
      `No event is called ${quote(unknown)}. There are ${eventTypes.join(', ')}, and prefixes such as message.*`,
    );
}

async function validateChannels(db: TenantQueryable, ids: string[], issues: Issues): Promise<void> {
  const malformed = ids.find((id) => !isUuid(id));
  if (malformed !== undefined)
    return issues.add('channelIds', 'invalid_string', `Must be UUIDs, received ${quote(malformed)}`);
  const known = await findKnownChannelIds(db, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) issues.add('channelIds', 'custom', `There is no channel ${unknown}`);
}

function validateLast(last: string, issues: Issues): void {
  if (!/^\d{1,16}$/.test(last) || !Number.isSafeInteger(Number(last)))
    issues.add('lastEventId', 'invalid_string', `Must be the sequence of an event, received ${quote(last)}`);
}

/** Throws if events after a number are missing or do not exist yet: a client that continued there would miss some. */
export function requireKept(last: number, { oldest, newest }: { oldest: number; newest: number }): void {
  if (last > newest)
    throw invalidParam('lastEventId', 'custom', `There is no event ${last} yet, the newest is ${newest}`);
  if (last > 0 && last < oldest - 1)
    throw invalidParam(
      'lastEventId',
      'custom',
      `Events after ${last} are no longer stored, the oldest is ${oldest}. Use 0 to get all that are stored`,
    );
}
