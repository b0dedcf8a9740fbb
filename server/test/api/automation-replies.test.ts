import { expect, it } from 'vitest';
import { automationOf, personOf } from '../kit/automations.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
const { db } = server.system;

it('I7: a reply that arrives while a run begins to wait for it is not missed', async () => {
  const tenant = await server.tenant();
  const { contactId, chatId } = await personOf(server, tenant);
  const { body: chat } = await tenant.get(`/v3/chats/${chatId}`);
  await automationOf(tenant, {
    trigger: { type: 'message_received', parameters: { keywords: ['start'] } },
    steps: [
      { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
      { id: 'end', type: 'end' },
    ],
  });
  const write = (text: string) =>
    tenant.post(`/v3/sandbox/${chat.data.channelId}/inbound`, { from: '+15550001111', text });
  const statusOfRun = async () =>
    (await db.query('select status from automation_runs where contact_id = $1', [contactId])).rows.map(
      ({ status }) => status,
    );

  // The run has looked for a reply and cannot store yet that it waits for one.
  const blocker = await usePgClient(server.databaseUrl);
  await blocker.query('begin');
  await blocker.query('lock table run_trace in share mode');
  const waiting = async (): Promise<number> => {
    const { rows } = await db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    );
    return rows.length;
  };
  await write('start');
  const running = server.settle();
  await until(async () => (await waiting()) === 1);
  await write('answer');
  const replying = server.settle();
  const isNumbered = async () =>
    (
      await db.query(
        `select 1 from events where tenant_id = $1 and sequence is not null and data::json ->> 'text' = 'answer'`,
        [tenant.id],
      )
    ).rows.length === 1;
  await until(async () => (await waiting()) === 2 || (await isNumbered()));
  await blocker.query('rollback');
  await Promise.all([running, replying]);
  await server.settle();
  expect(await statusOfRun()).toEqual(['completed']);
});

it('the trace shows the first 1000 characters of a long reply', async () => {
  const tenant = await server.tenant();
  const { chatId } = await personOf(server, tenant);
  const { body: chat } = await tenant.get(`/v3/chats/${chatId}`);
  await automationOf(tenant, {
    trigger: { type: 'message_received', parameters: { keywords: ['start'] } },
    steps: [
      { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
      { id: 'end', type: 'end' },
    ],
  });
  for (const text of ['start', 'r'.repeat(1_500)]) {
    await tenant.post(`/v3/sandbox/${chat.data.channelId}/inbound`, { from: '+15550001111', text });
    await server.settle();
  }
  const [run] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
  const { trace } = (await tenant.get(`/v3/automation_runs/${run.id}`)).body.data;
  expect(trace[0]).toMatchObject({ step: 'reply', detail: { reply: { text: `${'r'.repeat(999)}…` } } });
});
