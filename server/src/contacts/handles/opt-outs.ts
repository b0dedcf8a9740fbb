import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/adapter.ts';

const updateOptOuts = statement<[types: string[], values: string[], optedOutAt: (Date | null)[], now: Date]>(
  'handles.set_opt_outs',
  `update handles h set opted_out_at = n.opted_out_at, updated_at = $4
     from unnest($1::text[], $2::text[], $3::timestamptz[]) as n (type, value, opted_out_at)
    where h.tenant_id = $tenant and h.type = n.type and h.value = n.value`,
);

/** Stores when handles opted out; null if they opted in again. Each handle occurs once. */
export async function storeOptOuts(
  tx: TenantTx,
  optOuts: readonly { handle: Handle; optedOutAt: Date | null }[],
): Promise<void> {
  await tx.run(updateOptOuts, [
    optOuts.map(({ handle }) => handle.type),
    optOuts.map(({ handle }) => handle.value),
    optOuts.map(({ optedOutAt }) => optedOutAt),
    tx.now,
  ]);
}
