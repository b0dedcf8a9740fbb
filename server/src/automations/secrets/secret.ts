import { requireBelowLimit } from '../../access/limits.ts';
import type { Keys } from '../../base/crypto.ts';
import { invalidParam } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { EncryptedColumn } from '../../db/re-encrypt.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import { timestamp } from '../../http/schema.ts';
import { SECRET_NAME, type Secret } from './schema.ts';

const PURPOSE = 'automation_secrets.value';

export const encryptedSecretValue: EncryptedColumn = {
  table: 'automation_secrets',
  column: 'value_encrypted',
  key: [
    ['id', 'uuid'],
    ['tenant_id', 'uuid'],
  ],
  purpose: PURPOSE,
};

export interface SecretRow {
  id: string;
  name: string;
  created_at: Date;
  updated_at: Date;
}

const storeOne = statement<[id: string, name: string, value: Buffer, now: Date], SecretRow>(
  'automation_secrets.store',
  `insert into automation_secrets (id, tenant_id, name, value_encrypted, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4, $4)
   on conflict (tenant_id, name) do update set value_encrypted = excluded.value_encrypted, updated_at = excluded.updated_at
   returning id, name, created_at, updated_at`,
);
const countOthers = statement<[name: string], { count: number }>(
  'automation_secrets.count_others',
  'select count(*)::int as count from automation_secrets where tenant_id = $tenant and name <> $1',
);
const idByName = statement<[name: string], { id: string }>(
  'automation_secrets.id_by_name',
  'select id from automation_secrets where tenant_id = $tenant and name = $1',
);
const deleteOne = statement<[id: string]>(
  'automation_secrets.delete',
  'delete from automation_secrets where id = $1 and tenant_id = $tenant',
);
const valuesOfTenant = statement<[], { name: string; value_encrypted: Buffer }>(
  'automation_secrets.values',
  'select name, value_encrypted from automation_secrets where tenant_id = $tenant',
);

export const presentSecret = (row: SecretRow): Secret => ({
  id: row.id,
  name: row.name,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** Creates a secret, or replaces its value. */
export async function storeSecret(tx: TenantTx, name: string, value: string, keys: Keys): Promise<Secret> {
  if (!SECRET_NAME.test(name))
    throw invalidParam(
      'secretName',
      'invalid_string',
      'Must begin with a letter and have at most 64 letters, digits and underscores',
    );
  // One that exists is replaced, however many there are.
  if (!(await tx.find(idByName, [name])))
    await requireBelowLimit(tx, 'secrets', async () => (await tx.find(countOthers, [name]))?.count ?? 0);
  return presentSecret(
    (await tx.find(storeOne, [newId(), name, keys.encrypt(value, PURPOSE), tx.now])) as SecretRow,
  );
}

export const findSecretId = async (db: TenantReader, name: string): Promise<string | undefined> =>
  SECRET_NAME.test(name) ? (await db.find(idByName, [name]))?.id : undefined;

export const removeSecret = async (tx: TenantTx, id: string): Promise<boolean> =>
  (await tx.run(deleteOne, [id])) > 0;

/** All secrets of the tenant, by their names. */
export async function readSecrets(tx: TenantTx, keys: Keys): Promise<Record<string, string>> {
  const rows = await tx.all(valuesOfTenant, []);
  return Object.fromEntries(rows.map((row) => [row.name, keys.decrypt(row.value_encrypted, PURPOSE)]));
}
