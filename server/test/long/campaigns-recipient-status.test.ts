import { describe, expect, it } from 'vitest';
import { csvCell } from '../../src/http/csv.ts';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { deliver, execution, workerDatabase } from '../kit/execution.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const workerDb = workerDatabase(server);
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const HELLO = [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }];

async function campaignOf(tenant: TestTenant, more: object, steps: object[] = HELLO) {
  const ground = await groundFor(tenant, { steps });
  const made = await tenant.post('/v3/campaigns', { ...ground, name: 'x', ...more });
  return { ...ground, id: made.body.data.id as string };
}
const recipientStatuses = async (tenant: TestTenant, id: string, body: object = {}) =>
  (
    await tenant.post(`/v3/campaigns/${id}/recipients/search`, { sortBy: 'asc(contactId)', ...body })
  ).body.data.map(({ status, code, skipReason }: Record<string, unknown>) => [status, code, skipReason]);
const counts = async (tenant: TestTenant, id: string) => {
  const { recipientCounts } = (await tenant.get(`/v3/campaigns/${id}`)).body.data;
  return Object.fromEntries(Object.entries(recipientCounts).filter(([, count]) => count !== 0));
};

describe('what becomes of a recipient', () => {
  it('follows the first message of its run', async () => {
    const tenant = await server.tenant();
    const steps = [...HELLO, { id: 'more', type: 'send_message', parameters: { text: 'And more' } }];
    const { id } = await campaignOf(tenant, { contacts: testContacts(1) }, steps);
    expect(await recipientStatuses(tenant, id)).toEqual([['queued', null, null]]);
    await execution(server, workerDb, tenant).settle();
    const [first] = (await db.query('select id from messages where campaign_id = $1 order by run_step', [id]))
      .rows;
    for (const status of ['sent', 'delivered', 'read']) {
      await db.query('update messages set status = $2 where id = $1', [first?.id, status]);
      expect([await recipientStatuses(tenant, id), await counts(tenant, id)]).toEqual([
        [[status, null, null]],
        { [status]: 1 },
      ]);
    }
    const error = { code: '131026', message: 'No' };
    await db.query(`update messages set status = 'failed', error = $2 where id = $1`, [first?.id, error]);
    expect(await recipientStatuses(tenant, id)).toEqual([['failed', '131026', null]]);
    const [recipient] = (await tenant.post(`/v3/campaigns/${id}/recipients/search`, {})).body.data;
    expect(recipient.messageId).toBe(first?.id);
    expect((await tenant.get(`/v3/automation_runs/${recipient.runId}`)).body.data).toMatchObject({
      campaignId: id,
      contactId: recipient.contactId,
      status: 'completed',
    });
  });

  it('is skipped where nothing may or can be sent, whether its run or the sending finds that out', async () => {
    const tenant = await server.tenant();
    const contact = async (body: object): Promise<string> =>
      (await tenant.post('/v3/contacts', body)).body.data.id;
    const ids = [
      await contact({ firstName: 'x', phoneNumber: '+15550001111', isSubscribed: false }),
      await contact({ firstName: 'x', email: 'x@example.com' }),
      await contact({ firstName: 'x', phoneNumber: '+15550002222' }),
      await contact({ firstName: 'x', phoneNumber: '+15550003333' }),
      await contact({ firstName: 'x', phoneNumber: '+15550004444' }),
    ];
    const { id: channelId } = await tenant.channel('whatsapp');
    // The window of the third contact is closed: it never wrote.
    for (const from of ['+15550003333', '+15550004444'])
      await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'Hi' });
    await server.settle();
    const { id } = await campaignOf(tenant, { audience: 'eq(firstName,"x")', channelId });
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    expect((await sent()).map(({ contactId }) => contactId)).toEqual(ids.slice(3));
    await db.query(
      `update messages set status = 'failed', error = $3, due_at = null where campaign_id = $1 and contact_id = $2`,
      [id, ids[3], { code: 'channel_failing', message: 'No' }],
    );
    await deliver(server, id, 'failed', { code: 'window_closed', message: 'Too late' });
    expect(await recipientStatuses(tenant, id)).toEqual([
      ['skipped', 'unsubscribed', 'unsubscribed'],
      ['skipped', 'no_handle', 'no_handle'],
      ['skipped', 'window_closed', 'window_closed'],
      ['failed', 'channel_failing', null],
      ['skipped', 'window_closed', 'window_closed'],
    ]);
    expect(await counts(tenant, id)).toEqual({ skipped: 4, failed: 1 });
    expect(await recipientStatuses(tenant, id, { query: 'eq(status,"failed")' })).toHaveLength(1);
    expect(await recipientStatuses(tenant, id, { query: 'eq(skipReason,"window_closed")' })).toHaveLength(2);
    expect(
      await recipientStatuses(tenant, id, { query: 'and(eq(code,"no_handle"),eq(status,"skipped"))' }),
    ).toHaveLength(1);
    expect(await recipientStatuses(tenant, id, { query: 'isNull(code)' })).toEqual([]);
    server.clock.advance(1000);
    await settle();
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data.status).toBe('completed');
  });

  it('is failed where its run ends without a message', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { contacts: testContacts(1) }, [{ id: 'end', type: 'end' }]);
    await execution(server, workerDb, tenant).settle();
    expect(await recipientStatuses(tenant, id)).toEqual([['failed', 'nothing_sent', null]]);
  });

  it('is failed where its run fails before a message', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, { contacts: testContacts(1) });
    await execution(server, workerDb, tenant, { adapters: new Map() }).settle();
    expect(await recipientStatuses(tenant, id)).toEqual([['failed', 'provider_missing', null]]);
  });

  it('is failed where the chat is deleted with the message, or the automation with the run', async () => {
    const tenant = await server.tenant();
    const [one, two] = [
      await campaignOf(tenant, { contacts: testContacts(1) }),
      await campaignOf(tenant, { contacts: testContacts(1) }, [
        { id: 'wait', type: 'wait', parameters: { for: 'P1D' } },
        ...HELLO,
      ]),
    ];
    const { settle } = execution(server, workerDb, tenant);
    await settle();
    const { rows } = await db.query('select chat_id from messages where campaign_id = $1', [one.id]);
    await tenant.delete(`/v3/chats/${rows[0]?.chat_id}`);
    await tenant.delete(`/v3/automations/${two.automationId}?force=true`);
    expect(await recipientStatuses(tenant, one.id)).toEqual([['failed', 'message_deleted', null]]);
    expect(await recipientStatuses(tenant, two.id)).toEqual([['failed', 'automation_deleted', null]]);
    server.clock.advance(1000);
    await settle();
    expect((await tenant.get(`/v3/campaigns/${two.id}`)).body.data.status).toBe('completed');
  });
});

