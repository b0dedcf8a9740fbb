import { copyTables } from '../bare/writes.ts';
import type { Case, Side, Workload } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { startBare } from '../processes.ts';
import { seedContacts } from '../seed.ts';
import { chargeBare, chargeServer, postBytes } from '../workload.ts';

const GOAL = 0.6;
const CONTACTS = 2000;
const LABELS = 200;
const WARM_UP = 2000;

const INSERT_LABELS = `
  insert into labels (id, tenant_id, name, color, created_at, updated_at)
  select uuidv7(), $1, 'bench label ' || number, '#336699', now(), now() from generate_series(1, ${LABELS}) as number
  returning id`;

/** Adds labels that a contact does not have yet, each pair once. */
export async function createLabels({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { db, tenantId } = target;
  const contacts = await seedContacts(db, tenantId, CONTACTS);
  const { rows: labels } = await db.query<{ id: string }>(INSERT_LABELS, [tenantId]);
  const addLabels = (getPort: () => number): Pick<Workload, 'run'> => {
    let pairs = 0;
    const next = (): Buffer => {
      const [label, contact] = [labels[Math.floor(pairs / CONTACTS)], contacts[pairs % CONTACTS]];
      if (label === undefined)
        throw new Error('There are no more labels to add: use fewer or shorter rounds.');
      pairs += 1;
      return postBytes(target, `/v3/contacts/${contact}/labels`, { labels: [{ id: label.id }] });
    };
    return { run: (count) => sendRequests(getPort(), count, next) };
  };
  return [
    {
      title: 'POST /v3/contacts/{contactId}/labels',
      warmUp: WARM_UP,
      ours: { ...chargeServer(target), ...addLabels(() => target.server.port) },
      bares: [
        {
          goal: GOAL,
          async create() {
            await db.query(copyTables('contacts', 'contact_labels', 'events'));
            await db.query('insert into bare_writes.contacts select * from contacts where id = any ($1)', [
              contacts,
            ]);
            // The event contains the contact; the bare program sends the same contact in every event.
            const { data } = await target.call<{ data: object }>('GET', `/v3/contacts/${contacts[0]}`);
            const bare = await startBare('labels', {
              BENCH_DATABASE_URL: target.databaseUrl,
              BENCH_TENANT: tenantId,
              BENCH_ANSWER: JSON.stringify(data),
            });
            return { ...chargeBare(bare, target), ...addLabels(() => bare.port) };
          },
        },
      ],
    },
  ];
}
