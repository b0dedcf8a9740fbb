import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ChannelKind } from '../../providers/kinds.ts';

const markHandles = statement<[chatIds: string[], kind: string, reasons: string[], at: Date]>(
  'handles.mark_undeliverable',
  `update handles h
      set undeliverable = coalesce(h.undeliverable, '{}') || jsonb_build_object($2::text, jsonb_build_object(
            'reason', n.reason, 'at', to_char($4::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
          updated_at = $4
     from unnest($1::uuid[], $3::text[]) as n (chat_id, reason)
     join visible_chats k on k.id = n.chat_id and (k.tenant_id = $tenant) is true
    where h.id = k.handle_id and h.tenant_id = $tenant`,
);
const clearHandles = statement<[ids: string[], kinds: string[], now: Date]>(
  'handles.clear_undeliverable',
  `update handles h set undeliverable = nullif(h.undeliverable - $2::text[], '{}'), updated_at = $3
    where h.id = any ($1::uuid[]) and h.tenant_id = $tenant and h.undeliverable is not null`,
);

/** Notes why nothing can be delivered to the handles of chats over this kind of channel: nothing more is sent to them. */
export async function markUndeliverable(
  tx: TenantTx,
  kind: ChannelKind,
  failed: ReadonlyMap<string, string>,
): Promise<void> {
  if (failed.size > 0) await tx.run(markHandles, [[...failed.keys()], kind, [...failed.values()], tx.now]);
}

/** Lets messages go to these handles again, and returns how many could not be reached before. */
export async function clearUndeliverable(
  tx: TenantTx,
  handleIds: string[],
  kinds: readonly ChannelKind[],
): Promise<number> {
  return handleIds.length === 0 ? 0 : tx.run(clearHandles, [handleIds, [...kinds], tx.now]);
}
