import { expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { automationOf as campaignAutomation } from '../kit/campaigns.ts';
import { startImport } from '../kit/imports.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const CONTACTS = 30;
const ROUNDS = 12;
const phoneOf = (person: number): string => `+1555020${String(person).padStart(4, '0')}`;

/** A number from 0 to below `limit`, the same in every run of the test. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** What contradicts itself in the tables of a tenant, each with how many rows do. */
const contradictions = `
  select 'messages of another contact than their chat' as what, count(*)::int as count
    from messages m join chats k on k.id = m.chat_id where m.tenant_id = $1 and m.contact_id <> k.contact_id
  union all
  select 'runs of another contact than their chat', count(*)::int
    from automation_runs r join chats k on k.id = r.chat_id where r.tenant_id = $1 and r.contact_id <> k.contact_id
  union all
  select 'chats with a handle of another contact', count(*)::int
    from chats k join handles h on h.id = k.handle_id where k.tenant_id = $1 and h.contact_id <> k.contact_id
  union all
  select 'two chats of one handle in a channel', count(*)::int from (
    select 1 from chats where tenant_id = $1 group by channel_id, handle_id having count(*) > 1) twice
  union all
  select 'contacts that are being merged', count(*)::int from contacts where tenant_id = $1 and merged_into is not null
  union all
  select 'events about contacts that are gone', count(*)::int from events e
   where e.tenant_id = $1 and e.contact_id is not null and e.type <> 'contact.deleted'
     and not exists (select 1 from contacts c where c.id = e.contact_id)
  union all
  select 'two messages of a campaign to one contact', count(*)::int from (
    select 1 from messages m join automation_runs r on r.id = m.run_id
     where m.tenant_id = $1 and r.campaign_id is not null
     group by r.campaign_id, r.occurrence_at, m.contact_id having count(*) > 1) twice
  union all
  select 'removals that do not end', count(*)::int from removals where tenant_id = $1`;

it('A1, R1, I8: merging, erasing, importing, sending and deleting at once contradict each other nowhere', async () => {
  const server = await useServer({ timers: true, connections: { api: 12, worker: 8 } });
  const { db } = server.system;
  const tenant: TestTenant = await server.tenant();
  const random = createRandom(7);
  const channels = [(await tenant.channel('sms')).id, (await tenant.channel('sms')).id];
  let spare = (await tenant.channel('sms')).id;
  const labelId = (await tenant.post('/v3/labels', { name: 'vip' })).body.data.id as string;
  await automationOf(tenant, {
    name: 'Bot',
    trigger: { type: 'message_received' },
    steps: [
      { id: 'label', type: 'add_label', parameters: { labelId } },
      { id: 'hi', type: 'send_message', parameters: { text: 'Hi {{ contact.firstName }}' } },
      { id: 'wait', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
      { id: 'off', type: 'remove_label', parameters: { labelId } },
    ],
  });
  const campaignSteps = [{ id: 'hi', type: 'send_message', parameters: { text: 'Sale' } }];
  const campaignBot = await campaignAutomation(tenant, { steps: campaignSteps });

  const odd: string[] = [];
  const ask = async (what: string, answering: Promise<Answer>): Promise<Answer> => {
    const answer = await answering;
    if (answer.status >= 500) odd.push(`${what} ${answer.status} ${answer.text}`);
    return answer;
  };
  const someContacts = async (count: number): Promise<string[]> =>
    (
      await db.query(
        `select id from contacts where tenant_id = $1 and merged_into is null order by md5(id::text || $2::text) limit $3`,
        [tenant.id, String(random(1_000_000)), count],
      )
    ).rows.map(({ id }) => String(id));
  const table = (round: number): string =>
    `Name;Phone\n${Array.from({ length: CONTACTS }, (_, person) => `N${round} ${person};${phoneOf(person)}`).join('\n')}\n`;

  const actions: (() => Promise<unknown>)[] = [
    async () => {
      for (let count = 0; count < 10; count += 1)
        await ask(
          'inbound',
          tenant.post(`/v3/sandbox/${channels[random(2)]}/inbound`, {
            from: phoneOf(random(CONTACTS)),
            text: `Planted ${count}`,
          }),
        );
    },
    async () => {
      for (let count = 0; count < 3; count += 1) {
        const [one, other] = await someContacts(2);
        if (one && other)
          await ask('merge', tenant.post(`/v3/contacts/${one}/merge`, { fromContactId: other }));
      }
    },
    async () => {
      const [one] = await someContacts(1);
      if (one) await ask('erase', tenant.delete(`/v3/contacts/${one}`));
    },
    async () => ask('import', startImport(tenant, table(random(1000)), { onExisting: 'update' })),
    async () => {
      const contacts = Array.from({ length: CONTACTS }, (_, person) => ({ phoneNumber: phoneOf(person) }));
      const body = { channelId: channels[random(2)], name: 'Sale', automationId: campaignBot, contacts };
      await ask('campaign', tenant.post('/v3/campaigns', body));
    },
    async () => {
      const body = {
        channelId: spare,
        name: 'Spare',
        automationId: campaignBot,
        audience: 'eq(isSubscribed,true)',
      };
      await ask('campaign', tenant.post('/v3/campaigns', body));
      await ask('channel', tenant.delete(`/v3/channels/${spare}?force=true`));
      spare = (await tenant.channel('sms')).id;
    },
    async () => {
      const ids = await someContacts(10);
      const action = { type: 'add_label', labelId };
      await ask('bulk', tenant.post('/v3/contacts/bulk', { ids, action }));
    },
    async () => {
      const [one] = await someContacts(1);
      if (one) await ask('export', tenant.get(`/v3/contacts/${one}/export`));
    },
    async () => {
      for (const id of await someContacts(3))
        await ask('change', tenant.put(`/v3/contacts/${id}`, { firstName: 'Changed', labelIds: [] }));
    },
  ];
  for (let round = 0; round < ROUNDS; round += 1)
    await Promise.all(actions.map((act, index) => ((round + index) % 3 === 2 ? undefined : act())));

  const open = `select (select count(*) from jobs where tenant_id = $1 and ended_at is null)
    + (select count(*) from inbound where tenant_id = $1 and due_at is not null)
    + (select count(*) from events where tenant_id = $1 and sequence is null)
    + (select count(*) from campaigns where tenant_id = $1 and status in ('scheduled', 'running')) as count`;
  const isDone = async () => Number((await db.query(open, [tenant.id])).rows[0]?.count) === 0;
  await until(async () => {
    server.clock.advance(2_000);
    await server.settle();
    return isDone();
  }, 90_000);
  expect(odd).toEqual([]);
  const found = (await db.query(contradictions, [tenant.id])).rows;
  expect(found.filter(({ count }) => count !== 0)).toEqual([]);
  await server.stop(30_000);
  const client = await usePgClient(server.databaseUrl);
  const { rows } = await client.query(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(Number(rows[0].deadlocks)).toBe(0);
  const isBad = (line: string): boolean => /"level":(50|60)|failed, it is re/.test(line);
  expect(server.logged.filter(isBad)).toEqual([]);
}, 240_000);
