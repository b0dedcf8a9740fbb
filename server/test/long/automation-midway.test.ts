import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { testContacts } from '../kit/campaigns.ts';
import { workerDatabase } from '../kit/execution.ts';
import { mortalWorkers } from '../kit/mortal-worker.ts';
import { approvedTemplate, outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const db = workerDatabase(server);
const born = mortalWorkers(server, db);
const MINUTE = 60_000;
const ADA = '+15552001111';

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const later = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const outbox = async (): Promise<string[]> =>
  (await outboxOf(tenant, channel)).map(({ text }: { text: string }) => text);
const runOf = async (id: string) => (await tenant.get(`/v3/automation_runs/${id}`)).body.data;
const write = async (text: string): Promise<void> => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: ADA, text });
};
const contact = async () => (await tenant.post('/v3/contacts/search', {})).body.data[0];

const SAY = { id: 'say', type: 'send_message', parameters: { text: 'Hello' } };
const PAUSE = { id: 'pause', type: 'wait', parameters: { for: 'PT10M' } };

/** A run that has begun and waits before its last step. */
async function waiting(steps: object[], { isKnown = true } = {}): Promise<string> {
  if (isKnown) await write('hello');
  else await tenant.post('/v3/contacts', { phoneNumber: ADA });
  await server.settle();
  const trigger = { type: 'api', parameters: { channelId: channel.id } };
  const id = await automationOf(tenant, { trigger, steps });
  const { headers } = await tenant.post(`/v3/automations/${id}/trigger`, { contactId: (await contact()).id });
  const runId = headers['x-automation-run-id'] as string;
  await server.settle();
  expect(await runOf(runId)).toMatchObject({ status: 'waiting' });
  return runId;
}

describe('a run that waits, when meanwhile', () => {
  it('its contact is deleted: it goes with it, and nothing is sent', async () => {
    const runId = await waiting([PAUSE, SAY]);
    await tenant.delete(`/v3/contacts/${(await contact()).id}`);
    await later(10 * MINUTE);
    expect(await outbox()).toEqual([]);
    expect((await tenant.get(`/v3/automation_runs/${runId}`)).status).toBe(404);
  });

  it('its channel is deleted: it is cancelled with the chat, and tells what it did', async () => {
    const runId = await waiting([SAY, PAUSE, { ...SAY, id: 'again' }]);
    expect(await outbox()).toEqual(['Hello']);
    await tenant.delete(`/v3/channels/${channel.id}?force=true`);
    await later(10 * MINUTE);
    expect(await runOf(runId)).toMatchObject({
      status: 'cancelled',
      chatId: null,
      trace: [{ step: 'say', status: 'completed' }, { step: 'pause' }],
    });
  });

  it('the channel is deleted that it would have sent on: the step fails, and says why', async () => {
    const runId = await waiting([PAUSE, SAY], { isKnown: false });
    await tenant.delete(`/v3/channels/${channel.id}?force=true`);
    await later(10 * MINUTE);
    const run = await runOf(runId);
    expect(run).toMatchObject({ status: 'failed', step: 'say', error: { code: 'channel_gone' } });
    expect(run.trace).toMatchObject([
      { step: 'pause', status: 'completed' },
      { step: 'say', status: 'failed' },
    ]);
  });

  it.each([
    ['deleted', 'template_gone'],
    ['rejected', 'template_not_approved'],
  ])('its template is %s: the step fails, and goes on when that is put right', async (what, code) => {
    const templateId = await approvedTemplate(server, tenant, { channelId: channel.id });
    const runId = await waiting([PAUSE, { id: 'say', type: 'send_template', parameters: { templateId } }]);
    if (what === 'deleted') await tenant.delete(`/v3/message_templates/${templateId}?force=true`);
    else await db.query(`update message_templates set status = 'rejected' where id = $1`, [templateId]);
    await later(10 * MINUTE);
    expect(await runOf(runId)).toMatchObject({ status: 'failed', step: 'say', error: { code } });
    expect(await outbox()).toEqual([]);
    if (what === 'deleted') return;
    await db.query(`update message_templates set status = 'approved' where id = $1`, [templateId]);
    await tenant.post(`/v3/automation_runs/${runId}/retry`);
    await server.settle();
    expect(await runOf(runId)).toMatchObject({
      status: 'completed',
      trace: [{}, {}, { step: 'say', number: 3 }],
    });
    expect(await outbox()).toEqual(['Hello']);
  });

  it('a reply comes in the instant of the time-out, to two workers at once: it goes one way, once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const from = `+1555200222${round}`;
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'start' });
      if (round === 0)
        await automationOf(tenant, {
          trigger: { type: 'message_received', parameters: { keywords: ['start'] } },
          steps: [
            { id: 'ask', type: 'send_message', parameters: { text: 'Well?' } },
            { id: 'wait', type: 'wait_for_reply', parameters: { timeout: 'PT10M', onTimeout: 'late' } },
            { id: 'thanks', type: 'send_message', parameters: { text: 'Thanks' }, next: 'end' },
            { id: 'late', type: 'send_message', parameters: { text: 'Too late' } },
            { id: 'end', type: 'end' },
          ],
        });
      await server.settle();
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'good' });
      server.clock.advance(10 * MINUTE);
      await Promise.all([
        born(tenant).settle(),
        born(tenant, undefined, ['automation_runs', 'inbound', 'events', 'messages']).settle(),
      ]);
      await server.settle();
      const said = (await outboxOf(tenant, channel)).filter(({ to }: { to: string }) => to === from);
      const texts = said.map(({ text }: { text: string }) => text);
      expect([
        ['Well?', 'Thanks'],
        ['Well?', 'Too late'],
      ]).toContainEqual(texts);
      const [run] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
      const { status, trace } = await runOf(run.id);
      const way = texts[1] === 'Thanks' ? 'thanks' : 'late';
      expect([status, trace.map(({ step }: { step: string }) => step)]).toEqual([
        'completed',
        ['ask', 'wait', way, 'end'],
      ]);
    }
  });
});

