import { describe, expect, it } from 'vitest';
import { expectShortGaps } from '../kit/heartbeat.ts';
import { endOfImport, importFile, startImport } from '../kit/imports.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer({ maxFileBytes: 32 * 1024 * 1024 });
/** As for other hostile texts: several turns of 10 ms, and what other parts of the server do in between. */
const MAX_GAP_MS = 250;
const ROWS = 10_000;

describe('a large file', () => {
  it('is imported in batches that let other work go first', () =>
    expectShortGaps(MAX_GAP_MS, async () => {
      const tenant = await server.tenant();
      const rows = Array.from(
        { length: ROWS },
        (_, index) => `N${index},${index % 7 === 0 ? '+' : ''}1 (555) 1${String(index).padStart(6, '0')}`,
      );
      const done = await importFile(server, tenant, `name,phone\n${rows.join('\n')}\n`, {
        defaultCountry: 'US',
        publishEvents: false,
      });
      expect(done).toMatchObject({ status: 'completed', total: ROWS, created: ROWS, failed: 0 });
    }));

  it('of rows that are all wrong lists the first hundred, and has all of them as a file', () =>
    expectShortGaps(MAX_GAP_MS, async () => {
      const tenant = await server.tenant();
      const done = await importFile(server, tenant, `name,phone\n${`x,${'9'.repeat(50)}\n`.repeat(ROWS)}`);
      expect(done).toMatchObject({ status: 'completed', total: ROWS, created: 0, failed: ROWS });
      expect(done.issues).toHaveLength(100);
      const { text } = await tenant.get(`/v3/imports/${done.id}/errors.csv`);
      expect(text.split('\r\n')).toHaveLength(ROWS + 2);
    }));

  it.each([
    ['quotes', `a,b\n${'"",'.repeat(700_000)}\n`],
    ['a quote that is never closed', `a,b\n"${'x\n'.repeat(1_000_000)}`],
    ['commas', `a,b\n${','.repeat(2_000_000)}\n`],
    ['line breaks', `phone\n${'\n'.repeat(1_000_000)}`],
    ['rows of a megabyte', `phone\n${`${'x'.repeat(1_000_000)}\n`.repeat(4)}`],
  ])('of megabytes of %s does not stop the server', (_name, content) =>
    expectShortGaps(MAX_GAP_MS, async () => {
      const tenant = await server.tenant();
      const mapping = content.startsWith('a,b') ? { a: 'email' } : { phone: 'phoneNumber' };
      const started = await startImport(tenant, content, { mapping });
      expect(started.status).toBe(200);
      const data = await endOfImport(server, tenant, started);
      expect(['completed', 'failed']).toContain(data.status);
      expect(data.created).toBe(0);
    }));
});

describe('two imports of the same file', () => {
  it('of one tenant take turns, and create every contact once', async () => {
    const tenant = await server.tenant();
    const rows = Array.from({ length: 3_000 }, (_, index) => `N${index},+1556${String(1_000_000 + index)}`);
    const content = `name,phone\n${rows.join('\n')}\n`;
    const started = [
      await startImport(tenant, content, { onExisting: 'update' }),
      await startImport(tenant, content, { onExisting: 'update' }),
    ];
    const ended = [];
    for (const one of started) ended.push(await endOfImport(server, tenant, one));
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(ended.reduce((sum, { created }) => sum + created, 0)).toBe(3_000);
    expect(ended.reduce((sum, { updated }) => sum + updated, 0)).toBe(3_000);
    const { rows: counted } = await server.system.db.query(
      'select count(*)::int as count from contacts where tenant_id = $1',
      [tenant.id],
    );
    expect(counted[0]?.count).toBe(3_000);
  });
});

describe('a contact that is created while it is imported', () => {
  it('is found when its transaction is repeated, and every row is imported once', async () => {
    const tenant = await server.tenant();
    const label = (await tenant.post('/v3/labels', { name: 'Fair' })).body.data.id;
    const client = await usePgClient(server.databaseUrl);
    const { rows } = await client.query('select uuidv7() as id, pg_backend_pid() as pid');
    const { id, pid } = rows[0];
    await client.query('begin');
    await client.query(
      `insert into contacts (id, tenant_id, is_subscribed, metadata, created_at, updated_at)
       values ($1, $2, true, '{}', now(), now())`,
      [id, tenant.id],
    );
    await client.query(
      `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
       values (uuidv7(), $2, $1, 'phone_number', '+15550001112', true, '{}', now(), now())`,
      [id, tenant.id],
    );
    const content = 'name,phone,subscribed\nAda,+15550001111,no\nGrace,+15550001112,yes\n';
    const started = await startImport(tenant, content, { labelIds: [label], onExisting: 'update' });
    const ended = endOfImport(server, tenant, started);
    const observer = await usePgClient(server.databaseUrl);
    await until(
      async () =>
        (await observer.query('select 1 from pg_locks where $1 = any (pg_blocking_pids(pid))', [pid])).rows
          .length > 0,
    );
    await client.query('commit');
    expect(await ended).toMatchObject({ status: 'completed', created: 1, updated: 1, failed: 0 });
    const { body } = await tenant.post('/v3/contacts/search', { sortBy: 'asc(firstName)' });
    expect(body.data).toMatchObject([
      { firstName: 'Ada', isSubscribed: false },
      { id, firstName: 'Grace', isSubscribed: true },
    ]);
    const { data: events } = (await tenant.post('/v3/events/search', { pagination: { limit: 100 } })).body;
    const types: string[] = events.map(({ type }: { type: string }) => type);
    expect(types.filter((type) => type.startsWith('contact.')).toSorted()).toEqual([
      'contact.created',
      'contact.labels_added',
      'contact.updated',
    ]);
  });
});
