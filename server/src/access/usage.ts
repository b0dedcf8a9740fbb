import { type Static, Type } from 'typebox';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';

/** What is counted against the limits of the same names. The others are rates. */
export const Usage = Type.Object(
  {
    webhooks: Type.Integer(),
    activeAutomations: Type.Integer(),
    storedFailedRequests: Type.Integer(),
    storageBytes: Type.Integer(),
  },
  { description: 'How much of the limits of `GET /v3/me` is used' },
);
export type Usage = Static<typeof Usage>;

const readCounts = statement<[], Usage>(
  'tenants.usage',
  `select (select count(*)::int from webhooks w where w.tenant_id = $tenant) as webhooks,
          (select count(*)::int from visible_automations a where a.tenant_id = $tenant and a.status = 'active' and not a.is_hidden)
            as "activeAutomations",
          (select count(*)::int from visible_inbound i where i.tenant_id = $tenant and i.due_at is null)
            as "storedFailedRequests",
          (select coalesce(sum(f.size), 0)::float8 from visible_files f where f.tenant_id = $tenant) as "storageBytes"`,
);

export const readUsage = async (db: Pick<TenantReader, 'find'>): Promise<Usage> =>
  (await db.find(readCounts, [])) as Usage;
