import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { contactEvents } from '../contact.ts';

const markHandles = statement<
  [chatIds: string[], kind: string, reasons: string[], at: Date],
  { contact_id: string }
>(
  'handles.mark_undeliverable',
  `update handles h
      set undeliverable = coalesce(h.undeliverable, '{}') || jsonb_build_object($2::text, jsonb_build_object(
            'reason', n.reason, 'at', to_char($4::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
          updated_at = $4
     from unnest($1::uuid[], $3::text[]) as n (chat_id, reason)
     join visible_chats k on k.id = n.chat_id and (k.tenant_id = $tenant) is true
    where h.id = k.handle_id and h.tenant_id = $tenant returning h.contact_id`,
);
const clearHandles = statement<[ids: string[], kinds: string[], now: Date], { contact_id: string }>(
  'handles.clear_undeliverable',
  `update handles h set undeliverable = nullif(h.undeliverable - $2::text[], '{}'), updated_at = $3
    where h.id = any ($1::uuid[]) and h.tenant_id = $tenant and h.undeliverable ?| $2::text[]
   returning h.contact_id`,
);
const touch = statement<[ids: string[], now: Date]>(
  'contacts.touch_unlocked',
  // The caller may have locked chats or messages, and contacts are locked before them: this one waits for nobody. A contact that
  // somebody is changing gets its time from there.
  `with chosen as materialized (
     select c.id from visible_contacts c where c.id = any ($1::uuid[]) and c.tenant_id = $tenant
      order by c.id for no key update skip locked)
   update visible_contacts c set updated_at = $2 from chosen where c.id = chosen.id and c.tenant_id = $tenant`,
);

/** Sets the time of change of the contacts of some handles, and returns their ids. */
async function touchOwners(tx: TenantTx, handles: readonly { contact_id: string }[]): Promise<string[]> {
  const ids = [...new Set(handles.map(({ contact_id }) => contact_id))];
  if (ids.length > 0) await tx.run(touch, [ids, tx.now]);
  return ids;
}

/** Notes why nothing can be delivered to the handles of chats over this kind of channel: nothing more is sent to them. */
export async function markUndeliverable(
  tx: TenantTx,
  kind: ChannelKind,
  failed: ReadonlyMap<string, string>,
): Promise<void> {
  if (failed.size === 0) return;
  const marked = await tx.all(markHandles, [[...failed.keys()], kind, [...failed.values()], tx.now]);
  tx.publish(...(await contactEvents(tx, await touchOwners(tx, marked), ['contact.updated'])));
}

/** Lets messages go to these handles again, and returns the contacts of those that could not be reached before. */
export async function clearUndeliverable(
  tx: TenantTx,
  handleIds: string[],
  kinds: readonly ChannelKind[],
): Promise<string[]> {
  if (handleIds.length === 0) return [];
  return touchOwners(tx, await tx.all(clearHandles, [handleIds, [...kinds], tx.now]));
}
