import { describe, expect, it, onTestFinished } from 'vitest';
import { dataOf, refusalOf } from './client.ts';
import { v2Operations } from './operations.ts';
import { connect, isRemote, type ServerUnderTest, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();

/** Version 2 is gone: for every operation, with and without a token. */
const expectEnded = async ({ call }: Pick<ServerUnderTest, 'call'>, token: string): Promise<void> => {
  for (const { method, path, name } of v2Operations)
    for (const credentials of [{ token }, {}]) {
      const answer = await call(method, path, credentials);
      expect([name, ...refusalOf(answer)]).toEqual([name, 410, 'api_version_sunset']);
      expect(answer.body.error.message).toContain('/v3');
      expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(answer.headers.get('sunset')).toMatch(/ GMT$/);
      expect(answer.headers.get('link')).toMatch(/rel="successor-version"/);
    }
};

describe.skipIf(server.servesV2)('Versioning / 4: version 2 after its end', () => {
  it('is unavailable on this server', async () => expectEnded(server, (await server.tenant()).token));
});

// A server that runs elsewhere has a clock of its own, which nobody can set.
describe.skipIf(isRemote)('Versioning / 4: the day on which version 2 ends', () => {
  it('is 1 November 2026, in UTC: until it is over everything works, and nothing afterwards', async () => {
    const { OPERATOR_TOKEN, startServer } = await import('../kit/server.ts');
    const { listen } = await import('../kit/wire.ts');
    const dated = await startServer({ v2Sunset: '2026-11-01' });
    onTestFinished(() => dated.stop());
    dated.clock.set(new Date('2026-11-01T23:59:59.999Z'));
    const url = `http://127.0.0.1:${await listen(dated.system.app.server)}`;
    const before = await connect(url, OPERATOR_TOKEN);
    expect(before.servesV2).toBe(true);
    const caller = await before.tenant();
    const { headers } = await caller.get('/v2/api_webhooks');
    expect(headers.get('sunset')).toBe('Mon, 02 Nov 2026 00:00:00 GMT');
    dataOf(await caller.post('/v2/attributes', { name: 'Last', externalId: 'last' }));

    dated.clock.set(new Date('2026-11-02T00:00:00.000Z'));
    expect((await connect(url, OPERATOR_TOKEN)).servesV2).toBe(false);
    await expectEnded(before, caller.token);
    expect(dataOf(await caller.post('/v3/attributes/search', {}))).toHaveLength(1);
  });
});
