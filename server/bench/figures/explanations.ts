import { readCpuSeconds } from '../cpu.ts';
import type { Case, Side, Workload } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { withoutForeignKeys } from '../seed.ts';
import { createResource, createSandboxChannel, type Target, type Tenant } from '../target.ts';
import { hasNoRows, waitUntil } from '../wait.ts';
import { chargeServer, postBytes } from '../workload.ts';

const CALLS = 20;
/** As for other figures, V8 has compiled what is measured: the first calls of a dry run take about a quarter more. */
const WARM_UP_CALLS = 200;
const AUTOMATIONS = 50;
const STEPS = 50;
const DRY_RUN_GOAL_MS = 50;
const EXPLAIN_GOAL_MS = 20;
const CONTACTS = 1_000_000;
/** One contact in a hundred lives there. */
const CITY = 'Kassel';
const PREVIEW_GOAL_MS = 1_000;

/** Fifty steps: messages with texts to render, conditions, values of attributes, waits, and an answer of the contact. */
function createSteps(): object[] {
  const kinds = [
    { type: 'send_message', parameters: { text: 'Hello {{ contact.firstName | upcase }}, thank you' } },
    { type: 'branch', parameters: { cases: [{ when: 'hasWord(message.text,"never")', next: 'end' }] } },
    { type: 'set_attribute', parameters: { externalId: 'plan', value: '{{ contact.firstName }}' } },
    { type: 'wait', parameters: { for: 'PT1M' } },
    { type: 'wait_for_reply', parameters: { timeout: 'PT1H' } },
  ];
  const steps = Array.from({ length: STEPS - 1 }, (_, n) => ({ id: `s${n}`, ...kinds[n % kinds.length] }));
  return [...steps, { id: 'end', type: 'end', parameters: {} }];
}

async function createAutomation(tenant: Tenant, body: object): Promise<string> {
  const id = await createResource(tenant, '/v3/automations', body);
  await tenant.call('POST', `/v3/automations/${id}/publish`, {});
  return id;
}

/** The same request some times, one at a time. Its CPU time is that of the server and of PostgreSQL together. */
function calling(target: Target, tenant: Tenant, path: string, body: object): Workload {
  const send = (count: number) => sendRequests(target.server.port, count, [postBytes(tenant, path, body)], 1);
  return {
    ...chargeServer(target),
    warmUp: async () => void (await send(WARM_UP_CALLS)),
    async run() {
      const charged = { server: target.server.pid, postmaster: target.postmasterPid };
      const before = await readCpuSeconds(charged);
      const { seconds } = await send(CALLS);
      const after = await readCpuSeconds(charged);
      const used = after.server + after.postgres - before.server - before.postgres;
      return {
        operations: CALLS,
        seconds,
        values: { cpu: (used * 1000) / CALLS, took: (seconds * 1000) / CALLS },
      };
    },
  };
}

const caseOf = (title: string, ours: Workload, value: 'cpu' | 'took', goal: number): Case => ({
  title,
  ours,
  warmUp: CALLS,
  count: () => CALLS,
  hasRate: false,
  hasCpu: false,
  restarts: 'once',
  values: {
    [value]: {
      title: `${title}, ${value === 'cpu' ? 'CPU' : 'until the answer'}`,
      unit: 'ms',
      digits: 1,
      goal,
      betweenCommits: 'shown',
    },
  },
});

/** Dry runs of a long automation, and why a message has started one of many automations and not the others. */
export async function createExplanations({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  await createResource(tenant, '/v3/attributes', { name: 'Plan', externalId: 'plan' });
  const channelId = await createSandboxChannel(tenant, { name: 'Explain', address: '+15550009994' });
  for (let n = 0; n < AUTOMATIONS; n += 1)
    await createAutomation(tenant, {
      name: `Automation ${n}`,
      trigger: { type: 'message_received', parameters: { keywords: [`word${n}`] } },
      steps: [{ id: 'end', type: 'end', parameters: {} }],
    });
  const automationId = await createAutomation(tenant, {
    name: 'Long',
    trigger: { type: 'api', parameters: {} },
    steps: createSteps(),
  });
  await tenant.call('POST', `/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'word7' });
  const messages = 'select id, chat_id, contact_id from messages where tenant_id = $1';
  await waitUntil(async () => !(await hasNoRows(target.db, messages, [tenant.tenantId])));
  const { rows } = await target.db.query(messages, [tenant.tenantId]);
  const { id: messageId, chat_id: chatId, contact_id: contactId } = rows[0];
  const dryRun = { contactId, chatId, replies: Array.from({ length: 10 }, () => ({ text: 'yes' })) };
  const path = `/v3/automations/${automationId}/dry_run`;
  const { data } = await tenant.call<{ data: { status: string; trace: unknown[] } }>('POST', path, dryRun);
  if (data.status !== 'completed' || data.trace.length !== STEPS)
    throw new Error(`The dry run is ${data.status} after ${data.trace.length} steps.`);
  return [
    caseOf(`dry run of ${STEPS} steps`, calling(target, tenant, path, dryRun), 'cpu', DRY_RUN_GOAL_MS),
    caseOf(
      `explain among ${AUTOMATIONS} automations`,
      calling(target, tenant, '/v3/automations/explain', { messageId }),
      'took',
      EXPLAIN_GOAL_MS,
    ),
  ];
}

/** Contacts with a number; some of them with an attribute. Without the text that names are searched in, which takes longest. */
const seedContacts = (count: number): string[] => [
  `create temporary table seeded as select n, uuidv7() as id from generate_series(1, ${count}) as n`,
  `insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, created_at, updated_at)
   select id, $1, 'Ada', true, '{}', now() - n * interval '1 second', now() from seeded`,
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select uuidv7(), $1, id, 'phone_number', '+1445' || lpad(n::text, 7, '0'), true, '{}', now(), now() from seeded`,
  `insert into contact_attributes (contact_id, attribute_id, tenant_id, value, updated_at)
   select s.id, a.id, $1, case when s.n % 100 = 0 then '${CITY}' else 'city ' || s.n % 1000 end, now()
     from seeded s cross join attributes a where a.tenant_id = $1`,
  'drop table seeded',
  'vacuum analyze contacts, handles, contact_attributes',
];

/** The preview of a campaign for a part of many contacts. */
export async function createPreviews({ getTarget, scale }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  await createResource(tenant, '/v3/attributes', { name: 'City', externalId: 'city' });
  const channelId = await createSandboxChannel(tenant, {
    name: 'Preview',
    address: '+15550009993',
    kind: 'sms',
  });
  const automationId = await createAutomation(tenant, {
    name: 'Preview',
    trigger: { type: 'campaign', parameters: {} },
    steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }],
  });
  const count = Math.round(CONTACTS * scale);
  await withoutForeignKeys(target.db, async () => {
    for (const text of seedContacts(count))
      await target.db.query(text, text.includes('$1') ? [tenant.tenantId] : []);
  });
  const body = { channelId, automationId, audience: `eq(attributes.city,"${CITY}")` };
  const { data } = await tenant.call<{ data: { matched: number } }>('POST', '/v3/campaigns/preview', body);
  if (data.matched !== Math.floor(count / 100)) throw new Error(`The preview has ${data.matched} contacts.`);
  const ours = calling(target, tenant, '/v3/campaigns/preview', body);
  const title = `preview over ${count.toLocaleString('en')} contacts`;
  return [caseOf(title, ours, 'took', PREVIEW_GOAL_MS)];
}
