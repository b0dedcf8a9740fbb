import { usePgClient } from './pg-client.ts';

/** Every row of every table as text, bytes both as hex and as what they would spell. */
export async function dumpTables(databaseUrl: string): Promise<string> {
  const client = await usePgClient(databaseUrl);
  const tables = await client.query(
    "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  let text = '';
  for (const { table_name } of tables.rows) {
    const { rows } = await client.query(`select * from ${table_name}`);
    for (const row of rows)
      for (const value of Object.values(row))
        text += Buffer.isBuffer(value)
          ? `${value.toString('latin1')}\n${value.toString('hex')}\n`
          : `${JSON.stringify(value)}\n`;
  }
  return text;
}
