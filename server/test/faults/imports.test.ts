import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { embeddedUrl, withConnection } from './database.ts';
import { useApiClient } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';

/**
 * A million rows and 20 kills: `IMPORT_ROWS=1000000 KILLS=20 npm run test:faults -- test/faults/imports.test.ts`. It prints how long
 * that took, and the memory of the server.
 */
const KILLS = Number(process.env.KILLS ?? 4);
/** So many that a fast machine is not done before the last kill. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 5_000 * KILLS);
/** Every hundredth row has a fault, and every tenth has the number of the row before. */
const FAULTS = ROWS / 100;
const REPEATED = ROWS / 10;
const MAX_STORED_ISSUES = 100_000;
const CONTACTS = ROWS - FAULTS - REPEATED;
/** The first kills come before and with the first batch. The others are spread over the rows, each at a random moment of its batch. */
const KILL_AT = Array.from({ length: KILLS }, (_, index) =>
  index < 2 ? index : Math.floor(((index - 1) * ROWS) / KILLS),
);
const MAX_LATER_MS = 300;
const TIMEOUT_MS = 600_000 + 2 * ROWS;
/** Reading the progress takes the server's time. */
const POLL_MS = 50;

const pool = useProcessPool();
const call = useApiClient(2);

const phoneOf = (row: number): string => `+1555${String(1_000_000 + row)}`;
const lineOf = (row: number): string => {
  if (row % 100 === 0) return `"Fault, ${row}";nope`;
  return `"Ada\n${row}";${phoneOf(row % 10 === 5 ? row - 1 : row)}`;
};

async function createTenant(base: string): Promise<{ id: string; token: string }> {
  const make = async (path: string, body: object) =>
    (await call(base, path, { token: OPERATOR_TOKEN, body })).body.data;
  const { id } = await make('/admin/tenants', { name: 'imports', rateLimit: 1_000_000_000 });
  return { id, token: (await make(`/admin/tenants/${id}/tokens`, {})).token };
}

async function uploadFile(base: string, token: string): Promise<string> {
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

/** What the system says about the memory of a process, in megabytes: now, and the most so far. */
async function readMemory({ pid }: ServerProcess): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const read = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024);
  return { now: read('VmRSS'), most: read('VmHWM') };
}

it('kill −9 in the middle of an import: every row is imported once, with one event', async () => {
  const dataDir = await pool.makeDataDir();
  let server: ServerProcess = await pool.startServer({ dataDir });
  const tenant = await createTenant(server.url);
  const { token } = tenant;
  const fileId = await uploadFile(server.url, token);
  const atStart = await readMemory(server);
  const startedAt = performance.now();
  const started = await call(server.url, '/v3/imports', {
    token,
    body: { fileId, mapping: { Name: 'fullName', Phone: 'phoneNumber' } },
  });
  expect([started.status, started.body.data?.status]).toEqual([200, 'queued']);
  const { id } = started.body.data;
  const readImport = async () => (await call(server.url, `/v3/imports/${id}`, { token })).body.data;
  /** Read while no server runs, or the next one has gone on by then. */
  const storedRows = async (): Promise<number> => {
    const [row] = await withConnection(embeddedUrl(dataDir), (query) =>
      query(
        'select i.created + i.updated + j.failed as rows from imports i join jobs j using (id) where id = $1',
        [id],
      ),
    );
    return Number(row?.rows);
  };
  const untilRows = async (isEnough: (rows: number) => boolean): Promise<void> => {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const { endedAt, created, updated, failed } = await readImport();
      if (endedAt !== null || isEnough(created + updated + failed)) return;
      if (performance.now() > deadline) throw new Error(`The import is not done after ${TIMEOUT_MS} ms.`);
      await delay(POLL_MS);
    }
  };

  const killedAt: number[] = [];
  const most: number[] = [];
  let downMs = 0;
  for (const [index, count] of KILL_AT.entries()) {
    await untilRows((rows) => rows >= count);
    if (index >= 2) await delay(Math.random() * MAX_LATER_MS);
    most.push((await readMemory(server)).most);
    const downSince = performance.now();
    await server.kill();
    killedAt.push(await storedRows());
    server = await pool.startServer({ dataDir });
    downMs += performance.now() - downSince;
  }
  await untilRows(() => false);
  const tookMs = performance.now() - startedAt;
  const atEnd = await readMemory(server);
  expect(await readImport()).toMatchObject({
    status: 'completed',
    total: ROWS,
    created: CONTACTS,
    updated: 0,
    skipped: 0,
    failed: FAULTS + REPEATED,
  });
  expect(killedAt.filter((rows) => rows < ROWS).length).toBeGreaterThan(KILLS / 2);

  const figures = {
    rows: ROWS,
    'kills during the import': killedAt.filter((rows) => rows < ROWS).length,
    'seconds with restarts': Math.round(tookMs / 1000),
    'seconds without': Math.round((tookMs - downMs) / 1000),
    'rows a second': Math.round((ROWS / (tookMs - downMs)) * 1000),
    'MB at the start': atStart.now,
    'MB at most': Math.max(...most, atEnd.most),
    'MB at the end': atEnd.now,
  };
  for (const [name, value] of Object.entries(figures))
    process.stdout.write(`${name.padEnd(24)} ${value.toLocaleString('en').padStart(10)}\n`);

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
      issues: Math.min(FAULTS + REPEATED, MAX_STORED_ISSUES),
      created: CONTACTS,
      different: CONTACTS,
      ended: 1,
    });
  });
});
