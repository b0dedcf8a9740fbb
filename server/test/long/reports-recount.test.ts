import { expect, it } from 'vitest';
import { countPeriod } from '../../src/reports/count-hours.ts';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { countAll, randomFrom, reportOf, storedFigures } from '../kit/reports.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const MINUTE = 60_000;
const STEPS = 60;
const MONTH = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' };
interface Item {
  id: string;
}

/** Random traffic with everything that changes what was counted before: late statuses, merges, deletions, campaigns. */
async function makeTraffic(tenant: TestTenant, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const ground = await groundFor(tenant, {
    steps: [{ id: 'send', type: 'send_message', parameters: { text: 'Sale!' } }],
  });
  const channels = [
    ground.channelId,
    (await tenant.channel('sms')).id,
    (await tenant.channel('whatsapp')).id,
  ];
  const numbers = testContacts(8).map(({ phoneNumber }) => phoneNumber);
  const find = async (what: string): Promise<Item[]> =>
    (await tenant.post(`/v3/${what}/search`, { pagination: { limit: 100 } })).body.data;
  const receive = () =>
    tenant.post(`/v3/sandbox/${pick(channels)}/inbound`, {
      from: pick(numbers),
      text: random(8) === 0 ? 'STOP' : 'Hello',
    });
  const inChat = async (work: (chat: Item) => Promise<Answer>): Promise<Answer> => {
    const chats = await find('chats');
    return chats.length === 0 ? receive() : work(pick(chats));
  };
  const later = () => new Date(server.clock.real().getTime() + 180 * MINUTE).toISOString();
  const actions: (() => Promise<Answer>)[] = [
    receive,
    receive,
    receive,
    () => inChat(({ id }) => tenant.post(`/v3/chats/${id}/messages`, { text: 'Yes' })),
    () => inChat(({ id }) => tenant.post(`/v3/chats/${id}/messages`, { text: 'Soon', scheduledAt: later() })),
    () => inChat(({ id }) => tenant.post(`/v3/chats/${id}/status`, { status: pick(['closed', 'open']) })),
    () => inChat(({ id }) => (random(3) === 0 ? tenant.delete(`/v3/chats/${id}`) : receive())),
    () => tenant.post(`/v3/sandbox/${pick(channels)}/read`, { from: pick(numbers) }),
    () => {
      const contacts = numbers.slice(random(4), 4 + random(4)).map((phoneNumber) => ({ phoneNumber }));
      return tenant.post('/v3/campaigns', { ...ground, name: 'Sale', contacts });
    },
    async () => {
      const [contact, ...others] = await find('contacts');
      if (!contact || others.length < 3) return receive();
      return random(2) === 0
        ? tenant.post(`/v3/contacts/${contact.id}/merge`, { fromContactId: pick(others).id })
        : tenant.delete(`/v3/contacts/${contact.id}`);
    },
  ];
  for (let step = 0; step < STEPS; step += 1) {
    server.clock.advance((1 + random(90)) * MINUTE + random(MINUTE));
    expect((await pick(actions)()).status).toBeLessThan(500);
    await server.settle();
  }
  expect((await tenant.delete(`/v3/channels/${channels[2]}`)).status).toBe(200);
}

it.each([
  1, 2,
])('figures are those of a count of everything, whatever has changed since (%i)', async (seed) => {
  server.clock.set(new Date('2026-11-02T08:00:00.000Z'));
  const tenant = await server.tenant({ rateLimit: 1_000_000 });
  await makeTraffic(tenant, seed);
  await countAll(server);
  await countAll(server);
  const stored = await storedFigures(server, tenant);
  expect(stored.length).toBeGreaterThan(20);
  const sums = async () =>
    Promise.all(
      ['volumes', 'response_times', 'campaigns', 'automations'].map((name) =>
        reportOf(tenant, {
          name,
          ...MONTH,
          groupBy: 'channel',
          interval: 'week',
          timezone: 'Asia/Kathmandu',
        }),
      ),
    );
  const shown = await sums();
  await db
    .forTenant(tenant.id)
    .transaction((tx) => countPeriod(tx, new Date(MONTH.from), new Date(MONTH.to)));
  expect(await storedFigures(server, tenant)).toEqual(stored);
  expect(await sums()).toEqual(shown);
  const { rows } = await db.query(
    `select count(*) filter (where sender = 'inbound')::int as received, count(*) filter (where status = 'failed')::int as failed
       from messages where tenant_id = $1`,
    [tenant.id],
  );
  const [volumes] = await reportOf(tenant, { name: 'volumes', ...MONTH });
  expect([volumes.received, volumes.failed]).toEqual([rows[0]?.received, rows[0]?.failed]);
});
