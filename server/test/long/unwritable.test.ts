import { describe, expect, it } from 'vitest';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';

const UNAVAILABLE = { error: { messageKey: 'service_unavailable' } };

describe('a database that answers but stores nothing', () => {
  it('I14, X25: because its disk is full: writes are 503, reads work, nothing is set aside, and /readyz says so', async () => {
    const server = await useServer();
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const admin = await usePgClient(server.databaseUrl);
    const inbound = (text: string) =>
      tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text });
    await inbound('before');
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    // What PostgreSQL says where a file cannot grow. The small table of /readyz can still be written.
    await admin.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    await admin.query('create trigger refuse before insert on messages execute function refuse()');
    await admin.query('create trigger refuse before insert on inbound execute function refuse()');

    const refused = await inbound('during');
    expect(refused).toMatchObject({ status: 503, body: UNAVAILABLE });
    expect(refused.headers['retry-after']).toBeDefined();
    expect(refused.text).not.toContain('No space left');
    expect((await tenant.get('/v3/me')).status).toBe(200);
    expect(await server.call('GET', '/readyz')).toMatchObject({ status: 503, body: UNAVAILABLE });

    // What was accepted before is not used up by attempts that could not be stored.
    for (let rounds = 0; rounds < 7; rounds += 1) {
      server.clock.advance(60_000);
      await Promise.race([server.settle(), new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    await admin.query('drop trigger refuse on messages');
    await admin.query('drop trigger refuse on inbound');
    await expect
      .poll(async () => {
        server.clock.advance(60_000);
        await server.settle();
        return (await tenant.post('/v3/messages/search', {})).body.data.map(
          ({ text }: { text: string }) => text,
        );
      })
      .toEqual(['before']);
    expect((await tenant.post(`/v3/channels/${channel.id}/failed_requests/search`, {})).body.data).toEqual(
      [],
    );
  });

  it('I14, X25: because it is read-only: writes are 503, and /readyz notices without any of them', async () => {
    const server = await useServer();
    const tenant = await server.tenant();
    const admin = await usePgClient(server.databaseUrl);
    const name = new URL(server.databaseUrl).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    );
    await expect.poll(async () => (await server.call('GET', '/readyz')).status).toBe(503);
    const refused = await tenant.post('/v3/labels', { name: 'VIP' });
    expect(refused).toMatchObject({ status: 503, body: UNAVAILABLE });
    expect(refused.headers['retry-after']).toBeDefined();
    await admin.query('set default_transaction_read_only = off');
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    await expect
      .poll(async () => (await tenant.post('/v3/labels', { name: `VIP ${Math.random()}` })).status)
      .toBe(200);
  });
});
