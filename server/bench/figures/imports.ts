import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../bare/tools.ts';
import { copyTables } from '../bare/writes.ts';
import type { Bare, Case, Side, Workload } from '../figure.ts';
import { createTemporaryFolder } from '../processes.ts';
import type { Target, Tenant } from '../target.ts';
import { waitForNumbering, waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';

const ROWS = 20_000;
const GOAL = 0.4;
/** Reading the job takes the server's time, which is measured. */
const POLL_MS = 50;

/** Numbers that no other round has. */
let numbers = 0;
const newContacts = () =>
  Array.from({ length: ROWS }, () => {
    numbers += 1;
    return { firstName: 'Ada', lastName: `Number ${numbers}`, phoneNumber: `+1${6_000_000_000 + numbers}` };
  });

async function uploadFile({ server }: Target, { token }: Tenant): Promise<string> {
  const lines = newContacts().map(
    ({ firstName, lastName, phoneNumber }) => `${firstName},${lastName},${phoneNumber}`,
  );
  const form = new FormData();
  form.set('file', new Blob([`firstName,lastName,phoneNumber\n${lines.join('\n')}\n`]), 'contacts.csv');
  const answer = await fetch(`http://127.0.0.1:${server.port}/v3/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  if (answer.status !== 200) throw new Error(`The upload answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

function importing(target: Target, tenant: Tenant, publishEvents: boolean): Workload {
  let fileId = '';
  return {
    ...chargeServer(target),
    async prepare() {
      fileId = await uploadFile(target, tenant);
    },
    async run() {
      const startedAt = performance.now();
      const { data } = await tenant.call<{ data: { id: string } }>('POST', '/v3/imports', {
        fileId,
        publishEvents,
      });
      const read = async () =>
        (await tenant.call<{ data: { status: string; created: number } }>('GET', `/v3/imports/${data.id}`))
          .data;
      await waitUntil(async () => !['queued', 'running'].includes((await read()).status), POLL_MS);
      const seconds = (performance.now() - startedAt) / 1000;
      const { status, created } = await read();
      if (status !== 'completed' || created !== ROWS)
        throw new Error(`The import is ${status} with ${created} contacts.`);
      return { operations: ROWS, seconds };
    },
    check: () => waitForNumbering(target, tenant.tenantId),
  };
}

/** `COPY` of the same contacts and handles from files into copies of our tables with their indexes, in one transaction. */
async function copying(target: Target, tenant: Tenant): Promise<Workload> {
  const { db } = target;
  const folder = await createTemporaryFolder();
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755);
  const paths = { contacts: join(folder, 'contacts.csv'), handles: join(folder, 'handles.csv') };
  await db.query(copyTables('contacts', 'handles'));
  return {
    ...chargeServer(target),
    async prepare() {
      const now = new Date().toISOString();
      const rows = newContacts().map((one) => ({ ...one, contactId: newId(), handleId: newId() }));
      await writeFile(
        paths.contacts,
        rows
          .map(
            ({ contactId, firstName, lastName, phoneNumber }) =>
              `${contactId},${tenant.tenantId},${firstName},${lastName},t,{},"${firstName} ${lastName}\n${phoneNumber}",${now},${now}\n`,
          )
          .join(''),
        { mode: 0o644 },
      );
      await writeFile(
        paths.handles,
        rows
          .map(
            ({ contactId, handleId, phoneNumber }) =>
              `${handleId},${tenant.tenantId},${contactId},phone_number,${phoneNumber},t,{},${now},${now}\n`,
          )
          .join(''),
        { mode: 0o644 },
      );
    },
    async run() {
      const startedAt = performance.now();
      await db.query('begin');
      await db.query(
        `copy bare_writes.contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
         from '${paths.contacts}' (format csv)`,
      );
      await db.query(
        `copy bare_writes.handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
         from '${paths.handles}' (format csv)`,
      );
      await db.query('commit');
      return { operations: ROWS, seconds: (performance.now() - startedAt) / 1000 };
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** New contacts from a CSV file, from the call until all of them are stored. */
export async function createImports({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  const bare: Bare = { create: () => copying(target, tenant) };
  const common = { warmUp: ROWS, count: () => ROWS, effort: { rounds: 4 }, restarts: 'once' as const };
  return [
    {
      ...common,
      title: `import of ${ROWS} contacts without events`,
      ours: importing(target, tenant, false),
      bares: [{ ...bare, goal: GOAL }],
    },
    {
      ...common,
      title: `import of ${ROWS} contacts with an event each`,
      ours: importing(target, tenant, true),
      bares: [bare],
    },
  ];
}
