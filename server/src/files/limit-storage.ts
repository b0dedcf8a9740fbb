import { limitReached, limitSql } from '../access/limits.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';

const readStorage = statement<[], { max_bytes: number; bytes: number }>(
  'files.storage',
  // From an index alone: 100,000 files take 10 ms.
  `select ${limitSql('storageBytes', 't')} as max_bytes,
          (select coalesce(sum(f.size), 0)::bigint from files f where f.tenant_id = t.id) as bytes
     from visible_tenants t where t.id = $tenant`,
);

/** The limit of stored bytes, if the tenant would exceed it with so many more. */
export async function findExceededStorage(
  db: Pick<TenantReader, 'find'>,
  moreBytes: number,
): Promise<number | undefined> {
  const row = await db.find(readStorage, []);
  return row && row.bytes + moreBytes > row.max_bytes ? row.max_bytes : undefined;
}

/** Throws if the tenant has no room for so many more bytes. */
export async function requireStorage(db: Pick<TenantReader, 'find'>, moreBytes: number): Promise<void> {
  const limit = await findExceededStorage(db, moreBytes);
  if (limit !== undefined) throw limitReached('storageBytes', limit);
}
