import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type pg from 'pg';
import { newId } from '../src/base/ids.ts';

/** Copies of our own tables, with their indexes: nobody works off what the bare programs put into them. */
export const copied = (...tables: string[]): string =>
  ['drop schema if exists bare_writes cascade', 'create schema bare_writes']
    .concat(tables.map((table) => `create table bare_writes.${table} (like public.${table} including all)`))
    .join('; ');

async function inTransaction<T>(db: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function listen(app: ReturnType<typeof Fastify>): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

/** One transaction that writes what adding a label writes: the label, the contact's time, the event. */
export async function labels(db: pg.Pool, tenantId: string): Promise<number> {
  const app = Fastify({ logger: false });
  app.post<{ Params: { contactId: string }; Body: { labels: { id: string }[] } }>(
    '/v3/contacts/:contactId/labels',
    async (request) => {
      const { contactId } = request.params;
      const now = new Date();
      await inTransaction(db, async (client) => {
        await client.query({
          name: 'label',
          text: 'insert into bare_writes.contact_labels (contact_id, label_id, tenant_id, created_at) values ($1, $2, $3, $4)',
          values: [contactId, request.body.labels[0]?.id, tenantId, now],
        });
        await client.query({
          name: 'contact',
          text: 'update bare_writes.contacts set updated_at = $3 where id = $1 and tenant_id = $2',
          values: [contactId, tenantId, now],
        });
        await client.query({
          name: 'event',
          text: `insert into bare_writes.events (id, tenant_id, slot, created_at, type, contact_id, data)
                 values ($1, $2, 0, $3, 'contact.labels_added', $4, $5)`,
          values: [
            newId(),
            tenantId,
            now,
            contactId,
            JSON.stringify({ id: contactId, labels: request.body.labels }),
          ],
        });
      });
      return { success: true };
    },
  );
  return listen(app);
}
