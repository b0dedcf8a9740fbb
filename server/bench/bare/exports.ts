import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';

const PAGE = 1_000;

const CONTACTS = `
  select c.id, c.first_name, c.last_name, p.value as phone, e.value as email, c.language, c.timezone, c.is_subscribed, l.names,
         c.created_at, c.updated_at, a.value
    from contacts c
    left join handles p on p.contact_id = c.id and p.type = 'phone_number' and p.is_primary
    left join handles e on e.contact_id = c.id and e.type = 'email' and e.is_primary
    left join lateral (
      select string_agg(n.name, ', ') as names from contact_labels cl join labels n on n.id = cl.label_id where cl.contact_id = c.id
    ) l on true
    left join lateral (select value from contact_attributes where contact_id = c.id limit 1) a on true
   where c.tenant_id = $1 order by c.created_at, c.id`;

const cell = (value: unknown): string => {
  const text = value === null ? '' : value instanceof Date ? value.toISOString() : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Streams the contacts of a tenant from a cursor, for one primary handle of each type and one attribute. */
export async function startExports(db: pg.Pool, tenantId: string): Promise<number> {
  const server = createServer(async (_request, response) => {
    const client = await db.connect();
    await client.query('begin');
    await client.query('set local enable_seqscan = off');
    await client.query(`declare contacts no scroll cursor for ${CONTACTS}`, [tenantId]);
    for (;;) {
      const { rows } = await client.query({
        text: `fetch ${PAGE} from contacts`,
        rowMode: 'array',
      });
      if (rows.length === 0) break;
      const text = rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
      if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
    }
    await client.query('commit');
    client.release();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
