import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase, MIGRATIONS } from '../kit/postgres.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-before-campaigns-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('campaigns that were made before campaigns were run', () => {
  it('are cancelled where their time has passed, and stay planned where it has not', async () => {
    const connectionString = await createDatabase(
      inject('postgres'),
      `${inject('template')}_before_${process.pid}`,
    );
    for (const name of (await readdir(MIGRATIONS)).filter((file) => file < '0017'))
      await cp(join(MIGRATIONS, name), join(folder, name));
    await migrate({ connectionString }, folder);
    const client = new pg.Client({ connectionString });
    await client.connect();
    const [tenant, channel] = [newId(), newId()];
    await client.query(
      `insert into tenants (id, name, plan, created_at, updated_at) values ($1, 'x', 'scale', now(), now())`,
      [tenant],
    );
    await client.query(
      `insert into channels (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
       values ($1, $2, 'whatsapp', 'sandbox', 'x', 'x', '', 'healthy', now(), now())`,
      [channel, tenant],
    );
    const make = (name: string, status: string, due: string | null, scheduled: string | null) =>
      client.query(
        `insert into campaigns (id, tenant_id, channel_id, automation_id, name, status, scheduled_at, is_reoccurring,
                                slot, due_at, created_at, updated_at)
         values ($1, $2, $3, $1, $4, $5, now() + $7::interval, false, 0, now() + $6::interval, now(), now())`,
        [newId(), tenant, channel, name, status, due, scheduled],
      );
    await make('1 running', 'running', '-1 minute', null);
    await make('2 late', 'scheduled', '-1 day', '-1 day');
    await make('3 to come', 'scheduled', '1 day', '1 day');
    await make('4 draft', 'draft', null, null);
    await migrate({ connectionString }, MIGRATIONS);
    const { rows } = await client.query(
      `select name, status, error ->> 'code' as code, due_at is not null and due_at = next_at as planned from campaigns
        order by name`,
    );
    await client.end();
    expect(rows).toEqual([
      { name: '1 running', status: 'cancelled', code: 'overdue', planned: false },
      { name: '2 late', status: 'cancelled', code: 'overdue', planned: false },
      { name: '3 to come', status: 'scheduled', code: null, planned: true },
      { name: '4 draft', status: 'draft', code: null, planned: false },
    ]);
  });
});
