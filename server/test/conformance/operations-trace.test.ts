import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, eventually } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();

interface Node {
  id: string;
  type: string;
  at: string;
  summary: string;
  causedBy: string | null;
}

describe('Operations / trace / GET /trace/{id}', () => {
  let tenant: Tenant;
  let nodes: Node[];
  let message: { id: string; vendorId: string };
  beforeAll(async () => {
    tenant = await server.tenant();
    await make.webhook(tenant, { events: [{ type: 'message.received' }] });
    await make.automation(tenant, {
      trigger: { type: 'message_received', parameters: {} },
      steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Hi' } }],
    });
    await make.chat(tenant);
    message = await eventually('message', async () => {
      const found = await tenant.post('/v3/messages/search', { query: 'eq(sender,"inbound")' });
      return dataOf(found)[0];
    });
    nodes = await eventually('trace', async () => {
      const all: Node[] = dataOf(await tenant.get(`/v3/trace/${message.id}`)).nodes;
      return ['message', 'event', 'run', 'delivery'].every((type) => all.some((one) => one.type === type))
        ? all
        : undefined;
    });
  });

  it.each(['message', 'event', 'run', 'delivery'])('of a %s leads to the first cause', async (type) => {
    const { id } = nodes.find((one) => one.type === type) as Node;
    const trace: { root: string; nodes: Node[] } = dataOf(await tenant.get(`/v3/trace/${id}`));
    const ids = trace.nodes.map((node) => node.id);
    expect(trace.root).toBe(message.id);
    expect(ids).toContain(id);
    for (const node of trace.nodes) {
      expect(node).toMatchObject({ type: expect.any(String), summary: expect.any(String) });
      expect(new Date(node.at).toISOString()).toBe(node.at);
      expect(node.id === trace.root ? [null] : ids).toContain(node.causedBy);
    }
  });

  it('of a vendor request leads to the message', async () => {
    const trace = dataOf(await tenant.get(`/v3/trace/${encodeURIComponent(message.vendorId)}`));
    expect(trace.nodes).toContainEqual(
      expect.objectContaining({ id: message.id, type: 'message', causedBy: trace.root }),
    );
  });

  it('needs automations:read, and no other scope', async () => {
    const read = async (scope: string) =>
      tenant.get(`/v3/trace/${message.id}`, { token: await tenant.tokenWith([scope]) });
    expect((await read('automations:read')).status).toBe(200);
    expect((await read('events:read')).status).toBe(403);
  });
});
