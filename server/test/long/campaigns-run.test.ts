import { describe, expect, it } from 'vitest';
import type { TenantTx } from '../../src/db/tenant.ts';
import { automationOf, groundFor, testContacts } from '../kit/campaigns.ts';
import { deliver, execution, workerDatabase } from '../kit/execution.ts';
import { approvedTemplate } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { failSingleChanges, wrapTransactions } from '../kit/wrap-database.ts';

const server = await useServer();
const { db } = server.system;
const workerDb = workerDatabase(server);
const NOBODY = { queued: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 };
const HELLO = [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }];
const SECOND = 1_000;

async function campaignOf(tenant: TestTenant, more: object = {}, options: object = { steps: HELLO }) {
  const ground = await groundFor(tenant, options);
  const made = await tenant.post('/v3/campaigns', { ...ground, name: 'x', ...more });
  expect(made.status).toBe(200);
  return { ...ground, id: made.body.data.id as string };
}

const read = async (tenant: TestTenant, id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;
const publishedEvents = async (tenant: TestTenant): Promise<unknown[]> =>
  (
    await db.query(
      `select type, data::json ->> 'status' as status, data::json -> 'error' ->> 'code' as code from events
        where tenant_id = $1 and type like 'campaign%' order by position`,
      [tenant.id],
    )
  ).rows;
const runsOf = async (id: string) =>
  (await db.query('select contact_id, status from automation_runs where campaign_id = $1', [id])).rows;

describe('a campaign', () => {
  it('of 5000 people is created in one call', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, {
      contacts: testContacts(5000),
      scheduledAt: '2026-12-24T09:00:00.000Z',
    });
    expect((await read(tenant, id)).recipientCounts.queued).toBe(5000);
  });

  it('runs its automation once for every recipient, and is completed when all are sent to', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { contacts: testContacts(3) });
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    expect((await sent()).map(({ text, author }) => [text, author]).sort()).toEqual(
      ['Hello N0', 'Hello N1', 'Hello N2'].map((text) => [text, 'campaign']),
    );
    expect(await read(tenant, id)).toMatchObject({
      status: 'running',
      recipientCounts: { ...NOBODY, queued: 3 },
    });
    expect(await deliver(server, id)).toBe(3);
    server.clock.advance(SECOND);
    await settle();
    expect(await read(tenant, id)).toMatchObject({
      status: 'completed',
      nextOccurrenceAt: null,
      recipientCounts: { ...NOBODY, sent: 3 },
    });
    expect(await publishedEvents(tenant)).toEqual([
      { type: 'campaign.started', status: 'running', code: null },
      { type: 'campaign.completed', status: 'completed', code: null },
    ]);
    server.clock.advance(86_400 * SECOND);
    await settle();
    expect(await sent()).toHaveLength(3);
  });

  it('with a time begins at it, and not before', async () => {
    const tenant = await server.tenant();
    const at = new Date(server.clock.now().getTime() + 3600 * SECOND);
    const { id } = await campaignOf(tenant, { contacts: testContacts(1), scheduledAt: at.toISOString() });
    const { sent, settle } = execution(server, workerDb, tenant);
    server.clock.advance(3599 * SECOND);
    await settle();
    expect([(await sent()).length, await publishedEvents(tenant)]).toEqual([0, []]);
    server.clock.advance(SECOND);
    await settle();
    expect(await read(tenant, id)).toMatchObject({ status: 'running', startedAt: at.toISOString() });
    expect(await sent()).toHaveLength(1);
    expect(await publishedEvents(tenant)).toMatchObject([{ type: 'campaign.started' }]);
  });

  it('gives its runs the variables as their types, its channel, and its template', async () => {
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    const template = (name: string): Promise<string> => approvedTemplate(server, tenant, { channelId, name });
    const [own, other] = [await template('own'), await template('other')];
    // Text can be sent to those who wrote.
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, {
      from: testContacts(1)[0]?.phoneNumber,
      text: 'Hi',
    });
    // The sandbox takes them, and approves them a moment later.
    await server.settle();
    server.clock.advance(SECOND);
    await server.settle();
    const automationId = await automationOf(tenant, {
      variables: [
        { name: 'discount', type: 'number' },
        { name: 'city', type: 'string', default: 'Rome' },
      ],
      steps: [
        { id: 'say', type: 'send_message', parameters: { text: '{{ variables.discount | plus: 1 }}' } },
        { id: 'first', type: 'send_template', parameters: { templateId: own } },
        { id: 'second', type: 'send_template', parameters: { templateId: own } },
      ],
    });
    const { body } = await tenant.post('/v3/campaigns', {
      channelId,
      automationId,
      name: 'x',
      messageTemplateId: other,
      variables: [{ name: 'discount', value: '20' }],
      contacts: testContacts(1),
    });
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    const messages = await sent();
    expect(messages.map(({ text, content }) => content.templateId ?? text)).toEqual(['21', other, own]);
    expect(messages[0]?.campaignId).toBe(body.data.id);
    const { rows } = await db.query(
      `select state -> 'variables' as variables from automation_runs where campaign_id = $1`,
      [body.data.id],
    );
    expect(rows).toEqual([{ variables: { discount: 20, city: 'Rome' } }]);
  });

  it('serves recipients that are added while it is under way', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { contacts: testContacts(1) });
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    await tenant.post(`/v3/campaigns/${id}/recipients`, { contacts: testContacts(2) });
    await settle();
    expect((await sent()).map(({ text }) => text)).toEqual(['Hello N0', 'Hello N1']);
    await deliver(server, id);
    server.clock.advance(SECOND);
    await settle();
    expect(await read(tenant, id)).toMatchObject({ status: 'completed', recipientCounts: { sent: 2 } });
  });

  it('without anybody in its audience is completed at once', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { audience: 'eq(firstName,"Nobody")' });
    await execution(server, workerDb, tenant).settle();
    expect(await read(tenant, id)).toMatchObject({ status: 'completed', recipientCounts: NOBODY });
  });

  it('is for whom its audience matches when it begins, and for those it names', async () => {
    const tenant = await server.tenant();
    const make = (firstName: string, number: string) =>
      tenant.post('/v3/contacts', { firstName, phoneNumber: `+1555000${number}` });
    await make('Ada', '1111');
    await make('Ada', '2222');
    await make('Grace', '3333');
    const { id } = await campaignOf(tenant, {
      audience: 'eq(firstName,"Ada")',
      contacts: [{ phoneNumber: '+15550004444', firstName: 'Named' }, { phoneNumber: '+15550001111' }],
    });
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    server.clock.advance(SECOND);
    await make('Ada', '5555');
    server.clock.advance(600 * SECOND);
    await settle();
    expect((await sent()).map(({ text }) => text).sort()).toEqual(['Hello Ada', 'Hello Ada', 'Hello Named']);
    expect((await read(tenant, id)).recipientCounts).toEqual({ ...NOBODY, queued: 3 });
  });

  it('gathers an audience however large it is, each once', async () => {
    const tenant = await server.tenant();
    // Many of one moment: the place in the row is decided by more than the time.
    await db.query(
      `insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, search_text, created_at, updated_at)
       select gen_random_uuid(), $1, case when n % 4 = 0 then 'Odd' else 'Many' end, true, '{}', '', $2, $2
         from generate_series(1, 11000) n`,
      [tenant.id, server.clock.now()],
    );
    const { id } = await campaignOf(tenant, { audience: 'eq(firstName,"Many")' });
    await execution(server, workerDb, tenant).settleCampaigns();
    const runs = await runsOf(id);
    expect(runs).toHaveLength(8250);
    expect(new Set(runs.map(({ contact_id }) => contact_id)).size).toBe(8250);
    expect((await read(tenant, id)).recipientCounts.queued).toBe(8250);
  });
});

