import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { print } from './checker.ts';
import { useApiClient } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';

const DAYS = 200;
const KILL_AT = [20, 80];
const TIMEOUT_MS = 600_000;
const DAY_MS = 24 * 3600_000;

const pool = useProcessPool();
const call = useApiClient(4);

describe('the clock of a test tenant, and kill −9 of the server on the way', () => {
  it('reaches its target, and everything has happened once, in order and on time', async () => {
    const dataDir = await pool.makeDataDir();
    let server: ServerProcess = await pool.startServer({ dataDir });
    const make = async (path: string, token: string, body: unknown) => {
      const answer = await call(server.url, path, { token, body });
      expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
      return answer.body.data;
    };
    const options = { name: 'clock', rateLimit: 1_000_000_000, isTest: true };
    const tenant = await make('/admin/tenants', OPERATOR_TOKEN, options);
    const { token } = await make(`/admin/tenants/${tenant.id}/tokens`, OPERATOR_TOKEN, {});
    const channel = { kind: 'sms', provider: 'sandbox', name: 'Clock', address: '+15550009999' };
    const { id: channelId } = await make('/v3/channels', token, channel);
    await make('/v3/contacts', token, { firstName: 'Ada', phoneNumber: '+12025550101' });
    const { id: automationId } = await make('/v3/automations', token, {
      name: 'Clock',
      trigger: { type: 'schedule', parameters: { rrule: 'FREQ=DAILY', audience: 'eq(firstName,"Ada")' } },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello', channelId } }],
    });
    await make(`/v3/automations/${automationId}/publish`, token, {});
    const { now } = await make('/v3/clock/advance', token, { by: 'PT0S' });
    const target = new Date(Date.parse(now) + DAYS * DAY_MS).toISOString();

    const sent = async (): Promise<string[]> =>
      (await call(server.url, `/v3/sandbox/${channelId}/outbox?limit=10000`, { token })).body.data.map(
        ({ at }: { at: string }) => at,
      );
    const killedAt: number[] = [];
    const deadline = performance.now() + TIMEOUT_MS;
    // It gets no answer: its server is killed before.
    call(server.url, '/v3/clock/advance', { token, body: { to: target } }).catch(() => {});
    for (const count of KILL_AT) {
      while ((await sent()).length < count && performance.now() < deadline) await delay(20);
      killedAt.push((await sent()).length);
      await server.kill();
      server = await pool.startServer({ dataDir });
    }
    const arrived = await call(server.url, '/v3/clock/advance', {
      token,
      body: { to: target },
      timeoutMs: TIMEOUT_MS,
    });
    expect([arrived.status, arrived.body.data]).toEqual([200, { now: target }]);

    const times = await sent();
    const minute = Math.floor(Date.parse(now) / 60_000) * 60_000;
    const expected = Array.from({ length: DAYS }, (_, day) => new Date(minute + (day + 1) * DAY_MS));
    const problems = [
      ...(times.join() === expected.map((at) => at.toISOString()).join()
        ? []
        : [`sent at ${times.join(', ')}`]),
      ...killedAt.filter((count) => count >= DAYS).map(() => 'it was killed when it was over'),
    ];
    const text = `Test clock: ${DAYS} days, killed at ${killedAt.join(' and ')}, ${times.length} messages`;
    print({ problems, text });
    expect(problems).toEqual([]);
  });
});
