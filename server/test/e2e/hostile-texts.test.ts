import { describe, expect, it } from 'vitest';
import { startProgram } from '../kit/program.ts';
import { until } from '../kit/until.ts';

const ADMIN_TOKEN = 'operator-token-for-tests-0123456789abcdef';
const FOREVER = '{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}';

describe('the built program', () => {
  it('I1: renders texts in threads of its own, answers while one is hostile, and stops cleanly meanwhile', async () => {
    const program = await startProgram({ PARLEY_ADMIN_TOKEN: ADMIN_TOKEN, PARLEY_DEMO: 'false' });
    try {
      const call = async (method: string, path: string, token: string, body?: object) => {
        const response = await fetch(`${program.url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body ? { 'content-type': 'application/json' } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        expect(response.status).toBe(200);
        return ((await response.json()) as { data: never }).data;
      };
      const tenant = async () => {
        const { id } = (await call('POST', '/admin/tenants', ADMIN_TOKEN, {
          name: 'test',
          plan: 'scale',
        })) as { id: string };
        const { token } = (await call('POST', `/admin/tenants/${id}/tokens`, ADMIN_TOKEN, {
          name: 'test',
          scopes: ['*'],
        })) as { token: string };
        const channel = (await call('POST', '/v3/channels', token, {
          kind: 'whatsapp',
          provider: 'sandbox',
          name: 'Shop',
          address: '+15550009999',
          config: {},
        })) as { id: string };
        const answer = async (text: string): Promise<void> => {
          const { id: automationId } = (await call('POST', '/v3/automations', token, {
            name: 'Answer',
            trigger: { type: 'message_received' },
            steps: [{ id: 'a', type: 'send_message', parameters: { text } }],
          })) as { id: string };
          await call('POST', `/v3/automations/${automationId}/publish`, token);
        };
        const write = () =>
          call('POST', `/v3/sandbox/${channel.id}/inbound`, token, { from: '+15550001111', text: 'hello' });
        const outbox = async () =>
          (await call('GET', `/v3/sandbox/${channel.id}/outbox`, token)) as { text: string }[];
        return { answer, write, outbox };
      };
      const hostile = await tenant();
      const other = await tenant();
      await hostile.answer(FOREVER);
      await other.answer('{% for a in (1..3) %}{{ a }}{% endfor %}');
      await hostile.write();
      await other.write();
      await until(async () => (await other.outbox()).some(({ text }) => text === '123'));
      await hostile.write();
    } finally {
      // While the second text of the hostile tenant is rendered.
      expect(await program.stop()).toBe(0);
    }
  });
});
