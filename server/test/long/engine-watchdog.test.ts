import { expect, it, vi } from 'vitest';
import { storeInbound } from '../kit/inbound.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { pigeon, pigeonChannel } from '../kit/vendor.ts';

/** A vendor whose requests take long to parse. */
const adapter = {
  ...pigeon,
  parseInbound() {
    for (const since = performance.now(); performance.now() < since + 400; );
    return [];
  },
};

it('a blocked event loop is logged with what ran, and shown by /metrics', async () => {
  const server = await useServer({ timers: true, adapters: new Map([['pigeon', adapter]]) });
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant);
  await storeInbound(server.system.db.forTenant(tenant.id), channel.id, [Buffer.from('x')]);
  const isLogged = (): boolean =>
    server.logged
      .filter((line) => line.includes('event loop was blocked'))
      .some((line) => 'queue inbound' in JSON.parse(line).running);
  await until(isLogged);
  const { text } = await server.call('GET', '/metrics');
  const delays = [...text.matchAll(/^parley_event_loop_delay_seconds\{quantile="([\d.]+)"\} (\S+)$/gm)];
  expect(delays.map(([, quantile]) => quantile)).toEqual(['0.5', '0.99', '1']);
  expect(Number(delays[2]?.[2])).toBeGreaterThan(0.2);
});

it('/readyz fails while no heartbeat can be stored', async () => {
  const server = await useServer({ timers: true });
  expect((await server.call('GET', '/readyz')).status).toBe(200);
  const later = performance.now() + 60_000;
  const time = vi.spyOn(performance, 'now').mockImplementation(() => later);
  const { status, body } = await server.call('GET', '/readyz');
  time.mockRestore();
  expect([status, body.error.messageKey]).toEqual([503, 'service_unavailable']);
  expect(body.error.message).toContain('nothing could be written');
});
