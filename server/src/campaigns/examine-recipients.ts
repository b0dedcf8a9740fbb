import { reachedBy } from '../chats/start-chat.ts';
import { type ConsentFacts, findRefusal } from '../contacts/consent/may-send.ts';
import type { Purpose } from '../contacts/consent/schema.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import type { SkipReason } from './schema.ts';

interface RecipientFacts extends ConsentFacts {
  id: string;
  has_handle: boolean;
  timezone: string | null;
  open_until: Date | null;
}

const readFacts = statement<
  [ids: string[], types: readonly string[], kind: string, windowOfChannelId: string | null],
  RecipientFacts
>(
  'campaigns.recipient_facts',
  // The handle is the one that a chat would be started over.
  `select c.id, c.timezone, h.id is not null as has_handle, c.subscriptions -> $3::text as consent, h.undeliverable -> $3::text ->> 'reason' as undeliverable,
          k.open_until
     from visible_contacts c
     left join lateral (
       select h.id, h.undeliverable from handles h where h.contact_id = c.id and h.type = any ($2::text[])
        order by array_position($2::text[], h.type), h.is_primary desc, h.created_at, h.id limit 1) h on true
     left join lateral (
       select max(k.open_until) as open_until from visible_chats k
        where k.contact_id = c.id and k.channel_id = $4 and $4::uuid is not null) k on true
    where c.id = any ($1::uuid[]) and c.tenant_id = $tenant`,
);

export interface Examination {
  sendable: string[];
  /** How many of these have each time zone; null for none of their own. */
  timezones: Map<string | null, number>;
  skipped: Map<SkipReason, number>;
}

interface Sending {
  channelId: string;
  kind: ChannelKind;
  purpose: Purpose;
  /** Whether the first message can only be sent while the contact's chat is open for it. */
  needsWindow: boolean;
}

/** Which contacts can be sent to now, and why others cannot: by the same rules as when it is sent. */
export async function examineRecipients(
  db: TenantReader,
  contactIds: string[],
  { channelId, kind, purpose, needsWindow }: Sending,
): Promise<Examination> {
  const rows = await db.all(readFacts, [contactIds, reachedBy[kind], kind, needsWindow ? channelId : null]);
  const skipped = new Map<SkipReason, number>();
  const sendable = rows.filter((facts) => {
    const isClosed = needsWindow && (facts.open_until === null || facts.open_until <= db.now);
    const reason = facts.has_handle
      ? (findRefusal(kind, purpose, facts)?.code ?? (isClosed ? 'window_closed' : undefined))
      : 'no_handle';
    if (reason !== undefined) skipped.set(reason as SkipReason, (skipped.get(reason as SkipReason) ?? 0) + 1);
    return reason === undefined;
  });
  const timezones = new Map<string | null, number>();
  for (const { timezone } of sendable) timezones.set(timezone, (timezones.get(timezone) ?? 0) + 1);
  return { sendable: sendable.map(({ id }) => id), timezones, skipped };
}
