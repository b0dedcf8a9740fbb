import { beforeEach, describe, expect, it } from 'vitest';
import { groundFor } from '../kit/campaigns.ts';
import { deliver, execution, workerDatabase } from '../kit/execution.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { wrapTransactions } from '../kit/wrap-database.ts';

const server = await useServer();
const workerDb = workerDatabase(server);
const { db } = server.system;
const steps = [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }];
const DAY = 86_400_000;
const START = server.clock.now();

let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(START);
  tenant = await server.tenant();
});

const post = async (path: string, body: object) => {
  const answer = await tenant.post(path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
};
const contact = async (body: object): Promise<string> => (await post('/v3/contacts', body)).id;
const merge = (into: string, merged: string) => post(`/v3/contacts/${into}/merge`, { fromContactId: merged });
const campaignOf = async (more: object = {}): Promise<string> => {
  const ground = await groundFor(tenant, { steps });
  return (await post('/v3/campaigns', { ...ground, name: 'x', audience: 'eq(firstName,"Ada")', ...more })).id;
};
const recipientsOf = (id: string) => post(`/v3/campaigns/${id}/recipients/search`, {});

/** Does what campaigns have to do, with `then` after so many transactions. */
async function settleWith(after: number, then: () => Promise<unknown>): Promise<void> {
  let count = 0;
  const through = wrapTransactions(workerDb, async (run, work) => {
    const result = await run(work);
    count += 1;
    if (count === after) await then();
    return result;
  });
  await execution(server, workerDb, tenant, { through }).settleCampaigns();
  expect(count).toBeGreaterThan(after);
}
const BEGUN = 1;
const GATHERED = 2;

/** A daily campaign whose first occurrence one contact got, and when the second one begins another. */
async function secondDay(): Promise<{ id: string; first: string; second: string }> {
  const id = await campaignOf({ recurrenceRules: ['RRULE:FREQ=DAILY'] });
  const { settle } = execution(server, workerDb, tenant);
  const first = await contact({ firstName: 'Ada', phoneNumber: '+15550001111' });
  await settle();
  expect(await deliver(server, id)).toBe(1);
  server.clock.advance(1000);
  await settle();
  await tenant.put(`/v3/contacts/${first}`, { firstName: 'Grace' });
  const second = await contact({ firstName: 'Ada', phoneNumber: '+15550002222' });
  server.clock.advance(DAY);
  return { id, first, second };
}

describe('a contact that had an earlier occurrence, merged with one of the next', () => {
  it('gets the next one if that had not been started', async () => {
    const { id, first, second } = await secondDay();
    await settleWith(GATHERED, () => merge(first, second));
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    expect(await sent()).toHaveLength(2);
    expect(await recipientsOf(id)).toMatchObject([{ contactId: first, status: 'queued' }]);
    expect(await deliver(server, id)).toBe(1);
    expect(await recipientsOf(id)).toMatchObject([{ contactId: first, status: 'sent' }]);
  });

  it('is shown with what the other one got', async () => {
    const { id, first, second } = await secondDay();
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    const [{ runId }] = await recipientsOf(id);
    await merge(first, second);
    await settle();
    expect(await sent()).toHaveLength(2);
    expect(await recipientsOf(id)).toMatchObject([{ contactId: first, status: 'queued', runId }]);
  });
});

describe('two recipients of an occurrence that become one', () => {
  it('get one of two messages that wait to be sent', async () => {
    const first = await contact({ firstName: 'Ada', phoneNumber: '+15550001111' });
    const second = await contact({ firstName: 'Ada', phoneNumber: '+15550002222' });
    const id = await campaignOf();
    await execution(server, workerDb, tenant).settle();
    await merge(first, second);
    expect(await deliver(server, id)).toBe(1);
    expect(await recipientsOf(id)).toMatchObject([{ contactId: first, status: 'sent' }]);
    const events = await db.query(
      `select data::json -> 'error' ->> 'code' as code, data::json ->> 'contactId' as "contactId"
         from events where tenant_id = $1 and type = 'message.failed'`,
      [tenant.id],
    );
    expect(events.rows).toEqual([{ code: 'cancelled', contactId: first }]);
  });

  it.each([
    ['first', 0],
    ['second', 1],
  ])('get none of the other if the message of the %s was sent', async (_, sentTo) => {
    const both = [
      await contact({ firstName: 'Ada', phoneNumber: '+15550001111' }),
      await contact({ firstName: 'Ada', phoneNumber: '+15550002222' }),
    ] as const;
    const id = await campaignOf();
    await execution(server, workerDb, tenant).settle();
    await db.query(
      `update messages set status = 'delivered', due_at = null where campaign_id = $1 and contact_id = $2`,
      [id, both[sentTo]],
    );
    await merge(both[0], both[1]);
    expect(await deliver(server, id)).toBe(0);
    expect(await recipientsOf(id)).toMatchObject([{ contactId: both[0], status: 'delivered' }]);
  });

  it('get the message of the one who can be reached', async () => {
    const first = await contact({ firstName: 'Ada', email: 'ada@example.com' });
    const second = await contact({ firstName: 'Ada', phoneNumber: '+15550002222' });
    const id = await campaignOf();
    await execution(server, workerDb, tenant).settle();
    await merge(first, second);
    expect(await deliver(server, id)).toBe(1);
    expect(await recipientsOf(id)).toMatchObject([{ contactId: first, status: 'sent' }]);
  });
});

it('two contacts that are newer than the start do not get the campaign because they are merged', async () => {
  const first = await contact({ firstName: 'Ada', phoneNumber: '+15550001111' });
  await campaignOf();
  await settleWith(BEGUN, async () => {
    server.clock.advance(1000);
    const newer = await contact({ firstName: 'Ada', phoneNumber: '+15550002222' });
    await merge(newer, await contact({ firstName: 'Ada', phoneNumber: '+15550003333' }));
  });
  const { sent, settle } = execution(server, workerDb, tenant);
  await settle();
  expect((await sent()).map(({ contactId }) => contactId)).toEqual([first]);
});

it('a contact that is merged into a newer one while the audience is gathered gets the campaign', async () => {
  const first = await contact({ firstName: 'Ada', phoneNumber: '+15550001111' });
  const id = await campaignOf();
  let newer = '';
  await settleWith(BEGUN, async () => {
    server.clock.advance(1000);
    newer = await contact({ firstName: 'Ada' });
    await contact({ firstName: 'Ada', phoneNumber: '+15550003333' });
    await merge(newer, first);
  });
  const { sent, settle } = execution(server, workerDb, tenant);
  await settle();
  expect((await sent()).map(({ contactId }) => contactId)).toEqual([newer]);
  expect(await recipientsOf(id)).toMatchObject([{ contactId: newer, status: 'queued' }]);
});
