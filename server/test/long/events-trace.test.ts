import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { groundFor } from '../kit/campaigns.ts';
import { storeInbound } from '../kit/inbound.ts';
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
  causedBy: string | null;
  depth: number;
  summary: string;
  status: string | null;
}
const trace = (id: string, by: Pick<TestTenant, 'get'> = tenant): Promise<Answer> =>
  by.get(`/v3/trace/${id}`);
const nodesOf = async (id: string): Promise<Node[]> => (await trace(id)).body.data.nodes;
/** The tree as an indented text. */
const draw = (nodes: Node[]): string[] =>
  nodes.map(
    ({ depth, type, summary, status }) =>
      `${'  '.repeat(depth)}${type} ${summary}${status ? ` (${status})` : ''}`,
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
  await automationOf(tenant, { name: 'Open', trigger: { type: 'chat_opened' } });
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
      'message inbound text: hello (delivered)',
      '  event contact.created',
      '  event chat.created',
      '    run Open (completed)',
      '      event automation.run_started',
      '      event automation.run_completed',
      '  event message.received',
      `    delivery ${receiver.url} (delivered)`,
      '    run Answer (completed)',
      '      event contact.labels_added',
      '        run Second (completed)',
      '          event automation.run_started',
      '          event automation.run_completed',
      '      event automation.run_started',
      '      event automation.run_completed',
      expect.stringMatching(/^ {6}message outbound text: Hi /),
      '        event message.sent',
    ]);
    const ids = new Set(nodes.map(({ id }) => id));
    expect(nodes.filter(({ causedBy }) => causedBy === null)).toMatchObject([{ id: messageId }]);
    expect(nodes.every(({ causedBy }) => causedBy === null || ids.has(causedBy))).toBe(true);
  });

  it('says of each thing where it can be looked at', async () => {
    const { messageId } = await converse();
    const { chatId, contactId } = (await tenant.get(`/v3/messages/${messageId}`)).body.data;
    const nodes = (await trace(messageId)).body.data.nodes as (Node & Record<string, unknown>)[];
    const find = (type: string, summary: string) =>
      nodes.find((node) => node.type === type && node.summary === summary);
    const [webhook] = (await tenant.post('/v3/api_webhooks/search', {})).body.data;
    const run = (await tenant.get(`/v3/automation_runs/${find('run', 'Answer')?.id}`)).body.data;
    const nowhere = {
      text: null,
      contactId: null,
      chatId: null,
      automationId: null,
      campaignId: null,
      webhookId: null,
    };
    expect(find('message', 'inbound text: hello')).toMatchObject({
      ...nowhere,
      sender: 'inbound',
      text: 'hello',
      contactId,
      chatId,
    });
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
    expect(data.root).toBe(messageId);
    expect(data.isComplete).toBe(true);
    expect(draw(data.nodes).slice(0, 5)).toEqual([
      'message inbound text: hello (delivered)',
      '  event message.received',
      '    run Answer (completed)',
      '      event contact.labels_added',
      '        run Second (completed)',
    ]);
    expect(data.nodes[0].id).toBe(messageId);
    expect(data.nodes[4]).toMatchObject({ id: last, causedBy: data.nodes[3].id });
  });

  it('leads from a reply to the run that waited for it, and to what the run did then', async () => {
    await automationOf(tenant, {
      name: 'Ask',
      trigger: { type: 'chat_opened' },
      steps: [
        { id: 'ask', type: 'send_message', parameters: { text: 'Which size?' } },
        { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        { id: 'thanks', type: 'send_message', parameters: { text: 'Thank you' } },
      ],
    });
    const write = async (text: string): Promise<string> => {
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text });
      await server.settle();
      return (await tenant.post('/v3/messages/search', { query: `eq(text,"${text}")` })).body.data[0].id;
    };
    await write('hello');
    const { data } = (await trace(await write('large'))).body;
    expect(draw(data.nodes).slice(0, 4)).toEqual([
      'message inbound text: large (delivered)',
      '  event message.received',
      '    run Ask (completed)',
      '      event automation.run_completed',
    ]);
    expect(data.nodes[2]).toMatchObject({ hasContinued: true });
    expect(draw(data.nodes).filter((line) => line.includes('outbound'))).toEqual([
      expect.stringContaining('outbound text: Thank you'),
    ]);
  });

  it('of a run of a campaign names the campaign', async () => {
    const { automationId, channelId } = await groundFor(tenant);
    const contacts = [{ phoneNumber: '+15550001111' }];
    const made = await tenant.post('/v3/campaigns', { name: 'News', channelId, automationId, contacts });
    expect([made.status, made.body.error]).toEqual([200, undefined]);
    await server.settle();
    const [run] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    expect((await trace(run.id)).body.data).toMatchObject({
      root: run.id,
      nodes: expect.arrayContaining([
        expect.objectContaining({ id: run.id, type: 'run', causedBy: null, campaignId: made.body.data.id }),
      ]),
    });
  });

  it('leads from a delivery to its causes', async () => {
    const { messageId } = await converse();
    const delivery = (await nodesOf(messageId)).find(({ type }) => type === 'delivery');
    const { data } = (await trace(delivery?.id as string)).body;
    expect(data.root).toBe(messageId);
    expect(draw(data.nodes)).toEqual([
      'message inbound text: hello (delivered)',
      '  event message.received',
      `    delivery ${receiver.url} (delivered)`,
    ]);
  });

  it('begins with the request of a vendor if that was asked for, and shows the one to a vendor', async () => {
    const { messageId } = await converse();
    const { vendorId } = (await tenant.get(`/v3/messages/${messageId}`)).body.data;
    const { data } = (await trace(encodeURIComponent(vendorId))).body;
    expect(data.root).toBe(vendorId);
    expect(data.nodes.slice(0, 2)).toMatchObject([
      { id: vendorId, type: 'vendor_request', summary: 'sandbox', causedBy: null },
      { id: messageId, type: 'message', causedBy: vendorId },
    ]);
    expect(draw(data.nodes)).toContain('      run Answer (completed)');
    const [sent] = (await tenant.post('/v3/messages/search', { query: 'eq(text,"Hi")' })).body.data;
    const of = (await trace(encodeURIComponent(sent.vendorId))).body.data;
    expect(of.root).toBe(messageId);
    expect(of.nodes.find(({ id }: Node) => id === sent.vendorId)).toMatchObject({
      type: 'vendor_request',
      causedBy: sent.id,
    });
    expect((await trace(encodeURIComponent(vendorId), await server.tenant())).status).toBe(404);
  });

  it('shows a request of a vendor that could not be processed', async () => {
    const db = server.system.db.forTenant(tenant.id);
    const [id = ''] = await storeInbound(db, channel.id, [Buffer.from('no JSON')]);
    expect((await trace(id)).body.data).toMatchObject({
      root: id,
      nodes: [{ id, type: 'vendor_request', summary: 'sandbox', causedBy: null, status: 'queued' }],
    });
  });

  it('shows texts and webhooks only to tokens that may read them', async () => {
    const { messageId } = await converse();
    const read = async (...scopes: string[]) =>
      (await tenant.get(`/v3/trace/${messageId}`, { token: await tenant.tokenWith(scopes) })).body;
    expect((await read('events:read')).error.messageKey).toBe('forbidden');
    const { nodes } = (await read('automations:read')).data;
    expect(nodes[0]).toMatchObject({ id: messageId, summary: 'inbound text', text: null, vendorId: null });
    expect(nodes.filter(({ type }: Node) => type === 'delivery')).toEqual([]);
    expect(JSON.stringify(nodes)).not.toContain('hello');
    const all = (await read('automations:read', 'messages:read', 'webhooks:read')).data.nodes;
    expect(all[0]).toMatchObject({ text: 'hello' });
    expect(all.filter(({ type }: Node) => type === 'delivery')).toHaveLength(1);
  });

  it('shows an agent nothing of other channels', async () => {
    const own = await tenant.channel();
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const { messageId, runs } = await converse();
    expect((await trace(messageId, agent)).body.error.messageKey).toBe('event_not_found');
    expect((await trace(runs[0]?.id as string, agent)).body.error.messageKey).toBe('event_not_found');
    const delivery = (await nodesOf(messageId)).find(({ type }) => type === 'delivery');
    expect((await trace(delivery?.id as string, agent)).body.error.messageKey).toBe('event_not_found');
    await tenant.post(`/v3/sandbox/${own.id}/inbound`, { from: '+15550002222', text: 'hello' });
    await server.settle();
    const [seen] = (await agent.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data;
    const { text } = await trace(seen.id, agent);
    expect(text).toContain(seen.id);
    expect(text).not.toContain('"delivery"');
    // A mail that came in over both channels has one id of its vendor.
    await server.system.db.query('update vendor_messages set vendor_id = $2 where message_id = any ($1)', [
      [messageId, seen.id],
      'the-same-mail',
    ]);
    const { data } = (await trace('the-same-mail', agent)).body;
    expect(data.nodes.map(({ id }: Node) => id)).toContain(seen.id);
    expect(JSON.stringify(data)).not.toContain(messageId);
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