describe('exactly once', () => {
  it('each recipient is served when two work on the campaign at the same time', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { contacts: testContacts(120) });
    const [one, two] = [execution(server, workerDb, tenant), execution(server, workerDb, tenant)];
    await Promise.all([one.settle(), two.settle()]);
    const { rows } = await db.query(
      'select contact_id, count(*)::int as messages from messages where campaign_id = $1 group by contact_id',
      [id],
    );
    expect(rows).toHaveLength(120);
    expect(rows.filter(({ messages }) => messages !== 1)).toEqual([]);
  });

  it.each([
    [510, [{ id: 'end', type: 'end' }]],
    [60, HELLO],
  ])('each of %i recipients is served when its worker is cut off again and again', async (count, steps) => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(
      tenant,
      { contacts: testContacts(count), audience: 'eq(isSubscribed,true)' },
      { steps },
    );
    let cuts = 0;
    for (let isOver = false; !isOver; ) {
      let left = cuts;
      // As a process that is killed: the work of a transaction is done, and then it does not commit.
      const dying = wrapTransactions(failSingleChanges(workerDb, new Error('killed')), (run, work) =>
        run(async (tx) => {
          const result = await work(tx);
          left -= 1;
          if (left < 0) throw new Error('killed');
          return result;
        }),
      );
      isOver = await execution(server, workerDb, tenant, { through: dying })
        .settle()
        .then(
          () => true,
          (error) => {
            expect(error.message).toBe('killed');
            cuts += 1;
            return false;
          },
        );
    }
    expect(cuts).toBeGreaterThan(2);
    const runs = await runsOf(id);
    expect(runs).toHaveLength(count);
    expect(runs.filter(({ status }) => status !== 'completed')).toEqual([]);
    const messages = await deliver(server, id);
    expect(messages).toBe(steps === HELLO ? count : 0);
    server.clock.advance(600 * SECOND);
    await execution(server, workerDb, tenant).settle();
    expect(await read(tenant, id)).toMatchObject({
      status: 'completed',
      recipientCounts: { ...NOBODY, [steps === HELLO ? 'sent' : 'failed']: count },
    });
  });
});

