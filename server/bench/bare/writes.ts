import Fastify from 'fastify';
import type pg from 'pg';
import { findShardColumn } from '../shards.ts';
import { inTransaction, listen, newId } from './tools.ts';

/** Copies our own tables, with their indexes: the server does not process what bare programs write into the copies. */
export const copyTables = (...tables: string[]): string =>
  ['drop schema if exists bare_writes cascade', 'create schema bare_writes']
    .concat(tables.map((table) => `create table bare_writes.${table} (like public.${table} including all)`))
    .join('; ');

/** Writes in one transaction what adding a label writes: the label, the contact's time, the event. */
export async function startLabels(db: pg.Pool, tenantId: string, contact: object): Promise<number> {
  const shard = await findShardColumn(db);
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
          text: `insert into bare_writes.events (id, tenant_id, ${shard}, created_at, type, contact_id, data, facts)
                 values ($1, $2, 0, $3, 'contact.labels_added', $4, $5, $6)`,
          values: [
            newId(),
            tenantId,
            now,
            contactId,
            JSON.stringify({ ...contact, id: contactId }),
            JSON.stringify({ labelIds: request.body.labels.map(({ id }) => id) }),
          ],
        });
      });
      return { success: true };
    },
  );
  return listen(app);
}

/** Inserts and commits what triggering an automation writes. */
export async function startTrigger(db: pg.Pool, tenantId: string, versionId: string): Promise<number> {
  const shard = await findShardColumn(db);
  const app = Fastify({ logger: false });
  app.post<{ Params: { automationId: string }; Body: { contactId: string; scheduledAt?: string } }>(
    '/v3/automations/:automationId/trigger',
    async (request, reply) => {
      const id = newId();
      const now = new Date();
      const { contactId, scheduledAt } = request.body;
      await db.query({
        name: 'run',
        text: `insert into bare_writes.automation_runs (id, tenant_id, automation_id, version_id, contact_id, status, state,
                                                        ${shard}, scheduled_at, due_at, created_at, updated_at)
               values ($1, $2, $3, $4, $5, 'scheduled', $6, 0, $7, $7, $8, $8)`,
        values: [
          id,
          tenantId,
          request.params.automationId,
          versionId,
          contactId,
          JSON.stringify({ variables: {}, after: id }),
          scheduledAt === undefined ? now : new Date(scheduledAt),
          now,
        ],
      });
      reply.header('x-automation-run-id', id);
      return { success: true };
    },
  );
  return listen(app);
}

interface NewContact {
  firstName: string;
  lastName: string;
  phoneNumber: string;
  attributes: { externalId: string; value: string }[];
  labels: { name: string }[];
}

/** Bulk inserts in one transaction, without validation: a campaign, and for each contact what ours stores of a new one. */
export async function startBroadcasts(
  db: pg.Pool,
  tenantId: string,
  ids: { label: string; attribute: string },
): Promise<number> {
  const shard = await findShardColumn(db);
  const app = Fastify({ logger: false, bodyLimit: 10 * 1024 * 1024 });
  app.post<{
    Params: { channelId: string };
    Body: { name: string; workflowId: string; contacts: NewContact[] };
  }>('/v2/:channelId/broadcasts', async (request) => {
    const { name, workflowId, contacts } = request.body;
    const now = new Date();
    const campaignId = newId();
    const created = contacts.map((one) => ({ ...one, id: newId(), handleId: newId(), eventId: newId() }));
    const contactIds = created.map(({ id }) => id);
    const insert = (
      client: pg.PoolClient,
      table: string,
      columns: string,
      select: string,
      values: unknown[],
    ) =>
      client.query({
        name: `bulk ${table}`,
        text: `insert into bare_writes.${table} (${columns}) ${select}`,
        values,
      });
    await inTransaction(db, async (client) => {
      await insert(
        client,
        'campaigns',
        `id, tenant_id, channel_id, automation_id, name, status, is_reoccurring, ${shard}, due_at, created_at, updated_at`,
        `values ($1, $2, $3, $4, $5, 'running', false, 0, $6, $6, $6)`,
        [campaignId, tenantId, request.params.channelId, workflowId, name, now],
      );
      await insert(
        client,
        'contacts',
        'id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at',
        `select p.id, $1, p.first, p.last, true, '{}', p.first || ' ' || p.last || E'\\n' || p.phone, $2, $2
             from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) as p (id, first, last, phone)`,
        [
          tenantId,
          now,
          contactIds,
          created.map((one) => one.firstName),
          created.map((one) => one.lastName),
          created.map((one) => one.phoneNumber),
        ],
      );
      await insert(
        client,
        'handles',
        'id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at',
        `select p.id, $1, p.contact_id, 'phone_number', p.phone, true, '{}', $2, $2
             from unnest($3::uuid[], $4::uuid[], $5::text[]) as p (id, contact_id, phone)`,
        [
          tenantId,
          now,
          created.map((one) => one.handleId),
          contactIds,
          created.map((one) => one.phoneNumber),
        ],
      );
      await insert(
        client,
        'contact_labels',
        'contact_id, label_id, tenant_id, created_at',
        'select id, $3, $1, $2 from unnest($4::uuid[]) as id',
        [tenantId, now, ids.label, contactIds],
      );
      await insert(
        client,
        'contact_attributes',
        'contact_id, attribute_id, tenant_id, value, updated_at',
        'select p.id, $3, $1, p.value, $2 from unnest($4::uuid[], $5::text[]) as p (id, value)',
        [tenantId, now, ids.attribute, contactIds, created.map((one) => one.attributes[0]?.value)],
      );
      await insert(
        client,
        'recipients',
        'campaign_id, contact_id, tenant_id, created_at, updated_at',
        'select $3, id, $1, $2, $2 from unnest($4::uuid[]) as id',
        [tenantId, now, campaignId, contactIds],
      );
      await insert(
        client,
        'events',
        `id, tenant_id, ${shard}, created_at, type, contact_id, data`,
        `select e.id, $1, 0, $2, 'contact.created', e.contact_id, e.data
             from unnest($3::uuid[], $4::uuid[], $5::text[]) as e (id, contact_id, data)`,
        [
          tenantId,
          now,
          created.map((one) => one.eventId),
          contactIds,
          created.map((one) => JSON.stringify(formatContact(one, ids, now))),
        ],
      );
    });
    return { success: true };
  });
  return listen(app);
}

/** A contact about as the API returns it. */
const formatContact = (
  contact: NewContact & { id: string; handleId: string },
  ids: { label: string; attribute: string },
  now: Date,
): object => ({
  id: contact.id,
  createdAt: now,
  updatedAt: now,
  firstName: contact.firstName,
  lastName: contact.lastName,
  fullName: `${contact.firstName} ${contact.lastName}`,
  displayName: `${contact.firstName} ${contact.lastName}`,
  language: null,
  timezone: null,
  isSubscribed: true,
  subscriptions: [],
  handles: [
    {
      id: contact.handleId,
      createdAt: now,
      updatedAt: now,
      type: 'phone_number',
      isPrimary: true,
      value: contact.phoneNumber,
      extra: {},
      hasChats: false,
      undeliverable: [],
    },
  ],
  labels: [{ id: ids.label, name: contact.labels[0]?.name, color: null }],
  attributes: [
    {
      id: ids.attribute,
      externalId: 'city',
      name: 'City',
      type: 'text',
      value: contact.attributes[0]?.value,
    },
  ],
  phoneNumber: contact.phoneNumber,
  email: null,
  chats: [],
  metadata: {},
});
