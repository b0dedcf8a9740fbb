import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { usePerson } from '../kit/people.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer();
const receiver = await useReceiver();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

interface Node {
  type: string;
  id: string;
  causedById: string | null;
  depth: number;
  name: string;
  status: string | null;
}
const trace = (id: string, by: Pick<TestTenant, 'get'> = tenant): Promise<Answer> =>
  by.get(`/v3/trace/${id}`);
const nodesOf = async (id: string): Promise<Node[]> => (await trace(id)).body.data.nodes;
/** The tree as an indented text. */
const draw = (nodes: Node[]): string[] =>
  nodes.map(
    ({ depth, type, name, status }) => `${'  '.repeat(depth)}${type} ${name}${status ? ` ${status}` : ''}`,
  );

/** A contact writes, an automation labels and answers, and the label starts another one. */
async function converse() {
  const label = (await tenant.post('/v3/labels', { name: 'new' })).body.data.id;
  await automationOf(tenant, {
    name: 'Answer',
    trigger: { type: 'message_received' },
    steps: [
      { id: 'label', type: 'add_label', parameters: { labelId: label } },
      { id: 'hi', type: 'send_message', parameters: { text: 'Hi' } },
    ],
  });
  await automationOf(tenant, {
    name: 'Second',
    trigger: { type: 'label_added', parameters: { labelId: label, fromAutomations: true } },
  });
  await subscribe(tenant, receiver.url, [{ type: 'message.received' }]);
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
  const inbound = (await tenant.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data[0];
  const runs = (await tenant.post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' })).body.data;
  return { messageId: inbound.id as string, runs: runs as { id: string }[] };
}

describe('a trace', () => {
  it('leads from a received message to all that followed from it', async () => {
    const { messageId } = await converse();
    const nodes = await nodesOf(messageId);
    expect(draw(nodes)).toEqual([
      'message inbound delivered',
      '  event message.received',
      `    delivery ${receiver.url} delivered`,
      '    run Answer completed',
      '      event contact.labels_added',
      '        run Second completed',
      '          event automation.run_started',
      '          event automation.run_completed',
      '      event automation.run_started',
      '      event automation.run_completed',
      expect.stringMatching(/^ {6}message outbound /),
      '        event message.sent',
    ]);
    const ids = new Set(nodes.map(({ id }) => id));
    expect(nodes.every(({ causedById }) => causedById === null || ids.has(causedById))).toBe(true);
  });

  it('says of each thing where it can be looked at', async () => {
    const { messageId, runs } = await converse();
    const { chatId, contactId } = (await tenant.get(`/v3/messages/${messageId}`)).body.data;
    const nodes = (await trace(messageId)).body.data.nodes as (Node & Record<string, unknown>)[];
    const find = (type: string, name: string) =>
      nodes.find((node) => node.type === type && node.name === name);
    const [webhook] = (await tenant.post('/v3/api_webhooks/search', {})).body.data;
    const run = (await tenant.get(`/v3/automation_runs/${runs[0]?.id}`)).body.data;
    const nowhere = { text: null, contactId: null, chatId: null, automationId: null, webhookId: null };
    expect(find('message', 'inbound')).toMatchObject({ ...nowhere, text: 'hello', contactId, chatId });
    expect(find('event', 'message.received')).toMatchObject({ ...nowhere, contactId, chatId });
    expect(find('run', 'Answer')).toMatchObject({
      ...nowhere,
      contactId,
      chatId,
      automationId: run.automationId,
    });
    expect(find('delivery', receiver.url)).toMatchObject({ ...nowhere, webhookId: webhook.id });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: '+15550001111',
      text: '🦊'.repeat(5_000),
    });
    await server.settle();
    const [long] = (await tenant.post('/v3/messages/search', { query: 'startsWith(text,"🦊")' })).body.data;
    expect((await nodesOf(long.id))[0]).toMatchObject({ text: '🦊'.repeat(200) });
  });

  it('leads from a run back to the message of the contact', async () => {
    const { messageId, runs } = await converse();
    const last = runs.at(-1)?.id as string;
    const { data } = (await trace(last)).body;
    expect(data.id).toBe(last);
    expect(data.isComplete).toBe(true);
    expect(draw(data.nodes).slice(0, 5)).toEqual([
      'message inbound delivered',
      '  event message.received',
      '    run Answer completed',
      '      event contact.labels_added',
      '        run Second completed',
    ]);
    expect(data.nodes[0].id).toBe(messageId);
    expect(data.nodes[4]).toMatchObject({ id: last, causedById: data.nodes[3].id });
  });

  it('shows only what the token may read', async () => {
    const { messageId } = await converse();
    const read = async (...scopes: string[]) =>
      (await tenant.get(`/v3/trace/${messageId}`, { token: await tenant.tokenWith(scopes) })).body;
    expect((await read('events:read')).error.messageKey).toBe('event_not_found');
    const types = (await read('events:read', 'messages:read')).data.nodes.map(({ type }: Node) => type);
    expect(types).toEqual(['message', 'event']);
  });

  it('shows an agent nothing of other channels', async () => {
    const own = await tenant.channel();
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const { messageId, runs } = await converse();
    expect((await trace(messageId, agent)).body.error.messageKey).toBe('event_not_found');
    expect((await trace(runs[0]?.id as string, agent)).body.error.messageKey).toBe('event_not_found');
    await tenant.post(`/v3/sandbox/${own.id}/inbound`, { from: '+15550002222', text: 'hello' });
    await server.settle();
    const [seen] = (await agent.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data;
    const { text } = await trace(seen.id, agent);
    expect(text).toContain(seen.id);
    expect(text).not.toContain('"delivery"');
  });

  it('does not exist for what is unknown, or of another tenant', async () => {
    const { messageId } = await converse();
    const other = await server.tenant();
    for (const [id, by] of [
      [UNKNOWN, tenant],
      ['x', tenant],
      [messageId, other],
    ] as const)
      expect((await trace(id, by)).body.error.messageKey).toBe('event_not_found');
  });

  it('shows what automations did, however many webhooks heard of the message', async () => {
    const { messageId } = await converse();
    const few = draw(await nodesOf(messageId));
    await server.system.db.query(
      `insert into deliveries (id, tenant_id, webhook_id, event_id, event_type, sequence, status, shard, created_at, updated_at)
       select gen_random_uuid(), d.tenant_id, d.webhook_id, d.event_id, d.event_type, d.sequence, 'delivered', d.shard,
              d.created_at, d.updated_at
         from deliveries d, generate_series(1, 500) where d.tenant_id = $1`,
      [tenant.id],
    );
    const { nodes, isComplete } = (await trace(messageId)).body.data;
    expect([nodes.length, isComplete]).toEqual([200, false]);
    const isNoDelivery = (line: string) => !line.includes('delivery');
    expect(draw(nodes).filter(isNoDelivery)).toEqual(few.filter(isNoDelivery));
  });

  it('ends, however much followed', async () => {
    const webhooks = Array.from({ length: 60 }, () =>
      subscribe(tenant, receiver.url, [{ type: 'message.*' }]),
    );
    await Promise.all(webhooks);
    for (let number = 0; number < 4; number += 1)
      await automationOf(tenant, {
        trigger: { type: 'message_received' },
        steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Hi' } }],
      });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
    await server.settle();
    const [inbound] = (await tenant.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data;
    const { data } = (await trace(inbound.id)).body;
    expect([data.nodes.length, data.isComplete]).toEqual([200, false]);
  });
});