describe('a campaign that cannot begin fails, and says why', () => {
  const fails = async (tenant: TestTenant, id: string, code: string) => {
    server.clock.advance(3600 * SECOND);
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    expect(await sent()).toEqual([]);
    const { status, error, recipientCounts } = await read(tenant, id);
    expect([status, error.code]).toEqual(['failed', code]);
    expect(recipientCounts.queued).toBe(0);
    expect((await publishedEvents(tenant)).at(-1)).toEqual({
      type: 'campaign.failed',
      status: 'failed',
      code,
    });
  };
  const later = () => ({
    contacts: testContacts(1),
    scheduledAt: new Date(server.clock.now().getTime() + SECOND).toISOString(),
  });

  it.each(['inactive', 'archived'])('when its automation is %s', async (status) => {
    const tenant = await server.tenant();
    const { id, automationId } = await campaignOf(tenant, later());
    await tenant.post(`/v3/automations/${automationId}/status?force=true`, { status });
    await fails(tenant, id, 'automation_not_active');
  });

  it('when its automation is gone', async () => {
    const tenant = await server.tenant();
    const { id, automationId } = await campaignOf(tenant, later());
    await tenant.delete(`/v3/automations/${automationId}?force=true`);
    await fails(tenant, id, 'automation_deleted');
  });

  it('when its automation wants other variables by now', async () => {
    const tenant = await server.tenant();
    const { id, automationId } = await campaignOf(tenant, later());
    await tenant.put(`/v3/automations/${automationId}`, {
      variables: [{ name: 'city', type: 'string', required: true }],
    });
    await tenant.post(`/v3/automations/${automationId}/publish`);
    await fails(tenant, id, 'invalid_variables');
  });

  it.each([
    ['template_deleted', 'delete from message_templates where id = $1'],
    ['template_not_approved', `update message_templates set status = 'paused' where id = $1`],
  ])('with %s', async (code, change) => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant, { kind: 'whatsapp', steps: HELLO });
    const template = { channelId: ground.channelId, name: 'hello', language: 'en', body: 'Hello' };
    const messageTemplateId = (await tenant.post('/v3/message_templates', template)).body.data.id;
    const made = await tenant.post('/v3/campaigns', { ...ground, name: 'x', messageTemplateId, ...later() });
    await db.query(change, [messageTemplateId]);
    await fails(tenant, made.body.data.id, code);
  });

  it('when its audience asks for an attribute that was deleted', async () => {
    const tenant = await server.tenant();
    const attribute = await tenant.post('/v3/attributes', { name: 'City', externalId: 'city' });
    const { id } = await campaignOf(tenant, { ...later(), audience: 'eq(attributes.city,"Rome")' });
    await tenant.delete(`/v3/attributes/${attribute.body.data.id}?force=true`);
    await fails(tenant, id, 'invalid_audience');
  });

  it('for a reason of the server, after it was tried again', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { contacts: testContacts(1) });
    const broken = wrapTransactions(workerDb, (run, work) =>
      run((tx) => {
        const all: TenantTx['all'] = async (statement, parameters) => {
          if (statement.name === 'recipients.pick_without_run') throw new Error('broken');
          return (tx.all as TenantTx['all'])(statement, parameters);
        };
        return work(Object.create(tx, { all: { value: all } }));
      }),
    );
    const { settleCampaigns } = execution(server, workerDb, tenant, { through: broken });
    for (let tries = 0; tries < 4; tries += 1) {
      await settleCampaigns();
      expect((await read(tenant, id)).status).toBe('running');
      server.clock.advance(600 * SECOND);
    }
    await settleCampaigns();
    expect(await read(tenant, id)).toMatchObject({ status: 'failed', error: { code: 'internal' } });
  });
});
