import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { migrate } from '../../src/db/migrate.ts';
import { removalSteps } from '../../src/jobs/removal-steps.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { createDatabase, MIGRATIONS } from '../kit/postgres.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

/** The last migration of the version before. */
const LAST_BEFORE = '0029';
const folder = await useTempFolder();
const tenantId = newId();
const [first, second, third] = [newId(), newId(), newId()];
const itemIds = [newId(), newId()];
const author = { type: 'api', id: newId(), name: 'Sync' };
let client: pg.Client;

/** Inserts a job as the version before has stored it, and returns its id. */
async function storeJob(kind: string, step: number, action: object | null = null): Promise<string> {
  const id = newId();
  await client.query(
    `insert into jobs (id, tenant_id, kind, status, subject_id, step, batch, total, shard, due_at, created_at, updated_at, action, author, item_ids)
     values ($1, $2, $3, 'running', $2, $4, 10, 2, 0, '-infinity', now(), now(), $5, $6, $7)`,
    [id, tenantId, kind, step, action, action && author, action && itemIds],
  );
  return id;
}

const deletions: [step: number, id: string][] = [];
let labelling: string;

beforeAll(async () => {
  const connectionString = await createDatabase(
    inject('postgres'),
    `${inject('template')}_upgrade_${process.pid}`,
  );
  const before = join(folder, 'before');
  await cp(MIGRATIONS, before, { recursive: true });
  for (const name of await readdir(before))
    if (/^\d/.test(name) && name.slice(0, LAST_BEFORE.length) > LAST_BEFORE) await rm(join(before, name));
  await migrate({ connectionString }, before);
  client = await usePgClient(connectionString);
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at) values ($1, 'Shop', 'scale', now(), now())`,
    [tenantId],
  );
  for (const step of [14, 15, 16, 30]) deletions.push([step, await storeJob('delete_tenant', step)]);
  labelling = await storeJob('change_contacts', 1, {
    type: 'add_labels',
    labelIds: [first, second, third],
  });
  await migrate({ connectionString }, MIGRATIONS);
});

describe('what the version before has stored', () => {
  it('is the deletion of a tenant, which goes on where it was', async () => {
    const { rows } = await client.query('select id, step from jobs where id = any ($1)', [
      deletions.map(([, id]) => id),
    ]);
    const steps = new Map(rows.map(({ id, step }) => [id, step]));
    // The step that was the sixteenth is gone.
    expect(deletions.map(([step, id]) => [step, steps.get(id)])).toEqual([
      [14, 14],
      [15, 15],
      [16, 15],
      [30, removalSteps.delete_tenant.length - 1],
    ]);
  });

  it('is a bulk action with several labels, which become a job each', async () => {
    const { rows } = await client.query(
      `select id, action, step, status, total::int, author, item_ids as "itemIds" from jobs where kind = 'change_contacts'`,
    );
    const rest = { step: 1, status: 'running', total: 2, author, itemIds };
    expect(rows.find(({ id }) => id === labelling)?.action.labelId).toBe(first);
    for (const labelId of [first, second, third])
      expect(rows).toContainEqual({
        ...rest,
        id: expect.any(String),
        action: { type: 'add_label', labelId },
      });
    expect(rows).toHaveLength(3);
  });
});
