import { beforeEach, expect } from 'vitest';
import { automationOf, smallest } from './automations.ts';
import type { Answer, TestServer, TestTenant } from './server.ts';

export const NOW = '2026-11-15T01:02:03.456Z';
export const FROM = '+15550001111';

/** A tenant with a contact and its chat for each test, and what tries out automations for it. */
export function useDryRuns(server: TestServer) {
  const ground = {} as { tenant: TestTenant; channelId: string; contactId: string; chatId: string };
  beforeEach(async () => {
    server.clock.set(new Date(NOW));
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: FROM, text: 'first' });
    await server.settle();
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    Object.assign(ground, { tenant, channelId, contactId: chat.contactId, chatId: chat.id });
  });
  const dataOf = (answer: Answer) => {
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body.data;
  };
  const tryOut = (
    automationId: string,
    body: object = {},
    by: Pick<TestTenant, 'post'> = ground.tenant,
  ): Promise<Answer> =>
    by.post(`/v3/automations/${automationId}/dry_run`, { contactId: ground.contactId, ...body });
  return {
    ground,
    tryOut,
    dryRun: async (automationId: string, body: object = {}) => dataOf(await tryOut(automationId, body)),
    post: async (path: string, body: object = {}) => dataOf(await ground.tenant.post(path, body)),
    saved: (steps: object[], more: object = {}) =>
      automationOf(ground.tenant, { ...smallest, steps, ...more }, { published: false }),
  };
}

export const onMessage = { trigger: { type: 'message_received' } };
export const say = (id: string, text: string, more: object = {}) => ({
  id,
  type: 'send_message',
  parameters: { text, ...more },
});
