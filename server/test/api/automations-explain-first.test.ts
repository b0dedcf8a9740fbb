import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const write = async (text: string): Promise<string> => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text });
  await server.settle();
  return (await tenant.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data[0].id;
};
/** What is said about one automation. */
const about = async (automationId: string, body: object) => {
  const answer = await tenant.post('/v3/automations/explain', body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data.find((one: { automationId: string }) => one.automationId === automationId);
};
const lastEvent = async (type: string): Promise<string> =>
  (await tenant.post('/v3/events/search', { query: `eq(type,"${type}")` })).body.data[0].id;

describe('the first message of a contact', () => {
  it('names the automations that its chat and its contact started', async () => {
    const [welcome, greeting] = [
      await automationOf(tenant, { trigger: { type: 'chat_opened' } }),
      await automationOf(tenant, { trigger: { type: 'contact_created' } }),
    ];
    const byProgram = await automationOf(tenant);
    const firstId = await write('Hello');
    const runs = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    const runOf = (id: string) =>
      runs.find((run: { automationId: string }) => run.automationId === id)?.id ?? 'none';
    expect(await about(welcome, { messageId: firstId })).toMatchObject({
      started: true,
      runId: runOf(welcome),
      eventId: await lastEvent('chat.created'),
      reasons: [],
    });
    expect(await about(greeting, { messageId: firstId })).toMatchObject({
      started: true,
      runId: runOf(greeting),
      eventId: await lastEvent('contact.created'),
    });
    expect(await about(byProgram, { messageId: firstId })).toMatchObject({
      started: false,
      reasons: [{ code: 'other_trigger', message: 'The trigger of the automation is for other events' }],
    });
    // The event of the message itself started none of them.
    const eventId = await lastEvent('message.received');
    expect(await about(welcome, { eventId })).toMatchObject({ reasons: [{ code: 'other_trigger' }] });

    const secondId = await write('Are you there?');
    for (const id of [welcome, greeting])
      expect(await about(id, { messageId: secondId })).toMatchObject({
        started: false,
        runId: null,
        reasons: [{ code: 'other_trigger' }],
      });
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
    await server.settle();
    const thirdId = await write('Hello again');
    expect(await about(welcome, { messageId: thirdId })).toMatchObject({
      started: true,
      eventId: await lastEvent('chat.status_changed'),
    });
    // What came later changes nothing for the first.
    expect(await about(welcome, { messageId: firstId })).toMatchObject({ runId: runOf(welcome) });
  });

  it('names the nearest reason why an automation did not start', async () => {
    const other = await tenant.channel();
    const elsewhere = await automationOf(tenant, {
      trigger: { type: 'chat_opened', parameters: { channelId: other.id } },
    });
    const incomplete = await automationOf(tenant, {
      trigger: { type: 'chat_opened' },
      variables: [{ name: 'plan', type: 'string', required: true }],
    });
    const messageId = await write('Hello');
    expect(await about(elsewhere, { messageId })).toMatchObject({ reasons: [{ code: 'other_channel' }] });
    const [run] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    expect(await about(incomplete, { messageId })).toMatchObject({
      started: false,
      runId: run.id,
      reasons: [{ code: 'missing_variables' }],
    });
  });
});
