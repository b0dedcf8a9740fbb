import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { dataOf, refusalOf } from './client.ts';
import { v2Operations } from './operations.ts';
import { connect, isRemote, type ServerUnderTest, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();

/** Every operation of version 2 is gone, with and without a token. */
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

// The operator of another server may have set another date.
describe.skipIf(isRemote)('Versioning / 4: version 2 by default', () => {
  it('ended on 1 November 2026', async () => {
    const { ADMIN_TOKEN, startParley } = await import('./setup.ts');
    const { url, stop } = await startParley(inject('postgres') ?? process.env.TEST_DATABASE_URL, 'v2_sunset');
    onTestFinished(stop);
    const today = await connect(url, ADMIN_TOKEN);
    expect(today.servesV2).toBe(false);
    const caller = await today.tenant();
    await expectEnded(today, caller.token);
    const { headers } = await caller.get('/v2/attributes');
    expect(headers.get('sunset')).toBe('Mon, 02 Nov 2026 00:00:00 GMT');
    await caller.post('/v2/attributes', { name: 'Late', externalId: 'late' });
    expect(dataOf(await caller.post('/v3/attributes/search', {}))).toEqual([]);
  });
});
