import { beforeEach, describe, expect, it } from 'vitest';
import { mergeContacts } from '../../src/contacts/merge/merge-contacts.ts';
import { countMarkedHours, countPeriod } from '../../src/reports/count-hours.ts';
import { dueTimeOf } from '../../src/reports/note-changes.ts';
import { automationOf } from '../kit/automations.ts';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { countAll, reportOf, storedFigures, totalOf } from '../kit/reports.ts';
import { openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const START = '2026-11-02T08:10:00.000Z';
const WEEK = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-16T00:00:00.000Z' };
const HOUR = 3600_000;
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date(START));
  tenant = await server.tenant();
});
const volumes = async () => {
  const { at: _, group: __, ...figures } = await totalOf(tenant, { name: 'volumes', ...WEEK });
  return figures;
};
/** Counts by plain SQL what there is. */
async function countRows() {
  const { rows } = await db.query(
    `select count(*) filter (where sender = 'inbound')::int as received,
            count(*) filter (where sender = 'outbound' and status not in ('queued', 'failed'))::int as sent
       from messages where tenant_id = $1`,
    [tenant.id],
  );
  return rows[0] as { received: number; sent: number };
}
async function talk(channel: { id: string }, from: string): Promise<{ id: string; contactId: string }> {
  const chat = await openChat(server, tenant, channel, from);
  server.clock.advance(20 * 60_000);
  await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Yes' });
  await server.settle();
  server.clock.advance(HOUR);
  await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
  await server.settle();
  return chat;
}