describe('the results of a campaign', () => {
  const results = async (tenant: TestTenant, id: string) => tenant.get(`/v3/campaigns/${id}/results.csv`);

  it('are a line for each recipient, safe to open', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, {
      contacts: [
        { phoneNumber: '+15550001111', firstName: '=1+1', lastName: '"Ada", Countess' },
        { phoneNumber: '+15550002222', firstName: 'Grace' },
      ],
    });
    await execution(server, workerDb, tenant).settle();
    const { rows } = await db.query(
      `select c.first_name, m.id, m.contact_id from messages m join contacts c on c.id = m.contact_id
        where m.campaign_id = $1 order by m.contact_id`,
      [id],
    );
    await db.query(`update messages set status = 'delivered' where id = $1`, [
      rows.find((row) => row.first_name === 'Grace')?.id,
    ]);
    const at = server.clock.now().toISOString();
    const lines = rows.map((row) =>
      row.first_name === 'Grace'
        ? `${row.contact_id},Grace,+15550002222,delivered,,${row.id},${at}`
        : `${row.contact_id},"'=1+1 ""Ada"", Countess",+15550001111,queued,,${row.id},`,
    );
    const answer = await results(tenant, id);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="campaign-${id}.csv"`,
    });
    expect(answer.text).toBe(
      ['contactId,displayName,handle,status,code,messageId,sentAt', ...lines, ''].join('\r\n'),
    );
    expect((await tenant.call('HEAD', `/v3/campaigns/${id}/results.csv`)).text).toBe('');
  });

  it('go over more than a page, each recipient once', async () => {
    const tenant = await server.tenant();
    const { id } = await campaignOf(tenant, {
      contacts: testContacts(2001),
      scheduledAt: '2027-01-01T00:00:00Z',
    });
    const [, ...lines] = (await results(tenant, id)).text.trimEnd().split('\r\n');
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(2001);
    expect(lines).toHaveLength(2001);
  });

  it('of what is not there are not found', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const { id } = await campaignOf(other, {});
    for (const unknown of [UNKNOWN, 'x', id])
      expect((await results(tenant, unknown)).body.error.messageKey).toBe('campaign_not_found');
  });

  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['+15550001111', '+15550001111'],
    ['-5', '-5'],
    ['=SUM(A1)', "'=SUM(A1)"],
    ['+1+cmd', "'+1+cmd"],
    ['-1,2', `"'-1,2"`],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['a\r\nb', '"a\r\nb"'],
    ['say "x"', '"say ""x"""'],
  ])('have a cell for %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  it.each([
    ["Ada;=cmd|'/c calc'!A1", "Ada;'=cmd|'/c calc'!A1"],
    ['Ada;;+1+1;@x', "Ada;;'+1+1;'@x"],
    ['a\t=1+1', "a\t'=1+1"],
    ['a\r\n=1+1', `"a\r\n'=1+1"`],
    ['＝1+1', "'＝1+1"],
    ['＋1＋1', "'＋1＋1"],
    ['－1', "'－1"],
    ['＠SUM(1)', "'＠SUM(1)"],
    ['﹦1', "'﹦1"],
    ['Ada;＝1+1', "Ada;'＝1+1"],
    [' =1+1', "' =1+1"],
    ['\u200b=1+1', "'\u200b=1+1"],
    ['"=1+1"', `"'""=1+1"""`],
    ['Ada; Lovelace', 'Ada; Lovelace'],
    ['a=b;c-d', 'a=b;c-d'],
  ])('X15: have no formula for %j, also where semicolons separate cells', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});
