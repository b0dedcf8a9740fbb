import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { requireLink } from './links.ts';
import { findPersonByEmail } from './person.ts';
import type { LinkInfo } from './schema.ts';

const infoById = systemStatement<
  [id: string],
  {
    email: string | null;
    name: string | null;
    tenant_name: string | null;
    has_account: boolean;
    has_totp: boolean;
    has_tenants: boolean;
  }
>(
  'person_links.describe',
  `select coalesce(p.email, u.email, l.email) as email, coalesce(p.name, u.name) as name, t.name as tenant_name,
          p.id is not null as has_account, p.totp_confirmed_at is not null as has_totp,
          exists (select 1 from visible_tenants) as has_tenants
     from person_links l
     left join users u on u.id = l.user_id and u.tenant_id = l.tenant_id
     left join visible_tenants t on t.id = u.tenant_id
     left join people p on p.id = l.person_id
    where l.id = $1`,
);

/** What a link is for, so that a page can ask for what redeeming it needs. */
export async function describeLink(db: Database, token: string): Promise<LinkInfo> {
  const { id, kind } = await requireLink(db, token);
  const row = await db.find(infoById, [id]);
  const invited = kind === 'invitation' && row?.email ? await findPersonByEmail(db, row.email) : undefined;
  const hasTotp = invited ? invited.totp_confirmed_at !== null : row?.has_totp === true;
  return {
    kind,
    email: row?.email ?? null,
    name: invited?.name ?? row?.name ?? null,
    tenantName: row?.tenant_name ?? null,
    hasAccount: row?.has_account === true || invited !== undefined,
    // The operator's link switches it off.
    hasTotp: hasTotp && kind !== 'login',
    createsTenant: kind === 'login' && row?.has_account === false && !row.has_tenants,
  };
}
