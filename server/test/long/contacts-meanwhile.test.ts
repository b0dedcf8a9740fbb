import { beforeEach, describe, expect, it } from 'vitest';
import { lockRuns } from '../../src/automations/runs/load-runs.ts';
import { automationOf } from '../kit/automations.ts';
import { automationOf as campaignAutomation } from '../kit/campaigns.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
const { db } = server.system;
const client = await usePgClient(server.databaseUrl);

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel('sms');
});

type Statements = readonly [text: string, values: unknown[]][];

/** Does something in a transaction of somebody else, which goes on, and then commits, only when `act` waits for it. */
async function meanwhile<T>(
  statements: Statements,
  act: () => Promise<T>,
  whileItWaits: Statements = [],
): Promise<T> {
  await client.query('begin');
  for (const [text, values] of statements) await client.query(text, values);
  const acting = act();
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await db.query(waiting, [])).rows.length > 0);
  for (const [text, values] of whileItWaits) await client.query(text, values);
  await client.query('commit');
  return acting;
}
const errors = (): string[] => server.logged.filter((line) => line.includes('"level":50'));
const contactOf = async (phoneNumber: string): Promise<string> =>
  (await tenant.post('/v3/contacts', { phoneNumber })).body.data.id;

describe('I8: messages of several customers lock no chat', () => {
  it.each([
    ['before the contact of another who writes here for the first time', 'contacts'],
    ['before the channel', 'channels'],
  ])('%s, as merging, erasing and deleting do', async (_, table) => {
    const receive = (from: string, text: string) =>
      tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
    await receive('+15550002221', 'first');
    await server.settle();
    const known = await contactOf('+15550002222');
    await receive('+15550002221', 'second');
    await receive('+15550002222', 'hello');
    const lock = `for update nowait`;
    await meanwhile(
      [[`select 1 from ${table} where id = $1 ${lock}`, [table === 'contacts' ? known : channel.id]]],
      server.settle,
      [[`select 1 from chats where tenant_id = $1 ${lock}`, [tenant.id]]],
    );
    const found = await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' });
    expect(found.body.data.map(({ text }: { text: string }) => text)).toEqual(['first', 'second', 'hello']);
    expect(errors()).toEqual([]);
  });
});

describe('a contact that is erased at the moment', () => {
  it.each([
    ['its recipients are gathered', { audience: 'eq(isSubscribed,true)' }],
    [
      'its recipients are started',
      { contacts: ['+15550002221', '+15550002222'].map((phoneNumber) => ({ phoneNumber })) },
    ],
  ])('is left out of a campaign while %s, which goes on', async (_, whom) => {
    const [gone] = [await contactOf('+15550002221'), await contactOf('+15550002222')];
    const automationId = await campaignAutomation(tenant, {
      steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Sale' } }],
    });
    const made = await tenant.post('/v3/campaigns', {
      channelId: channel.id,
      name: 'Sale',
      automationId,
      ...whom,
    });
    await meanwhile([['delete from contacts where id = $1', [gone]]], server.settle);
    server.clock.advance(60_000);
    await server.settle();
    expect(errors()).toEqual([]);
    const { status, recipientCounts } = (await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body.data;
    const counts = Object.values(recipientCounts as Record<string, number>);
    expect([status, counts.reduce((sum, one) => sum + one, 0)]).toEqual(['completed', 1]);
  });

  it('S1: leaves no event of a message that was being sent', async () => {
    const chat = await openChat(server, tenant, channel);
    const [message] = (await tenant.post('/v3/messages/search', {})).body.data;
    const sent = `insert into events (id, tenant_id, type, channel_id, contact_id, chat_id, data, shard, created_at)
      select gen_random_uuid(), tenant_id, 'message.sent', channel_id, contact_id, chat_id, '{"text":"Planted"}', shard, created_at
        from events where contact_id = $1 limit 1`;
    const erased = await meanwhile(
      [
        ['update messages set updated_at = updated_at where id = $1', [message.id]],
        [sent, [chat.contactId]],
      ],
      () => tenant.delete(`/v3/contacts/${chat.contactId}`),
    );
    expect(erased.body.data.deletedIds).toEqual([chat.contactId]);
    await server.settle();
    const { rows } = await db.query(
      `select data from events where tenant_id = $1 and type <> 'contact.deleted'`,
      [tenant.id],
    );
    expect(rows.filter(({ data }) => String(data).includes('Planted'))).toEqual([]);
  });
});

it('I8: a run whose contact becomes another one at the moment is not executed before that one is locked', async () => {
  const [from, to] = [await contactOf('+15550002221'), await contactOf('+15550002222')];
  const id = await automationOf(tenant, { steps: [{ id: 'end', type: 'end' }] });
  const run = await tenant.post(`/v3/automations/${id}/trigger`, { contactId: from });
  const runId = run.headers['x-automation-run-id'] as string;
  const lock = () =>
    db.forTenant(tenant.id).transaction((tx) => tx.all(lockRuns, [[runId], server.clock.now()]));
  const locked = await meanwhile(
    [
      ['select 1 from contacts where id = any ($1::uuid[]) order by id for update', [[from, to]]],
      ['update automation_runs set contact_id = $2 where id = $1', [runId, to]],
    ],
    lock,
  );
  expect(locked).toEqual([]);
  expect(await lock()).toMatchObject([{ id: runId, contact_id: to }]);
});
