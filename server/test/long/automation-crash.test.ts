import { describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { workerDatabase } from '../kit/execution.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { type Death, type MortalWorker, mortalWorkers } from '../kit/mortal-worker.ts';
import { noteSandboxCalls, repeatedCalls } from '../kit/sandbox-calls.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const db = workerDatabase(server);
const born = mortalWorkers(server, db);
const ask = async (text: string, values: unknown[] = []) => (await db.query(text, values)).rows;
await noteSandboxCalls(ask);

/** The server of another company: it answers every request with a greeting and notes its key. */
const calls: string[] = [];
const crm = await useHttpServer((request, response) => {
  calls.push(String(request.headers['idempotency-key']));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"greeting":"Welcome back"}');
});
const crmUrl = `${crm.url}/people`;

const MINUTE = 60_000;
/** Longer than a run: what the sandbox tells of its messages afterwards is not looked at here. */
const STATUS_DELAY_MS = 3_600_000;

async function ground(): Promise<{ tenant: TestTenant; channelId: string }> {
  const tenant = await server.tenant();
  const make = async (path: string, body: object) => (await tenant.post(path, body)).body.data;
  const channel = await make('/v3/channels', {
    kind: 'sms',
    provider: 'sandbox',
    name: 'Test',
    address: '+15550009999',
    config: { statusDelayMs: STATUS_DELAY_MS },
  });
  const template = await make('/v3/message_templates', {
    channelId: channel.id,
    name: 'offer',
    language: 'en',
    body: 'Ten percent',
  });
  const [vip, cold] = [await make('/v3/labels', { name: 'VIP' }), await make('/v3/labels', { name: 'Cold' })];
  const user = await make('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
  await make('/v3/attributes', { name: 'Tier', externalId: 'tier' });
  await automationOf(tenant, {
    name: 'Everything',
    trigger: { type: 'message_received', parameters: { keywords: ['start'] } },
    steps: [
      { id: 'set', type: 'set_attribute', parameters: { externalId: 'tier', value: 'gold' } },
      { id: 'label', type: 'add_label', parameters: { labelId: vip.id } },
      { id: 'unlabel', type: 'remove_label', parameters: { labelId: cold.id } },
      { id: 'assign', type: 'assign', parameters: { userId: user.id } },
      { id: 'crm', type: 'http_request', parameters: { method: 'POST', url: crmUrl, saveAs: 'crm' } },
      { id: 'hello', type: 'send_message', parameters: { text: '{{ steps.crm.body.greeting }}' } },
      { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'PT10M', onTimeout: 'end' } },
      {
        id: 'if',
        type: 'branch',
        parameters: { cases: [{ when: 'eq(message.text,"yes")', next: 'offer' }], else: 'end' },
      },
      { id: 'offer', type: 'send_template', parameters: { templateId: template.id } },
      { id: 'pause', type: 'wait', parameters: { for: 'PT10M' } },
      { id: 'close', type: 'set_chat_status', parameters: { status: 'closed' } },
      { id: 'end', type: 'end' },
    ],
  });
  await born(tenant).settle();
  return { tenant, channelId: channel.id };
}
const STEPS = [
  'set',
  'label',
  'unlabel',
  'assign',
  'crm',
  'hello',
  'answer',
  'if',
  'offer',
  'pause',
  'close',
  'end',
];

/** All that can be seen of what a person's run did. */
async function tracesOf(tenant: TestTenant, contactId: string) {
  const [run] = await ask('select id, status, step, error from automation_runs where contact_id = $1', [
    contactId,
  ]);
  const trace = (await tenant.get(`/v3/automation_runs/${run?.id}`)).body.data.trace;
  const { attributes, labels } = (await tenant.get(`/v3/contacts/${contactId}`)).body.data;
  const messages = await ask(
    `select m.text, m.status, m.run_step, o.message_id is not null as is_accepted from messages m
       left join sandbox_outbox o on o.message_id = m.id where m.contact_id = $1 and m.sender = 'outbound' order by m.id`,
    [contactId],
  );
  return {
    runId: run?.id as string,
    seen: {
      run: { ...run, id: undefined },
      steps: trace.map(({ number, step, status }: Record<string, unknown>) => [number, step, status]),
      attributes: attributes.map(({ value }: { value: string }) => value),
      labels: labels.map(({ name }: { name: string }) => name),
      chats: await ask(
        'select status, assigned_user_id is not null as is_assigned from chats where contact_id = $1',
        [contactId],
      ),
      messages,
      events: await ask(
        `select type, count(*)::int, count(sequence)::int as numbered from events where contact_id = $1
          group by type order by type`,
        [contactId],
      ),
    },
  };
}

// It takes one from beginning to end for every commit, twice.
describe('a worker that dies at any of its commits', { timeout: 120_000 }, () => {
  it('leaves each step of a run to be done once by the next, and the trace whole', async () => {
    const { tenant, channelId } = await ground();
    let contacts = 0;

    /** A person's run from beginning to end, with a worker that dies on the way and one that takes over. */
    async function through(death?: Death) {
      const from = `+1555${2_000_010 + contacts++}`;
      const first = born(tenant, death);
      let worker: MortalWorker = first;
      let deaths = 0;
      const settle = async (): Promise<void> => {
        if (await worker.settle()) return;
        deaths += 1;
        worker = born(tenant);
        expect(await worker.settle()).toBe(true);
      };
      const write = (text: string) => tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text });
      const callsBefore = calls.length;
      await write('start');
      await settle();
      await write('yes');
      await settle();
      server.clock.advance(10 * MINUTE);
      await settle();
      const [handle] = await ask('select contact_id from handles where tenant_id = $1 and value = $2', [
        tenant.id,
        from,
      ]);
      const { runId, seen } = await tracesOf(tenant, handle?.contact_id as string);
      return { deaths, commits: first.commits(), runId, seen, asked: calls.slice(callsBefore) };
    }

    const undisturbed = await through();
    expect(undisturbed.seen).toMatchObject({
      run: { status: 'completed', step: null, error: null },
      steps: STEPS.map((step, index) => [index + 1, step, 'completed']),
      attributes: ['gold'],
      labels: ['VIP'],
      chats: [{ status: 'closed', is_assigned: true }],
      messages: [
        { text: 'Welcome back', status: 'sent', run_step: 6, is_accepted: true },
        { text: 'Ten percent', status: 'sent', run_step: 9, is_accepted: true },
      ],
    });
    let deaths = 0;
    for (let at = 1; at <= undisturbed.commits; at += 1)
      for (const when of ['before', 'after'] as const) {
        const { seen, runId, asked, ...more } = await through({ at, when });
        expect([at, when, seen]).toEqual([at, when, undisturbed.seen]);
        // Nobody can know whether a call without an answer arrived: the receiver sees it by the key.
        expect([...new Set(asked)]).toEqual([`${runId}:5`]);
        expect(asked.length).toBeLessThanOrEqual(1 + more.deaths);
        deaths += more.deaths;
      }
    expect(deaths).toBe(2 * undisturbed.commits);
    expect(await repeatedCalls(ask)).toBe(0);
  });
});
