import { eventTypes } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type CanRead, lacksScope } from '../http/permissions.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { validateUrl } from '../outbound/validate-url.ts';
import { channelKinds } from '../providers/kinds.ts';
import { isKnownPattern } from './match.ts';
import { findMissingScope } from './read-scopes.ts';
import type { ApiWebhook } from './schema.ts';
import { kindOf, type V2Type } from './v2-types.ts';

/** An entry of `events`. Without channels and kinds it is for every event. */
export interface StoredEvent {
  type_pattern: string | null;
  channel_ids: string[] | null;
  channel_kinds: string[] | null;
}

export interface WebhookInput {
  url: string;
  events: { type?: string; scopes?: { type: 'channel' | 'channel_kind'; ids: string[] }[] }[];
  status?: ApiWebhook['status'];
  /** Creates a webhook of version 2, whose `events` are those of the type. */
  v2Type?: V2Type;
}

/** What is needed to validate a webhook that a caller saves. */
export interface SaveDeps {
  policy: OutboundPolicy;
  /** What the caller may read, and therefore subscribe to. */
  canRead: CanRead;
}

/** The ids of all scopes of a type, each once. */
export const idsOf = (
  { scopes = [] }: WebhookInput['events'][number],
  type: 'channel' | 'channel_kind',
): string[] => [
  ...new Set(
    scopes.filter((scope) => scope.type === type).flatMap(({ ids }) => ids.map((id) => id.toLowerCase())),
  ),
];

export async function validateWebhook(
  tx: TenantTx,
  { url, events, status, v2Type }: Partial<WebhookInput>,
  { policy, canRead }: SaveDeps,
  before?: { status: string; events: readonly StoredEvent[] },
): Promise<void> {
  const issues = collectIssues();
  // What was read can be sent back, but only the server disables.
  if (status === 'disabled' && before?.status !== 'disabled')
    issues.add('status', 'invalid_enum_value', 'Must be "active" or "inactive", received "disabled"');
  validateScopes(events ?? [], canRead, issues);
  if (url !== undefined) {
    // Only the URL itself is checked here; the address of its host is checked with every connection.
    const decision = validateUrl(url, policy);
    if (!decision.ok) issues.add('url', 'invalid_string', decision.reason);
  }
  if (events !== undefined)
    await validateEvents(tx, events, { v2Type, stored: before?.events ?? [] }, issues);
  issues.throwIfAny();
}

/** A subscription must not see more than the caller who saves it. */
export function validateScopes(events: readonly { type?: string }[], canRead: CanRead, issues: Issues): void {
  for (const [number, { type }] of events.entries()) {
    const scope = findMissingScope(type ?? null, canRead);
    if (scope) issues.add(`events.${number}.type`, 'custom', lacksScope(scope));
  }
}

async function validateEvents(
  tx: TenantTx,
  events: WebhookInput['events'],
  { v2Type, stored }: { v2Type: V2Type | undefined; stored: readonly StoredEvent[] },
  issues: Issues,
): Promise<void> {
  const kind = v2Type && kindOf(v2Type);
  const ids = events.flatMap((event) => idsOf(event, 'channel'));
  const known = await findKnownChannelIds(tx, ids.filter(isUuid), kind);
  // An id that is stored may be sent back, also after its channel was deleted.
  for (const event of stored) for (const id of event.channel_ids ?? []) known.add(id);
  const isKnown = {
    channel: (id: string) => known.has(id),
    channel_kind: (id: string) => (channelKinds as readonly string[]).includes(id),
  };
  for (const [number, { type, scopes = [] }] of events.entries()) {
    if (type !== undefined && v2Type === undefined && !isKnownPattern(type))
      issues.add(
        `events.${number}.type`,
        'invalid_enum_value',
        `No event is called "${type}". There are ${eventTypes.join(', ')}, and prefixes such as message.*`,
      );
    for (const [scopeNumber, scope] of scopes.entries())
      for (const [index, id] of scope.ids.entries())
        if (!isKnown[scope.type](id.toLowerCase()))
          issues.add(
            `events.${number}.scopes.${scopeNumber}.ids.${index}`,
            'custom',
            scope.type === 'channel'
              ? `There is no ${kind === undefined ? '' : `${kind} `}channel ${id}`
              : `There is no kind of channel "${id}". There are ${channelKinds.join(', ')}`,
          );
  }
}
