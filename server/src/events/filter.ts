import { ApiError, invalidParam } from '../base/errors.ts';
import { eventTypes, isStreamOnly, streamOnlyTypes } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import { isKnownPattern, matches } from '../webhooks/match.ts';
import type { KeptRange } from './event.ts';
import { type Position, positionText, readPosition } from './position.ts';
import type { StreamQuery } from './schema.ts';

/** Whether a stream sends an event. */
export type Filter = (event: { type: string; channel_id: string | null }) => boolean;

export interface StreamRequest {
  filter: Filter;
  /** The position after which it starts; undefined: with the next event. */
  last: Position | undefined;
  /** An event as this caller sees it; as it is when left out. */
  show?: (bytes: Buffer) => Buffer;
  /** The user who has logged in; undefined for a token. */
  userId?: string | undefined;
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/**
 * Validates the parameters of a stream, or throws all their issues. Filters have the same meaning as for webhooks. Programs get
 * stream-only events only if they ask for them: what they read otherwise is what webhooks receive.
 */
export async function validateStreamQuery(
  db: TenantQueryable,
  query: StreamQuery,
  header: string | undefined,
  userId: string | undefined,
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
  const hasStreamOnly = userId !== undefined || patterns.length > 0;
  return {
    filter: (event) =>
      (hasStreamOnly || !isStreamOnly(event.type)) && lines.some((line) => matches(line, event)),
    userId,
    last: last ? readPosition(last) : undefined,
  };
}

const streamedTypes = [...eventTypes, ...streamOnlyTypes];
const quote = (text: string): string => JSON.stringify(text.slice(0, 60));

function validateTypes(patterns: string[], issues: Issues): void {
  const unknown = patterns.find((pattern) => !isKnownPattern(pattern, streamedTypes));
  if (unknown !== undefined)
    issues.add(
      'types',
      'invalid_enum_value',
      `No event is called ${quote(unknown)}. There are ${streamedTypes.join(', ')}, and prefixes such as message.*`,
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
  if (readPosition(last) === undefined)
    issues.add('lastEventId', 'invalid_string', `Must be the id of an event, received ${quote(last)}`);
}

/** Throws if events after a position are missing or do not exist yet: a client that continued there would miss some. */
export function requireKept(last: Position, { oldest, newest, epoch }: KeptRange): void {
  // `0` is no position that was ever sent: it means the beginning, in every epoch.
  if (last.epoch !== epoch && last.sequence > 0)
    throw new ApiError('conflict', {
      detail: `the position ${positionText(last.epoch, last.sequence)} is from before a backup was restored, and numbers after it were used again. Read what you need over the API, then start without a position, or with 0 for all stored events`,
    });
  if (last.sequence > newest)
    throw invalidParam(
      'lastEventId',
      'custom',
      `There is no event ${last.sequence} yet, the newest is ${newest}`,
    );
  if (last.sequence > 0 && last.sequence < oldest - 1)
    throw invalidParam(
      'lastEventId',
      'custom',
      `Events after ${last.sequence} are no longer stored, the oldest is ${oldest}. Use 0 to get all that are stored`,
    );
}