describe('a broadcast', () => {
  it('of 5000 contacts with bad ones among them names every one of those, and reaches nobody', async () => {
    const workflowId = await automationOf(tenant, { trigger: { type: 'campaign' }, steps: [SAY] });
    const bad = [0, 17, 2500, 4998, 4999];
    const contacts: object[] = testContacts(5000);
    for (const at of bad) contacts[at] = { phoneNumber: 'not a number' };
    const answer = await tenant.post(`/v2/${channel.id}/broadcasts`, { name: 'Sale', workflowId, contacts });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.error.invalidParams)).toEqual(
      bad.map((at) => `contacts.${at}.phoneNumber`),
    );
    await server.settle();
    const { rows } = await db.query(
      `select (select count(*)::int from contacts where tenant_id = $1) as contacts,
              (select count(*)::int from campaigns where tenant_id = $1) as campaigns,
              (select count(*)::int from automation_runs where tenant_id = $1) as runs`,
      [tenant.id],
    );
    expect(rows).toEqual([{ contacts: 0, campaigns: 0, runs: 0 }]);
    expect(await outbox()).toEqual([]);
  });
});

describe('a run that fails for a reason of the server', () => {
  it('is tried again, then stays as failed, and is published like every other', async () => {
    const runId = await waiting([PAUSE, SAY]);
    await db.query(
      `update automation_versions v set definition = jsonb_set(definition, '{steps,1,type}', '"nothing"')
         from automation_runs r where r.id = $1 and v.id = r.version_id`,
      [runId],
    );
    const next = born(tenant);
    await next.settle();
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await runOf(runId)).toMatchObject({ status: 'waiting' });
      server.clock.advance(10 * MINUTE);
      await next.settle();
    }
    expect(await runOf(runId)).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    const { body } = await tenant.post('/v3/events/search', { query: 'eq(type,"automation.run_failed")' });
    expect(body.data).toMatchObject([{ data: { id: runId, status: 'failed', error: { code: 'internal' } } }]);
  });
});

describe('a batch of runs', () => {
  it('takes as many statements for many people whom nobody has written to as for one', async () => {
    const sms = await tenant.channel('sms');
    const templateId = await approvedTemplate(server, tenant, { channelId: sms.id });
    const steps = [SAY, { id: 'template', type: 'send_template', parameters: { templateId } }];
    const automationId = await automationOf(tenant, { trigger: { type: 'campaign' }, steps });
    const statementsFor = async (count: number, from: number): Promise<number> => {
      const campaign = { name: 'Sale', automationId, channelId: sms.id, contacts: testContacts(count, from) };
      expect((await tenant.post('/v3/campaigns', campaign)).status).toBe(200);
      await born(tenant, undefined, ['campaigns']).settle();
      const worker = born(tenant, undefined, ['automation_runs']);
      await worker.settle();
      return worker.statements();
    };
    const [one, many] = [await statementsFor(1, 100), await statementsFor(50, 200)];
    expect(many).toBe(one);
    const { rows } = await db.query('select 1 from messages where channel_id = $1', [sms.id]);
    expect(rows).toHaveLength(102);
  });
});

describe('two workers', () => {
  it('that execute the same runs at the same time send each message once, and every trace is whole', async () => {
    const sms = await tenant.channel('sms');
    const automationId = await automationOf(tenant, {
      trigger: { type: 'campaign' },
      steps: [
        { id: 'one', type: 'send_message', parameters: { text: 'One' } },
        { id: 'two', type: 'send_message', parameters: { text: 'Two {{ contact.firstName }}' } },
      ],
    });
    const { body } = await tenant.post('/v3/campaigns', {
      name: 'Sale',
      automationId,
      channelId: sms.id,
      contacts: testContacts(20, 100),
    });
    await tenant.put(`/v3/campaigns/${body.data.id}/status`, { status: 'running' });
    expect(await Promise.all([born(tenant), born(tenant), born(tenant)].map((one) => one.settle()))).toEqual([
      true,
      true,
      true,
    ]);
    const said = (await outboxOf(tenant, sms)).map(({ to, text }: Record<string, string>) => `${to} ${text}`);
    expect(said.toSorted()).toEqual(
      testContacts(20, 100)
        .flatMap(({ phoneNumber, firstName }) => [`${phoneNumber} One`, `${phoneNumber} Two ${firstName}`])
        .toSorted(),
    );
    const { rows } = await db.query(
      `select r.status, array_agg(t.step order by t.number) as steps, count(*)::int from automation_runs r
         join run_trace t on t.run_id = r.id where r.campaign_id = $1 group by r.id, r.status`,
      [body.data.id],
    );
    expect(rows).toEqual(
      Array.from({ length: 20 }, () => ({ status: 'completed', steps: ['one', 'two'], count: 2 })),
    );
  });
});
