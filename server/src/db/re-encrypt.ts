import type { Keys } from '../base/crypto.ts';
import type { Database } from './database.ts';

/** An encrypted column, with the primary key of its table. */
export interface EncryptedColumn {
  table: string;
  column: string;
  key: readonly [name: string, type: 'uuid' | 'bytea'][];
  purpose: string;
}

const BATCH = 500;

/**
 * Encrypts values of earlier keys again with the present key, in batches, and returns how many there were. It can be
 * interrupted and repeated at any point. Two processes can run it at once: they wait for each other's rows.
 */
export async function reEncrypt(
  db: Database,
  { table, column, key, purpose }: EncryptedColumn,
  keys: Keys,
  isStopping: () => boolean,
): Promise<number> {
  const names = key.map(([name]) => name).join(', ');
  const after = key.map(([, type], at) => `$${at + 3}::${type}`).join(', ');
  const select = (from: string): string => `select ${names}, ${column} as encrypted from ${table}
    where substring(${column} from 1 for $1) <> $2 ${from} order by ${names} limit ${BATCH} for update`;
  const update = `update ${table} t set ${column} = n.encrypted
     from unnest($1::bytea[], ${key.map(([, type], at) => `$${at + 2}::${type}[]`).join(', ')}) as n (encrypted, ${names})
    where ${key.map(([name]) => `t.${name} = n.${name}`).join(' and ')}`;
  let last: unknown[] | undefined;
  let count = 0;
  while (!isStopping()) {
    const rows = await db.systemTransaction(async (tx) => {
      const bounds = [keys.prefix.length, keys.prefix, ...(last ?? [])];
      const found = await tx.query(select(last ? `and (${names}) > (${after})` : ''), bounds);
      if (found.rows.length === 0) return [];
      const encrypted = found.rows.map((row) =>
        keys.encrypt(keys.decrypt(row.encrypted as Buffer, purpose), purpose),
      );
      await tx.query(update, [encrypted, ...key.map(([name]) => found.rows.map((row) => row[name]))]);
      return found.rows;
    });
    if (rows.length === 0) return count;
    count += rows.length;
    last = key.map(([name]) => rows.at(-1)?.[name]);
  }
  return count;
}
