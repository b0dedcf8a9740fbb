import { describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { fillChat, fillEvents } from '../kit/bulk.ts';
import { workerDatabase } from '../kit/execution.ts';
import { type Death, mortalWorkers, type QueueName } from '../kit/mortal-worker.ts';
import { openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const db = workerDatabase(server);
const born = mortalWorkers(server, db);
const JOBS: QueueName[] = ['jobs', 'events'];
/** More than is moved or erased in the transaction of the request. */
const MANY = 1_100;
const ask = async (text: string, values: unknown[]) => (await db.query(text, values)).rows;

/** Two contacts with a chat, a note, a run and many messages and events each. */
async function makeTwo(): Promise<{ tenant: TestTenant; ids: [string, string] }> {
  const tenant = await server.tenant();
  const channel = await tenant.channel('sms');
  await automationOf(tenant, {
    trigger: { type: 'message_received' },
    steps: [{ id: 'wait', type: 'wait', parameters: { for: 'P1D' } }],
  });
  const ids: string[] = [];
  for (const from of ['+15550002221', '+15550002222']) {
    const chat = await openChat(server, tenant, channel, from);
    await tenant.post(`/v3/chats/${chat.id}/notes`, { text: 'Planted' });
    await fillChat(server, tenant, chat.id, MANY);
    await fillEvents(server, tenant, chat.contactId, MANY);
    ids.push(chat.contactId);
  }
  await server.settle();
  return { tenant, ids: ids as [string, string] };
}

/** What is left of the tenant's contacts, without what differs from one tenant to the next. */
async function stateOf({ id }: TestTenant) {
  const [counts] = await ask(
    `select (select count(*)::int from contacts where tenant_id = $1) as contacts,
            (select count(*)::int from handles where tenant_id = $1) as handles,
            (select count(*)::int from chats where tenant_id = $1) as chats,
            (select count(*)::int from notes where tenant_id = $1) as notes,
            (select count(*)::int from messages where tenant_id = $1) as messages,
            (select count(distinct contact_id)::int from messages where tenant_id = $1) as "contactsOfMessages",
            (select count(*)::int from automation_runs where tenant_id = $1) as runs,
            (select count(distinct contact_id)::int from automation_runs where tenant_id = $1) as "contactsOfRuns",
            (select count(*)::int from events where tenant_id = $1) as events,
            (select count(distinct contact_id)::int from events where tenant_id = $1) as "contactsOfEvents",
            (select count(*)::int from events where tenant_id = $1 and data like '%filler%') as "eventsWithNames",
            (select count(*)::int from removals where tenant_id = $1) as removals,
            (select array_agg(status order by id) from jobs where tenant_id = $1) as jobs`,
    [id],
  );
  return counts;
}

/** Does something that needs a job, with a worker that dies on the way and one that takes over. */
async function through(act: (tenant: TestTenant, ids: [string, string]) => Promise<void>, death?: Death) {
  const { tenant, ids } = await makeTwo();
  await act(tenant, ids);
  const first = born(tenant, death, JOBS);
  const lived = await first.settle();
  if (!lived) expect(await born(tenant, undefined, JOBS).settle()).toBe(true);
  return { lived, commits: first.commits(), state: await stateOf(tenant) };
}

const merge = async (tenant: TestTenant, [one, other]: [string, string]): Promise<void> => {
  const answer = await tenant.post(`/v3/contacts/${one}/merge`, { fromContactId: other });
  expect(answer.status).toBe(200);
};
const erase = async (tenant: TestTenant, [one]: [string, string]): Promise<void> => {
  expect((await tenant.delete(`/v3/contacts/${one}`)).status).toBe(200);
};

describe('R1: a worker that dies at any commit of a job', { timeout: 240_000 }, () => {
  it.each([
    ['merging two contacts', merge, { contacts: 1, contactsOfMessages: 1, contactsOfRuns: 1 }],
    ['erasing a contact', erase, { contacts: 1, contactsOfMessages: 1, contactsOfRuns: 1 }],
    [
      'erasing what two contacts are being merged into',
      async (tenant: TestTenant, ids: [string, string]) => {
        await merge(tenant, ids);
        await erase(tenant, ids);
      },
      { contacts: 0, messages: 0, runs: 0, notes: 0, chats: 0, handles: 0, eventsWithNames: 0 },
    ],
  ] as const)('leaves the rest to the next: %s', async (_, act, expected) => {
    const undisturbed = await through(act);
    expect(undisturbed.state).toMatchObject({ ...expected, removals: 0 });
    for (let at = 1; at <= undisturbed.commits; at += 1)
      for (const when of ['before', 'after'] as const) {
        const { lived, state } = await through(act, { at, when });
        expect([at, when, lived, state]).toEqual([at, when, false, undisturbed.state]);
      }
  });
});
