import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { type TestServer, useServer } from '../kit/server.ts';
import { write } from '../kit/webhooks.ts';

/** Locks a table against reading, so that a search of it takes as long as the lock is held. */
async function lockTable(server: TestServer, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return () => client.end();
}

describe('searches', () => {
  it('I4 X4: of one tenant leave connections to others, for searches and for everything else', async () => {
    const server = await useServer();
    const busy = await server.tenant();
    const other = await server.tenant();
    const channel = await busy.channel();
    await write(busy, channel, 'hello');
    await server.settle();
    const chatId = (await busy.post('/v3/chats/search', {})).body.data[0].id;
    const unlock = await lockTable(server, 'message_templates');
    let ended = 0;
    const slow = Array.from({ length: 30 }, () =>
      busy.post('/v3/message_templates/search', {}).finally(() => {
        ended += 1;
      }),
    );
    // All of this is answered while the 30 searches wait.
    for (const tenant of [other, await server.tenant(), busy]) {
      expect((await tenant.post('/v3/contacts', { firstName: 'Ada' })).status).toBe(200);
      expect((await tenant.get('/v3/me')).status).toBe(200);
    }
    for (const tenant of [other, await server.tenant()])
      expect((await tenant.post('/v3/contacts/search', { search: 'ada' })).status).toBe(200);
    // The pages of a chat are no searches.
    expect((await busy.post(`/v3/chats/${chatId}/messages/search`, {})).status).toBe(200);
    expect(ended).toBe(0);
    await unlock();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(slow.map(() => 200));
  });

  it('I4: of one tenant run two at a time, or a quarter of all', async () => {
    for (const [connections, perTenant] of [
      [4, 2],
      [12, 3],
    ] as const) {
      const server = await useServer({ searches: { connections, timeoutMs: 10_000 } });
      const tenant = await server.tenant();
      const unlock = await lockTable(server, 'labels');
      const slow = Array.from({ length: 8 }, () => tenant.post('/v3/labels/search', {}));
      const waiting = async (): Promise<number> =>
        Number(
          (
            await server.system.db.query(
              `select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`,
              [],
            )
          ).rows[0]?.count,
        );
      await expect.poll(waiting).toBe(perTenant);
      expect((await tenant.get('/v3/me')).status).toBe(200);
      expect(await waiting()).toBe(perTenant);
      await unlock();
      for (const answer of await Promise.all(slow)) expect(answer.status).toBe(200);
    }
  });

  it('I4: that take too long are 503 search_too_slow with advice, and so are those that wait for them', async () => {
    const server = await useServer({ searches: { connections: 2, timeoutMs: 300 } });
    const tenant = await server.tenant();
    const unlock = await lockTable(server, 'labels');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => tenant.post('/v3/labels/search', { query: 'contains(name,"a")' })),
    );
    for (const answer of answers) {
      expect([answer.status, answer.body.error.messageKey]).toEqual([503, 'search_too_slow']);
      expect(answer.body.error.message).toMatch(/fewer or more selective conditions|wait for earlier ones/);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(answers.some(({ text }) => text.includes('selective'))).toBe(true);
    await unlock();
    expect((await tenant.post('/v3/labels/search', {})).status).toBe(200);
  });

  it('I4 X4: have at most 20 conditions on texts', async () => {
    const server = await useServer();
    const tenant = await server.tenant();
    const filter = (count: number): string =>
      `or(${Array.from({ length: count }, (_, n) => `${n % 2 ? 'contains' : 'startsWith'}(firstName,"a${n}")`).join()})`;
    expect((await tenant.post('/v3/contacts/search', { query: filter(20) })).status).toBe(200);
    for (const query of [filter(21), `not(and(${filter(11)},${filter(11)}))`]) {
      const answer = await tenant.post('/v3/contacts/search', { query });
      expect([answer.status, answer.body.error.invalidParams.query.message]).toEqual([
        400,
        expect.stringContaining('More than 20 conditions with contains, startsWith, hasWord'),
      ]);
    }
    // Labels are compared by their ids.
    const label = '019a82a0-0000-7000-8000-00000000ffff';
    const labels = `or(${Array.from({ length: 30 }, () => `contains(labelIds,"${label}")`).join()})`;
    expect((await tenant.post('/v3/contacts/search', { query: labels })).status).toBe(200);
  });
});
