import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { embeddedUrl, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { useFaultReceiver } from './receiver.ts';

const ROWS = 20_000;
/** Every hundredth row has a fault, and every tenth has the number of the row before. */
const FAULTS = ROWS / 100;
const REPEATED = ROWS / 10;
const CONTACTS = ROWS - FAULTS - REPEATED;
/** It is killed when so many rows are done. */
const KILL_AT = [0, 1, 4_000, 9_000];
const TIMEOUT_MS = 600_000;

const pool = useProcessPool();
const call = useApiClient(2);

const phoneOf = (row: number): string => `+1555${String(1_000_000 + row)}`;
const lineOf = (row: number): string => {
  if (row % 100 === 0) return `"Fault, ${row}";nope`;
  return `"Ada\n${row}";${phoneOf(row % 10 === 5 ? row - 1 : row)}`;
};

async function uploadFile(base: string, { token }: FaultTenant): Promise<string> {
  const lines = Array.from({ length: ROWS }, (_, index) => lineOf(index + 1));
  const form = new FormData();
  form.set('file', new Blob([`Name;Phone\n${lines.join('\n')}\n`]), 'contacts.csv');
  const answer = await fetch(`${base}/v3/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

it('kill −9 in the middle of an import: every row is imported once, with one event', async () => {
  const dataDir = await pool.makeDataDir();
  const receiver = await useFaultReceiver();
  let server: ServerProcess = await pool.startServer({ dataDir });
  const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [FaultTenant];
  const { token } = tenant;
  const fileId = await uploadFile(server.url, tenant);
  const started = await call(server.url, '/v3/imports', { token, body: { fileId } });
  expect([started.status, started.body.data?.status]).toEqual([200, 'queued']);
  const { id } = started.body.data;
  const readImport = async () => (await call(server.url, `/v3/imports/${id}`, { token })).body.data;
  const doneRows = async (): Promise<number> => {
    const { created, updated, failed } = await readImport();
    return created + updated + failed;
  };

  const killedAt: number[] = [];
  for (const count of KILL_AT) {
    await until(async () => (await doneRows()) >= count || (await readImport()).endedAt !== null, TIMEOUT_MS);
    await server.kill();
    server = await pool.startServer({ dataDir });
    killedAt.push(await doneRows());
  }
  await until(async () => (await readImport()).endedAt !== null, TIMEOUT_MS);
  expect(await readImport()).toMatchObject({
    status: 'completed',
    total: ROWS,
    created: CONTACTS,
    updated: REPEATED,
    failed: FAULTS,
  });
  expect(killedAt[0]).toBeLessThan(ROWS);

  await withConnection(embeddedUrl(dataDir), async (query) => {
    const [stored] = await query(
      `select (select count(*)::int from contacts where tenant_id = $1) as contacts,
              (select count(*)::int from handles where tenant_id = $1) as handles,
              (select count(*)::int from import_issues where import_id = $2) as issues,
              (select count(*)::int from events where tenant_id = $1 and type = 'contact.created') as created,
              (select count(distinct contact_id)::int from events where tenant_id = $1 and type = 'contact.created') as different,
              (select count(*)::int from events where tenant_id = $1 and type = 'job.completed') as ended`,
      [tenant.id, id],
    );
    expect(stored).toEqual({
      contacts: CONTACTS,
      handles: CONTACTS,
      issues: FAULTS,
      created: CONTACTS,
      different: CONTACTS,
      ended: 1,
    });
  });
});
