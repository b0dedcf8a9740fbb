import { newId } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const endActivation = statement<[automationId: string, now: string]>(
  'automation_activations.end',
  `update automation_activations set ended_id = $2
    where automation_id = $1 and (tenant_id = $tenant) is true and ended_id is null`,
);
const beginActivation = statement<[id: string, automationId: string, versionId: string]>(
  'automation_activations.begin',
  `insert into automation_activations (id, tenant_id, automation_id, version_id) values ($1, $tenant, $2, $3)`,
);

/** Notes that a version is in force from now on, or none for null. The caller has locked the automation. */
export function noteActivation(tx: TenantTx, automationId: string, versionId: string | null): void {
  const now = newId();
  tx.enqueue(endActivation, [automationId, now]);
  if (versionId !== null) tx.enqueue(beginActivation, [now, automationId, versionId]);
}
