import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { namedSegments } from '../search/grammar/filter.ts';

export const holdLabels = statement<[ids: string[]], { id: string }>(
  'labels.hold',
  'select id from labels where tenant_id = $tenant and id = any ($1::uuid[]) order by id for key share',
);
const holdSegments = statement<[ids: string[]]>(
  'segments.hold_named',
  'select id from segments where tenant_id = $tenant and id = any ($1::uuid[]) order by id for share',
);
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Locks the labels and segments that a filter of contacts may name, so that labels are not deleted, and segments neither deleted nor
 * changed, before what uses the filter is stored: who does so at this moment waits, and sees that it is used.
 */
export async function holdAudience(tx: TenantTx, audience: string): Promise<void> {
  const segmentIds = namedSegments(audience).filter(isUuid);
  if (segmentIds.length > 0) await tx.run(holdSegments, [segmentIds]);
  const ids = audience.match(IDS) ?? [];
  if (ids.length > 0) await tx.run(holdLabels, [ids]);
}
