import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import type { Case, Side, Workload } from '../figure.ts';
import { startBare } from '../processes.ts';
import { withoutForeignKeys } from '../seed.ts';
import { createResource, type Target, type Tenant } from '../target.ts';
import { chargeBare, chargeServer } from '../workload.ts';

const CONTACTS = 50_000;
const GOAL = 0.6;
/** How much more memory the server may have than before: an export of any length has a page or some in memory. */
const MEMORY_GOAL_MB = 100;

/** Contacts with a number, a label, and the value of an attribute. */
const seedContacts = (count: number): string[] => [
  `create temporary table seeded as select n, uuidv7() as id from generate_series(1, ${count}) as n`,
  `insert into contacts (id, tenant_id, first_name, last_name, language, is_subscribed, metadata, created_at, updated_at)
   select id, $1, 'Ada', 'Number ' || n, 'en', true, '{}', now() - n * interval '1 second', now() from seeded`,
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select uuidv7(), $1, id, 'phone_number', '+1444' || lpad(n::text, 7, '0'), true, '{}', now(), now() from seeded`,
  `insert into contact_labels (contact_id, label_id, tenant_id, created_at)
   select s.id, l.id, $1, now() from seeded s cross join labels l where l.tenant_id = $1`,
  `insert into contact_attributes (contact_id, attribute_id, tenant_id, value, updated_at)
   select s.id, a.id, $1, 'value ' || s.n, now() from seeded s cross join attributes a where a.tenant_id = $1`,
  'drop table seeded',
  'vacuum analyze contacts, handles, contact_labels, contact_attributes',
];

async function readResidentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Reads a file to its end and returns how many lines it has. */
async function countLines(port: number, token: string): Promise<number> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/v3/contacts/export.csv`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (statusCode !== 200) throw new Error(`The export answered ${statusCode}: ${await body.text()}`);
  let lines = 0;
  for await (const chunk of body)
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}

const exporting = (
  getProgram: () => { port: number; pid: number },
  { token }: Tenant,
): Pick<Workload, 'run'> => ({
  async run() {
    const { port, pid } = getProgram();
    const before = await readResidentMb(pid);
    let most = before;
    const timer = setInterval(async () => {
      most = Math.max(most, await readResidentMb(pid));
    }, 50);
    const startedAt = performance.now();
    const lines = await countLines(port, token);
    const seconds = (performance.now() - startedAt) / 1000;
    clearInterval(timer);
    if (lines < CONTACTS) throw new Error(`The export has ${lines} lines.`);
    return { operations: CONTACTS, seconds, values: { memory: most - before } };
  },
});

/** All contacts of a tenant as CSV. Bare is a cursor whose rows are written as they come. */
export async function createExports({ getTarget }: Side): Promise<Case[]> {
  const target: Target = await getTarget();
  const tenant = await target.createTenant();
  await createResource(tenant, '/v3/labels', { name: 'Export' });
  await createResource(tenant, '/v3/attributes', { name: 'City', externalId: 'city' });
  await withoutForeignKeys(target.db, async () => {
    for (const text of seedContacts(CONTACTS))
      await target.db.query(text, text.includes('$1') ? [tenant.tenantId] : []);
  });
  return [
    {
      title: `export of ${CONTACTS} contacts`,
      warmUp: CONTACTS,
      count: () => CONTACTS,
      ours: { ...chargeServer(target), ...exporting(() => target.server, tenant) },
      values: {
        memory: {
          title: '  more memory meanwhile',
          unit: 'MB',
          goal: MEMORY_GOAL_MB,
          betweenCommits: 'hidden',
        },
      },
      bares: [
        {
          goal: GOAL,
          async create() {
            const bare = await startBare('exports', {
              BENCH_DATABASE_URL: target.databaseUrl,
              BENCH_TENANT: tenant.tenantId,
            });
            return { ...chargeBare(bare, target), ...exporting(() => bare, tenant) };
          },
        },
      ],
    },
  ];
}
