import type { Database } from '../../src/db/database.ts';
import type { TenantDatabase, TenantTx } from '../../src/db/tenant.ts';
import type { SystemTx } from '../../src/db/transaction.ts';

type Transaction<Tx> = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Takes the place of each transaction; `run` is the real one. */
export type WrapTransaction = <Tx extends TenantTx | SystemTx, T>(
  run: (work: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx) => Promise<T>,
) => Promise<T>;

/** The same database, with `wrap` around each of its transactions. */
export function wrapTransactions(db: Database, wrap: WrapTransaction): Database {
  const wrapped =
    <Tx extends TenantTx | SystemTx>(run: Transaction<Tx>): Transaction<Tx> =>
    (work) =>
      wrap(run, work);
  const forTenant = (tenantId: string): TenantDatabase => {
    const tenant = db.forTenant(tenantId);
    return Object.create(tenant, { transaction: { value: wrapped(tenant.transaction) } });
  };
  return Object.create(db, {
    forTenant: { value: forTenant },
    systemTransaction: { value: wrapped(db.systemTransaction) },
  });
}

/** The same database, where every change that is one statement without a transaction fails with this error. */
export function failSingleChanges(db: Database, error: Error): Database {
  const run = { value: () => Promise.reject(error) };
  const forTenant = (tenantId: string): TenantDatabase => {
    const tenant = db.forTenant(tenantId);
    return Object.create(tenant, { run, autocommit: { value: Object.create(tenant.autocommit, { run }) } });
  };
  return Object.create(db, { run, forTenant: { value: forTenant } });
}
