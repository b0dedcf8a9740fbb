import type { Case, Side } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { withoutForeignKeys } from '../seed.ts';
import type { Target } from '../target.ts';
import { chargeServer, postBytes } from '../workload.ts';

const CONTACTS = 1_000_000;
const AUTOMATIONS = 10_000;
/** After 5, V8 had not compiled the newer of two commits. */
const WARM_UP = 100;
const SECONDS = 0.5;

/** Indexing the trigrams of a million names at once is ten times faster than one by one. */
const SEED_CONTACTS = [
  `set maintenance_work_mem = '512MB'`,
  'drop index contacts_search',
  'drop index contact_attributes_search',
  `insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
   select uuidv7(), $1, first, last, n % 10 > 0, '{}', first || ' ' || last || E'\\n+1666' || lpad(n::text, 7, '0'),
          timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
     from (select n, (array['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Linus'])[n % 8 + 1] as first,
                  'Number' || md5(n::text) as last from generate_series(1, ${CONTACTS}) as n) as named`,
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select uuidv7(), $1, id, 'phone_number', right(search_text, 12), true, '{}', created_at, created_at
     from contacts where tenant_id = $1 and search_text like '%+1666%'`,
  `with label as (
     insert into labels (id, tenant_id, name, created_at, updated_at)
     select uuidv7(), $1, 'searched', now(), now() returning id)
   insert into contact_labels (contact_id, label_id, tenant_id, created_at)
   select c.id, label.id, $1, c.created_at from contacts c, label
    where c.tenant_id = $1 and c.search_text like '%+16660%' and right(c.search_text, 2) = '00'`,
  `with attribute as (
     insert into attributes (id, tenant_id, external_id, name, type, created_at, updated_at)
     select uuidv7(), $1, 'searched', 'Searched', 'number', now(), now() returning id)
   insert into contact_attributes (contact_id, attribute_id, tenant_id, value, number, updated_at)
   select c.id, attribute.id, $1, right(c.search_text, 6)::int::text, right(c.search_text, 6)::int, c.created_at
     from contacts c, attribute where c.tenant_id = $1 and c.search_text like '%+1666%'`,
  `with label as (
     insert into labels (id, tenant_id, name, created_at, updated_at)
     select uuidv7(), $1, 'oldest', now(), now() returning id)
   insert into contact_labels (contact_id, label_id, tenant_id, created_at)
   select id, label_id, $1, created_at from (
     select c.id, label.id as label_id, c.created_at from contacts c, label
      where c.tenant_id = $1 and c.search_text like '%+1666%' order by c.created_at limit ${CONTACTS / 20}) as oldest`,
  `with attribute as (
     insert into attributes (id, tenant_id, external_id, name, type, created_at, updated_at)
     select uuidv7(), $1, 'street', 'Street', 'text', now(), now() returning id)
   insert into contact_attributes (contact_id, attribute_id, tenant_id, value, updated_at)
   select c.id, attribute.id, $1, left(md5(c.last_name), 8) || ' Street', c.created_at
     from contacts c, attribute where c.tenant_id = $1 and c.search_text like '%+1666%'`,
  `create index contact_attributes_search on contact_attributes using gin (attribute_id, value gin_trgm_ops)
     where number is null and time is null`,
  'create index contacts_search on contacts using gin (tenant_id, search_text gin_trgm_ops)',
  'reset maintenance_work_mem',
  'vacuum analyze contacts, handles, contact_labels, contact_attributes, labels, attributes',
];

interface Page {
  data: { id: string }[];
  pagination: { total: number; nextCursor: string | null };
}

interface Statement {
  text: string;
  values: unknown[];
}

const findIds = (rows: { id: string }[]): string => JSON.stringify(rows.map(({ id }) => id));

/**
 * One search at a time, over HTTP, against a bare statement that finds the same ten ids and reads their rows. Ours also
 * reads handles, labels, attributes and chats of the ten, and counts up to 10,000 matches.
 */
async function createCase(
  target: Target,
  title: string,
  path: string,
  body: object,
  { text, values }: Statement,
): Promise<Case> {
  const { db } = target;
  const page = await target.call<Page>('POST', path, body);
  const request = postBytes(target, path, body);
  const { total } = page.pagination;
  return {
    title: `${title}: ${total.toLocaleString('en')} ${total === 1 ? 'match' : 'matches'}`,
    warmUp: WARM_UP,
    effort: { seconds: SECONDS },
    // Most of the time is PostgreSQL's.
    restarts: 'never',
    ours: {
      ...chargeServer(target),
      run: (count) => sendRequests(target.server.port, count, [request], 1),
    },
    bares: [
      {
        async create() {
          const found = await db.query<{ id: string }>(text, values);
          if (findIds(page.data) !== findIds(found.rows))
            throw new Error(`${title}: ours found ${findIds(page.data)}, bare ${findIds(found.rows)}`);
          return {
            processes: () => ({ postmaster: target.postmasterPid }),
            async run(count) {
              const startedAt = performance.now();
              // Not prepared: PostgreSQL makes a better plan if it knows the values.
              for (let done = 0; done < count; done += 1) await db.query(text, values);
              return { operations: count, seconds: (performance.now() - startedAt) / 1000 };
            },
          };
        },
      },
    ],
  };
}

/** Searches in a tenant with a million contacts and 10,000 automations. */
export async function createSearches({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { db, tenantId, call } = target;
  await withoutForeignKeys(db, async () => {
    for (const text of SEED_CONTACTS) await db.query(text, text.includes('$1') ? [tenantId] : []);
  });
  await seedAutomations(target);
  const findLabel = async (name: string): Promise<string> =>
    (await db.query('select id from labels where tenant_id = $1 and name = $2', [tenantId, name])).rows[0].id;
  const [labelId, oldestId] = [await findLabel('searched'), await findLabel('oldest')];
  const cases: Case[] = [];

  const newest = 'order by created_at desc, id desc limit 10';
  const where = (condition: string, ...values: unknown[]): Statement => ({
    text: `select * from contacts where tenant_id = $1 and ${condition} ${newest}`,
    values: [tenantId, ...values],
  });
  const contacts = async (title: string, body: object, bare: Statement): Promise<void> =>
    void cases.push(await createCase(target, title, '/v3/contacts/search', body, bare));
  const byLabel = (id: string): [object, Statement] => [
    { query: `contains(labelIds,"${id}")` },
    where('id in (select contact_id from contact_labels where label_id = $2)', id),
  ];
  const byAttribute = (name: string, condition: string, ...values: unknown[]): Statement =>
    where(
      `id in (select v.contact_id from contact_attributes v join attributes a on a.id = v.attribute_id
        where a.tenant_id = $1 and a.external_id = '${name}' and ${condition})`,
      ...values,
    );

  await contacts('contacts, first page', {}, where('true'));
  await contacts(
    '  by phone number',
    { query: 'eq(phoneNumber,"+16660700000")' },
    where(
      `id = (select contact_id from handles
     where tenant_id = $1 and type = 'phone_number' and value = $2)`,
      '+16660700000',
    ),
  );
  await contacts('  by label', ...byLabel(labelId));
  await contacts('  by label of the oldest 50,000', ...byLabel(oldestId));
  await contacts(
    '  by attribute, equal',
    { query: 'eq(attributes.searched,700000)' },
    byAttribute('searched', 'v.number = $2', 700_000),
  );
  await contacts(
    '  by attribute, a range of 1000',
    { query: 'and(ge(attributes.searched,5000),lt(attributes.searched,6000))' },
    byAttribute('searched', 'v.number >= $2 and v.number < $3', 5000, 6000),
  );
  await contacts(
    '  by attribute, a part of its text',
    { query: 'contains(attributes.street,"abc12")' },
    byAttribute('street', 'v.value ilike $2', '%abc12%'),
  );
  const { rows } = await db.query<{ last_name: string }>(
    `select last_name from contacts where tenant_id = $1 and search_text like '%+16660123456'`,
    [tenantId],
  );
  const substring = rows[0]?.last_name.slice(8, 22) ?? '';
  await contacts('  substring', { search: substring }, where('search_text ilike $2', `%${substring}%`));
  await contacts('  substring, an eighth', { search: 'grace' }, where('search_text ilike $2', '%grace%'));

  /** A page by cursor, and the position of the cursor in the table. */
  const findCursor = async (path: string, table: string, page: number): Promise<[object, unknown[]]> => {
    const { data, pagination } = await call<Page>('POST', path, { pagination: { page, limit: 100 } });
    const last = await db.query(`select created_at, id from ${table} where id = $1`, [data.at(-1)?.id]);
    const body = { pagination: { cursor: pagination.nextCursor, limit: 10 } };
    return [body, [last.rows[0].created_at, last.rows[0].id]];
  };
  const afterCursor = '(created_at, id) < ($2, $3)';
  const [deep, position] = await findCursor('/v3/contacts/search', 'contacts', 5000);
  await contacts('  cursor, half a million deep', deep, where(afterCursor, ...position));

  const automations = async (title: string, body: object, condition: string, ...values: unknown[]) => {
    const text = `select * from automations where tenant_id = $1 and ${condition} ${newest}`;
    const bare = { text, values: [tenantId, ...values] };
    cases.push(await createCase(target, title, '/v3/automations/search', body, bare));
  };
  await automations('automations, first page', {}, 'true');
  await automations(
    '  by status and trigger',
    { query: 'and(eq(status,"draft"),eq(latestVersionTriggerType,"api"))' },
    `status = 'draft' and latest_trigger_type = 'api'`,
  );
  await automations('  substring of the name', { search: '777' }, 'name ilike $2', '%777%');
  const [far, end] = await findCursor('/v3/automations/search', 'automations', 90);
  await automations('  cursor, 9,100 deep', far, afterCursor, ...end);
  return cases;
}

async function seedAutomations({ db, tenantId }: Target): Promise<void> {
  await db.query('begin');
  await db.query('set constraints all deferred');
  await db.query(
    `with made as (
       select uuidv7() as id, uuidv7() as version_id, n from generate_series(1, ${AUTOMATIONS}) as n),
     automations as (
       insert into automations (id, tenant_id, name, status, latest_version_id, latest_trigger_type, created_at, updated_at)
       select id, $1, 'Automation ' || n, (array['draft', 'archived'])[1 + n % 2], version_id,
              (array['api', 'chat_opened', 'message_received'])[1 + n % 3], now() + n * interval '1 ms', now()
         from made returning id)
     insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
     select version_id, $1, id, 1,
            '{"trigger":{"type":"api","parameters":{}},"variables":[],"steps":[{"id":"end","type":"end","parameters":{}}]}', now()
       from made`,
    [tenantId],
  );
  await db.query('commit');
  await db.query('vacuum analyze automations, automation_versions');
}
