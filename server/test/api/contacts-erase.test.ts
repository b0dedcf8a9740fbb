import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { mentions } from '../../src/channels/erase-inbound.ts';
import { listener } from '../kit/events.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const receiver = await useReceiver();

const PHONE = '+15550001111';
/** Texts that only this contact has. */
const SECRETS = [
  '5550001111',
  'Augusta',
  'Byronsdaughter',
  'ada@erased.example',
  'analytical engine',
  'shoe44',
  'crm-7',
];

let tenant: TestTenant;
let published: ReturnType<typeof listener>;
beforeEach(async () => {
  tenant = await server.tenant();
  published = listener(server, tenant);
  receiver.received.length = 0;
});

const write = (channelId: string, text: string) =>
  tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: PHONE, text, name: 'Augusta Byronsdaughter' });

/** Every row of the tenant in every table as text, also of bytes. */
async function dump(): Promise<string> {
  const { rows: tables } = await db.query(
    `select c.table_name as name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'tenant_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
    [],
  );
  expect(tables.length).toBeGreaterThan(20);
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.query(`select * from ${name} where tenant_id = $1`, [tenant.id]);
    parts.push(
      `${name}: ${JSON.stringify(rows, (_key, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
      )}`,
    );
  }
  return parts.join('\n');
}
const found = (text: string): string[] =>
  SECRETS.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()));

describe('deleting a contact', () => {
  it('leaves nothing about it in any table', async () => {
    const channel = await tenant.channel();
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    await tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{}] });
    await tenant.post('/v3/attributes', { name: 'Shoe', externalId: 'shoe' });
    const label = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data.id;
    await write(channel.id, 'About the analytical engine');
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550002222', text: 'hello' });
    await server.settle();
    const { rows: chats } = await db.query(
      `select c.id from chats c join handles h on h.id = c.handle_id where c.channel_id = $1 and h.value = $2`,
      [channel.id, PHONE],
    );
    const reply = { text: 'The analytical engine is still available.' };
    expect((await tenant.post(`/v3/chats/${chats[0]?.id}/messages`, reply)).status).toBe(200);
    await server.settle();
    const { contactId: id } = (await published())[0] as { contactId: string };
    const change = {
      email: 'ada@erased.example',
      labels: [{ id: label }],
      attributes: [{ externalId: 'shoe', value: 'shoe44' }],
      metadata: { crm: 'crm-7' },
    };
    await tenant.put(`/v3/contacts/${id}`, change);
    await tenant.post(
      `/v3/contacts/${id}/labels`,
      { labels: [{ id: label }] },
      {
        headers: { 'idempotency-key': 'with-the-person-in-its-answer' },
      },
    );
    const made = { name: 'Unrelated' };
    const key = { headers: { 'idempotency-key': 'without' } };
    await tenant.post('/v3/labels', made, key);
    // A receiver that repeats what it got in its answer, and a request that could not be parsed.
    await db.query(
      `update attempts a set response_body = 'got ' || $2, response_headers = jsonb_build_object('x-echo', $2::text)
         from deliveries d join events e on e.id = d.event_id
        where a.tenant_id = $1 and a.delivery_id = d.id and e.contact_id = $3 and a.response_status is not null`,
      [tenant.id, PHONE, id],
    );
    await storeInbound(db.forTenant(tenant.id), channel.id, [
      Buffer.from('{"messages":[{"from":"15550001111","text":"analytical engine"'),
      Buffer.from('From=%2B15550001111&Body=analytical+engine&broken'),
      Buffer.from('{"messages":[{"from":"15550001111222"'),
    ]);
    await db.query('update inbound set due_at = null where tenant_id = $1', [tenant.id]);
    await server.settle();
    await write(channel.id, 'not yet published: analytical engine');
    await server.settle();
    expect(found(await dump())).toEqual(SECRETS);
    const answers = async () =>
      (await db.query('select 1 from idempotency_keys where tenant_id = $1', [tenant.id])).rows.length;
    expect(await answers()).toBe(2);

    const answer = await tenant.delete(`/v3/contacts/${id}`);
    expect(answer.body.data).toEqual({ deletedIds: [id], notFoundIds: [], jobId: null });
    const after = await dump();
    // The number that is left starts like that of the deleted contact and belongs to another.
    expect(found(after.replaceAll('15550001111222', 'another'))).toEqual([]);
    expect(after).toContain('15550001111222');
    expect(after).toContain('+15550002222');
    expect((await tenant.get(`/v3/contacts/${id}`)).body.error.messageKey).toBe('contact_not_found');

    await server.settle();
    expect(await published()).toContainEqual({ type: 'contact.deleted', contactId: id, data: { id } });
    expect(receiver.received.at(-1)?.body).toMatchObject({ type: 'contact.deleted', data: { id } });
    expect(found((await dump()).replaceAll('15550001111222', 'another'))).toEqual([]);
    expect(found(server.logged.join('\n'))).toEqual([]);
    // Answers are stored encrypted, so they are counted: one that does not mention the contact is still stored.
    expect(await answers()).toBe(1);
    const again = await tenant.post('/v3/labels', made, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('sends nothing more about it: no retries and no pending events', async () => {
    const channel = await tenant.channel();
    receiver.answerWith(500, 500, 500);
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    await write(channel.id, 'one');
    await server.settle();
    const { contactId: id } = (await published())[0] as { contactId: string };
    const before = receiver.received.length;
    expect(before).toBeGreaterThan(0);
    await tenant.put(`/v3/contacts/${id}`, { firstName: 'Changed' });
    await tenant.delete(`/v3/contacts/${id}`);
    for (let hour = 0; hour < 30; hour++) {
      server.clock.advance(3600_000);
      await server.settle();
    }
    const sent = receiver.received.slice(before).map(({ body }) => body);
    expect(sent.map(({ type }) => type)).toEqual(['contact.deleted']);
    expect(sent[0].data).toEqual({ id });
  });

  it('is not undone by a repeated old message, and a new message creates a new contact', async () => {
    const channel = await tenant.channel();
    const at = server.clock.now();
    const message = (vendorId: string) =>
      sandboxBody(channel, { id: vendorId, from: PHONE, at, text: vendorId });
    const receive = async (...vendorIds: string[]) => {
      await storeInbound(db.forTenant(tenant.id), channel.id, await Promise.all(vendorIds.map(message)));
      await server.settle();
      return (await published()).map(({ type }) => type);
    };
    expect(await receive('old')).toEqual(['contact.created', 'chat.created', 'message.received']);
    const { rows } = await db.query('select contact_id from chats where tenant_id = $1', [tenant.id]);
    const first = rows[0]?.contact_id as string;
    await tenant.delete(`/v3/contacts/${first}`);
    await published();
    expect(await receive('old', 'old')).toEqual([]);
    expect(found(await dump())).toEqual([]);
    expect(await receive('old', 'new')).toEqual(['contact.created', 'chat.created', 'message.received']);
    const second = await db.query('select m.contact_id, m.text from messages m where m.tenant_id = $1', [
      tenant.id,
    ]);
    expect(second.rows).toMatchObject([{ text: 'new' }]);
    expect(second.rows[0]?.contact_id).not.toBe(first);
  });

  it('keeps the numbers of events, so that a reader by sequence misses none', async () => {
    const channel = await tenant.channel();
    await write(channel.id, 'one');
    await server.settle();
    const { contactId: id } = (await published())[0] as { contactId: string };
    await tenant.delete(`/v3/contacts/${id}`);
    await server.settle();
    const { rows } = await db.query(
      'select type, sequence, data from events where tenant_id = $1 order by sequence',
      [tenant.id],
    );
    expect(rows.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['contact.created', 1],
      ['chat.created', 2],
      ['message.received', 3],
      ['contact.deleted', 4],
    ]);
    for (const { data } of rows.slice(0, 3))
      expect(JSON.parse(data as string)).toEqual({ id: expect.any(String), erased: true });
  });

  it('50 times at once is done once and published once', async () => {
    const id = (await tenant.post('/v3/contacts', { phoneNumber: PHONE })).body.data.id;
    await published();
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.delete(`/v3/contacts/${id}`)));
    expect(answers.filter(({ body }) => body.data.deletedIds.length === 1)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.data.notFoundIds.length === 1)).toHaveLength(49);
    expect((await published()).map(({ type }) => type)).toEqual(['contact.deleted']);
  });

  it('of an unknown id, or of another tenant’s, reports it as not found', async () => {
    const other = await server.tenant();
    const theirs = (await other.post('/v3/contacts', { phoneNumber: PHONE })).body.data.id;
    for (const id of [newId(), 'nothing', theirs])
      expect((await tenant.delete(`/v3/contacts/${id}`)).body.data).toEqual({
        deletedIds: [],
        notFoundIds: [id],
        jobId: null,
      });
    expect((await other.get(`/v3/contacts/${theirs}`)).status).toBe(200);
  });

  it('while a message arrives deletes all of it or none of it', async () => {
    const channel = await tenant.channel();
    await write(channel.id, 'first');
    await server.settle();
    const { contactId: id } = (await published())[0] as { contactId: string };
    for (let n = 0; n < 20; n++) await write(channel.id, `more ${n}`);
    await Promise.all([server.settle(), tenant.delete(`/v3/contacts/${id}`)]);
    server.clock.advance(60_000);
    await server.settle();
    const { rows } = await db.query(
      `select (select count(*) from messages where tenant_id = $1 and contact_id = $2) as old,
              (select count(*) from events where tenant_id = $1 and contact_id = $2 and data like '%more%') as said,
              (select count(*) from inbound where tenant_id = $1) as waiting`,
      [tenant.id, id],
    );
    expect(rows[0]).toMatchObject({ old: 0, said: 0, waiting: 0 });
  });
});

describe('a failed request', () => {
  it.each([
    ['{"from":"15550001111"}', '15550001111', true],
    ['From=%2B15550001111&', '15550001111', true],
    ['{"from":"155500011112"}', '15550001111', false],
    ['{"from":"915550001111"}', '15550001111', false],
    ['To: Ada@Erased.Example', 'ada@erased.example', true],
    ['To: canada@erased.example', 'ada@erased.example', false],
    ['155500011112 and 15550001111', '15550001111', true],
  ])('%s mentions %s: %s', (text, spelling, expected) => {
    expect(mentions(text, spelling)).toBe(expected);
  });
});
