import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../bare/tools.ts';
import { copyTables } from '../bare/writes.ts';
import type { Bare, Case, Side, Workload } from '../figure.ts';
import { createTemporaryFolder } from '../processes.ts';
import { createResource, type Target, type Tenant } from '../target.ts';
import { hasNoRows, waitForNumbering, waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';

const ROWS = 20_000;
const GOAL = 0.4;
const POLL_MS = 10;

/** Numbers that no other round has. */
let numbers = 0;
const newContacts = (count: number) =>
  Array.from({ length: count }, () => {
    numbers += 1;
    return { firstName: 'Ada', lastName: `Number ${numbers}`, phoneNumber: `+1${6_000_000_000 + numbers}` };
  });

async function uploadFile({ server }: Target, { token }: Tenant): Promise<string> {
  const lines = newContacts(ROWS).map(
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

/**
 * From the call until all contacts are stored and their events have numbers. The end is read from the database: asking the server
 * would take its time, which is measured.
 */
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
        mapping: { firstName: 'firstName', lastName: 'lastName', phoneNumber: 'phoneNumber' },
        publishEvents,
      });
      await waitUntil(
        () =>
          hasNoRows(target.db, 'select 1 from jobs where id = $1 and tenant_id = $2 and ended_at is null', [
            data.id,
            tenant.tenantId,
          ]),
        POLL_MS,
      );
      await waitForNumbering(target, tenant.tenantId);
      const seconds = (performance.now() - startedAt) / 1000;
      const { data: ended } = await tenant.call<{ data: { status: string; created: number } }>(
        'GET',
        `/v3/imports/${data.id}`,
      );
      if (ended.status !== 'completed' || ended.created !== ROWS)
        throw new Error(`The import is ${ended.status} with ${ended.created} contacts.`);
      return { operations: ROWS, seconds };
    },
  };
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The columns of each table, and its row for a contact. */
function copiedTables(tenantId: string, shown: { data: object }, firstSequence: () => number) {
  const now = new Date().toISOString();
  type Row = ReturnType<typeof newContacts>[number] & { contactId: string };
  return {
    contacts: {
      columns:
        'id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at',
      line: ({ contactId, firstName, lastName, phoneNumber }: Row) =>
        `${contactId},${tenantId},${firstName},${lastName},t,{},"${firstName} ${lastName}\n${phoneNumber}",${now},${now}`,
    },
    handles: {
      columns: 'id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at',
      line: ({ contactId, phoneNumber }: Row) =>
        `${newId()},${tenantId},${contactId},phone_number,${phoneNumber},t,{},${now},${now}`,
    },
    events: {
      columns: 'id, tenant_id, sequence, type, contact_id, data, facts, shard, created_at',
      line: ({ contactId }: Row) =>
        `${newId()},${tenantId},${firstSequence()},contact.created,${contactId},${quoted(
          JSON.stringify({ ...shown.data, id: contactId }),
        )},${quoted('{"triggerAutomations":false}')},0,${now}`,
    },
  };
}
type CopiedTable = keyof ReturnType<typeof copiedTables>;

/**
 * `COPY` of the same rows from files into copies of our tables with their indexes, in one transaction. It leaves out what an import
 * is about: foreign keys (two fifths of what PostgreSQL does for ours), looking for contacts that exist, reading and validating the
 * file, progress that survives a crash, a first write of events without numbers, and the files themselves are written beforehand.
 */
async function copying(target: Target, tenant: Tenant, tables: readonly CopiedTable[]): Promise<Workload> {
  const { db } = target;
  const folder = await createTemporaryFolder();
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755);
  await db.query(copyTables(...tables));
  const contactId = await createResource(tenant, '/v3/contacts', newContacts(1)[0] as object);
  const shown = await tenant.call<{ data: object }>('GET', `/v3/contacts/${contactId}`);
  let sequence = 0;
  const copied = copiedTables(tenant.tenantId, shown, () => ++sequence);
  const pathOf = (table: string): string => join(folder, `${table}.csv`);
  return {
    ...chargeServer(target),
    async prepare() {
      const rows = newContacts(ROWS).map((one) => ({ ...one, contactId: newId() }));
      for (const table of tables)
        await writeFile(pathOf(table), `${rows.map(copied[table].line).join('\n')}\n`, { mode: 0o644 });
    },
    async run() {
      const startedAt = performance.now();
      await db.query('begin');
      for (const table of tables)
        await db.query(
          `copy bare_writes.${table} (${copied[table].columns}) from '${pathOf(table)}' (format csv)`,
        );
      await db.query('commit');
      return { operations: ROWS, seconds: (performance.now() - startedAt) / 1000 };
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** New contacts from a CSV file. */
export async function createImports({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  const bare = (...tables: CopiedTable[]): Bare => ({
    goal: GOAL,
    create: () => copying(target, tenant, tables),
  });
  const common = { warmUp: ROWS, count: () => ROWS, effort: { rounds: 4 }, restarts: 'once' as const };
  return [
    {
      ...common,
      title: `import of ${ROWS} contacts, to COPY`,
      ours: importing(target, tenant, false),
      bares: [bare('contacts', 'handles')],
    },
    {
      ...common,
      title: `import of ${ROWS} contacts with events, to COPY of both`,
      ours: importing(target, tenant, true),
      bares: [bare('contacts', 'handles', 'events')],
    },
  ];
}