describe('figures that were stored', () => {
  it('are counted again after a contact, a chat or a channel is deleted', async () => {
    const [one, other] = [await tenant.channel('sms'), await tenant.channel()];
    const erased = await talk(one, '+15550002401');
    const removed = await talk(one, '+15550002402');
    await talk(other, '+15550002403');
    await talk(one, '+15550002404');
    await countAll(server);
    expect(await volumes()).toMatchObject({ received: 4, sent: 4, opened: 4, closed: 4 });
    const steps: [string, number][] = [
      [`/v3/contacts/${erased.contactId}`, 3],
      [`/v3/chats/${removed.id}`, 2],
      [`/v3/channels/${other.id}`, 1],
    ];
    for (const [path, left] of steps) {
      expect((await tenant.delete(path)).status).toBe(200);
      await server.settle();
      expect(await countRows()).toEqual({ received: left, sent: left });
      expect(await volumes()).toMatchObject({ received: left, sent: left, opened: left, closed: left });
      const times = await totalOf(tenant, { name: 'response_times', ...WEEK });
      expect(times).toMatchObject({ firstResponses: left, firstResponseAverageSeconds: 1200 });
    }
  });

  it('lose the scheduled messages of a contact and a chat that are deleted, and follow those that are merged', async () => {
    const channel = await tenant.channel('sms');
    const scheduledAt = '2026-11-03T10:10:00.000Z';
    const chats: { id: string; contactId: string }[] = [];
    for (const number of ['+15550002401', '+15550002402', '+15550002403', '+15550002404']) {
      const chat = await openChat(server, tenant, channel, number);
      await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Tomorrow', scheduledAt });
      chats.push(chat);
    }
    server.clock.set(new Date('2026-11-03T10:20:00.000Z'));
    await countAll(server);
    const sent = async () => (await volumes()).sent;
    expect(await sent()).toBe(4);
    const [erased, removed, kept, merged] = chats as [(typeof chats)[0], ...typeof chats];
    expect((await tenant.delete(`/v3/contacts/${erased.contactId}`)).status).toBe(200);
    await server.settle();
    expect(await sent()).toBe(3);
    expect((await tenant.delete(`/v3/chats/${removed?.id}`)).status).toBe(200);
    await server.settle();
    expect(await sent()).toBe(2);
    await db
      .forTenant(tenant.id)
      .transaction((tx) => mergeContacts(tx, kept?.contactId ?? '', merged?.contactId ?? ''));
    await server.settle();
    expect(await sent()).toBe(2);
    expect((await tenant.delete(`/v3/contacts/${kept?.contactId}`)).status).toBe(200);
    await server.settle();
    expect(await sent()).toBe(0);
  });

  it('follow what changes days later', async () => {
    const ground = await groundFor(tenant, {
      steps: [{ id: 'send', type: 'send_message', parameters: { text: 'Sale!' } }],
    });
    const made = await tenant.post('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      contacts: testContacts(4, 10),
    });
    await server.settle();
    await countAll(server);
    const figures = async () => {
      const [row, ...more] = await reportOf(tenant, { name: 'campaigns', ...WEEK, groupBy: 'campaign' });
      expect([row.group, more]).toEqual([{ id: made.body.data.id, name: 'Sale' }, []]);
      const { sent, delivered, read, replied, failed, optedOut } = row;
      return { sent, delivered, read, replied, failed, optedOut };
    };
    const before = await figures();
    expect(before).toMatchObject({ sent: 4, replied: 0, failed: 0, optedOut: 0 });

    server.clock.advance(48 * HOUR);
    const [, reader, replier, leaver] = testContacts(4, 10).map(({ phoneNumber }) => phoneNumber);
    await tenant.post(`/v3/sandbox/${ground.channelId}/read`, { from: reader });
    for (const [from, text] of [
      [replier, 'How much?'],
      [leaver, 'STOP'],
    ])
      await tenant.post(`/v3/sandbox/${ground.channelId}/inbound`, { from, text });
    await countAll(server);
    await server.settle();
    expect(await figures()).toMatchObject({ sent: 4, replied: 1, optedOut: 1 });
    const { rows } = await db.query(
      `select count(*) filter (where status = 'read')::int as read from messages where campaign_id = $1`,
      [made.body.data.id],
    );
    expect((await figures()).read).toBe(rows[0]?.read);

    // After seven days a reply belongs to nothing.
    server.clock.advance(6 * 24 * HOUR);
    await tenant.post(`/v3/sandbox/${ground.channelId}/inbound`, { from: reader, text: 'Hello again' });
    await countAll(server);
    expect(await figures()).toMatchObject({ replied: 1 });
  });

  it('have no automation of a campaign with a message, which is in no list', async () => {
    const { id: channelId } = await tenant.channel('sms');
    const contacts = testContacts(2, 30);
    await tenant.post('/v3/campaigns', { channelId, name: 'Sale', message: { text: 'Sale!' }, contacts });
    await server.settle();
    const automations = () => reportOf(tenant, { name: 'automations', ...WEEK, groupBy: 'automation' });
    const campaigns = () => totalOf(tenant, { name: 'campaigns', ...WEEK });
    expect([await automations(), await campaigns()]).toMatchObject([[], { sent: 2 }]);
    await countAll(server);
    expect([await automations(), await campaigns()]).toMatchObject([[], { sent: 2 }]);
    expect(await totalOf(tenant, { name: 'automations', ...WEEK })).toMatchObject({
      started: 0,
      completed: 0,
    });
  });

  it('say what became of runs, also if they end much later', async () => {
    const id = await automationOf(tenant, {
      steps: [
        { id: 'wait', type: 'wait', parameters: { for: 'P1D' } },
        { id: 'end', type: 'end' },
      ],
    });
    const { contactId } = await openChat(server, tenant, await tenant.channel('sms'));
    await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
    await countAll(server);
    const asked = { name: 'automations', ...WEEK, groupBy: 'automation' };
    const [row] = await reportOf(tenant, asked);
    expect(row).toMatchObject({ group: { id }, started: 1, completed: 0, failed: 0, cancelled: 0 });
    server.clock.advance(25 * HOUR);
    await countAll(server);
    expect((await reportOf(tenant, asked))[0]).toMatchObject({ at: WEEK.from, started: 1, completed: 1 });
    const hours = await reportOf(tenant, { ...asked, interval: 'hour' });
    expect(hours.map(({ at }: { at: string }) => at)).toEqual(['2026-11-02T08:00:00.000Z']);
    await tenant.post(`/v3/automations/${id}/archive`);
    await tenant.delete(`/v3/automations/${id}?force=true`);
    await server.settle();
    const { rows } = await db.query(
      'select count(*)::int as runs from automation_runs where automation_id = $1',
      [id],
    );
    expect((await totalOf(tenant, { ...asked, groupBy: undefined })).started).toBe(rows[0]?.runs);
  });

  it('are the same however often they are counted, and wherever counting was interrupted', async () => {
    await talk(await tenant.channel('sms'), '+15550002401');
    await countAll(server);
    const before = await storedFigures(server, tenant);
    expect(before.length).toBeGreaterThan(4);
    const owner = db.forTenant(tenant.id);
    const [from, to] = [new Date('2026-11-02T08:00:00Z'), new Date('2026-11-02T09:00:00Z')];
    // The process ends after it has counted, before the commit.
    await expect(
      owner.transaction(async (tx) => {
        await countPeriod(tx, from, to);
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect(await storedFigures(server, tenant)).toEqual(before);
    const mark = { id: '019a82a0-0000-7000-8000-000000000001', tenant_id: tenant.id, has_replies: true };
    await Promise.all(
      [1, 2].map(() => countMarkedHours({ db }, [{ ...mark, from_at: from, to_at: to }]).catch(() => {})),
    );
    await countMarkedHours({ db }, [{ ...mark, from_at: new Date(0), to_at: new Date(WEEK.to) }]);
    expect(await storedFigures(server, tenant)).toEqual(before);
  });

  it('are counted for everything that was there before there were reports', async () => {
    await talk(await tenant.channel('sms'), '+15550002401');
    await countAll(server);
    const before = await storedFigures(server, tenant);
    await db.query('delete from report_figures where tenant_id = $1', [tenant.id]);
    await db.query(
      `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
       select gen_random_uuid(), id, 'epoch', '2026-11-30T00:00:00Z', false, ('x' || right(id::text, 2))::bit(8)::int % 64,
              '-infinity', now() from tenants where id = $1`,
      [tenant.id],
    );
    await server.settle();
    expect(await storedFigures(server, tenant)).toEqual(before);
  });
});

it('an hour is due after its end, and a late change of it within minutes, together with others', () => {
  const hour = new Date('2026-11-02T08:00:00Z');
  const due = (now: string): string => dueTimeOf(hour, new Date(now)).toISOString();
  expect(due('2026-11-02T08:00:00Z')).toBe('2026-11-02T09:00:30.000Z');
  expect(due('2026-11-02T08:59:59Z')).toBe('2026-11-02T09:00:30.000Z');
  expect(due('2026-11-02T09:00:00Z')).toBe('2026-11-02T09:05:30.000Z');
  expect(due('2026-11-04T10:04:59Z')).toBe('2026-11-04T10:05:30.000Z');
});

it('a message that fails is counted for the operator by its kind and reason', async () => {
  const channel = await tenant.channel('sms');
  const chat = await openChat(server, tenant, channel);
  const count = async (): Promise<number> => {
    const { text } = await server.call('GET', '/metrics');
    return Number(/parley_messages_failed_total\{kind="sms",reason="\w+"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const before = await count();
  await tenant.post('/v3/messages', { channelId: channel.id, to: '+15550000001', text: 'Hello' });
  await server.settle();
  expect(await count()).toBe(before + 1);
  await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Hello' });
  await server.settle();
  expect(await count()).toBe(before + 1);
  expect(await volumes()).toMatchObject({ sent: 1, failed: 1 });
});
