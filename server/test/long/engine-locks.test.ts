import { expect, it } from 'vitest';
import '../../src/queues.ts';
import { claimsOf } from '../../src/engine/claims.ts';
import { eventsQueue } from '../../src/engine/outbox.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { createSequencerState, sequenceEvents } from '../../src/engine/sequencer.ts';
import { createDeliveries } from '../../src/webhooks/match.ts';
import { automationOf } from '../kit/automations.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

/** The load of the measurements: 7 is 16,800 messages, 30 is 600 events. */
const FACTOR = Number(process.env.FACTOR ?? 1);
const CHATS = 40;
const ROUNDS = 60 * FACTOR;

/** A bot that asks and waits for the answer, without end. */
const bot = {
  trigger: { type: 'message_received', parameters: { keywords: ['start'] } },
  steps: [
    { id: 'ask', type: 'send_message', parameters: { text: 'And then?' } },
    { id: 'label', type: 'set_chat_status', parameters: { status: 'open' } },
    { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' }, next: 'ask' },
    { id: 'end', type: 'end' },
  ],
};

it(
  'X22: chats with bots that wait for replies make no deadlock, and every event gets its number',
  async () => {
    const server = await useServer({ timers: true, connections: { api: 10, worker: 12 } });
    const { db } = server.system;
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await automationOf(tenant, bot);
    await automationOf(tenant, { ...bot, name: 'A second bot in the same chats' });
    const contacts = Array.from(
      { length: CHATS },
      (_, person) => `+1555010${String(person).padStart(4, '0')}`,
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      const bodies = await Promise.all(
        contacts.map((from) =>
          sandboxBody(channel, {
            id: `${round} ${from}`,
            from,
            at: server.clock.now(),
            text: round === 1 ? 'start' : `answer ${round}`,
          }),
        ),
      );
      // In an order of its own each time: runs have another order than their chats, and transactions that lock rows as they come
      // wait for each other.
      bodies.sort(() => Math.random() - 0.5);
      await storeInbound(db.forTenant(tenant.id), channel.id, bodies);
      server.system.worker?.wake('inbound', realShardOf(channel.id), channel.id);
      if (round < 2) await server.settle();
      // What users in the inbox and the API do meanwhile.
      const { rows } = await db.query(
        'select id, contact_id from chats where tenant_id = $1 order by random() limit 4',
        [tenant.id],
      );
      await Promise.all(
        rows.map(async ({ id, contact_id }, at) => {
          const answer =
            at % 2 === 0
              ? await tenant.post(`/v3/chats/${id}/messages`, { text: 'From a person' })
              : await tenant.put(`/v3/contacts/${contact_id}`, { firstName: `Name ${round}` });
          expect(answer.status).toBe(200);
        }),
      );
    }
    const loadEndedAt = performance.now();
    const counted = async (text: string, ...values: unknown[]): Promise<number> =>
      Number((await db.query(text, [tenant.id, ...values])).rows[0]?.count);
    const received = `select count(*) from messages where tenant_id = $1 and sender = 'inbound'`;
    await until(async () => (await counted(received)) === CHATS * ROUNDS, 60_000 * FACTOR);
    // The bots go on sending, so there are always new events. Those that were there get their numbers.
    const last = await counted('select max(position) as count from events where tenant_id = $1');
    const before = `select count(*) from events where tenant_id = $1 and sequence is null and position <= $2`;
    await until(async () => (await counted(before, last)) === 0, 60_000);
    const seconds = ((performance.now() - loadEndedAt) / 1000).toFixed(1);
    process.stdout.write(
      `${CHATS * ROUNDS} messages of ${CHATS} chats: all events numbered ${seconds} s after the last\n`,
    );
    // Connections report to the statistics when they end.
    await server.stop(30_000);
    const client = await usePgClient(server.databaseUrl);
    const { rows } = await client.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(Number(rows[0].deadlocks)).toBe(0);
    expect(server.logged.filter((line) => line.includes('failed'))).toEqual([]);
  },
  120_000 * FACTOR,
);

const WEBHOOKS = 1000;
const EVENTS = 20 * FACTOR;

it(
  'X23: events for a thousand webhooks are numbered in small transactions and delivered without a gap',
  async () => {
    const server = await useServer();
    const { db } = server.system;
    const tenant = await server.tenant();
    const received = new Map<string, number[]>();
    const { url } = await useHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { sequence } = JSON.parse(body);
        const path = request.url ?? '';
        received.set(path, [...(received.get(path) ?? []), sequence]);
        response.end();
      });
    });
    const made = await tenant.post('/v3/api_webhooks', {
      url: `${url}/0`,
      events: [{ type: 'contact.created' }],
    });
    // Copied, because the API allows a tenant fewer.
    await db.query(
      `with copies as (
       insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at)
       select gen_random_uuid(), tenant_id, replace(url, '/0', '/' || n), status, secret_encrypted, api_version, created_at,
              updated_at
         from webhooks, generate_series(1, ${WEBHOOKS - 1}) as n where id = $1 returning id, tenant_id)
     insert into webhook_events (webhook_id, tenant_id, number, type_pattern)
     select id, tenant_id, 0, 'contact.created' from copies`,
      [made.body.data.id],
    );
    await db.forTenant(tenant.id).transaction(async (tx) =>
      tx.publish(
        ...Array.from({ length: EVENTS }, (_, number) => ({
          type: 'contact.created' as const,
          channelId: null,
          contactId: null,
          chatId: null,
          data: { number },
        })),
      ),
    );
    const claim = claimsOf(db, eventsQueue, server.clock.real);
    const batchSizes = createSequencerState();
    for (;;) {
      const rows = await claim(realShardOf(tenant.id), tenant.id, 500, new Set());
      if (rows.length === 0) break;
      await sequenceEvents({ db, subscribers: [createDeliveries], batchSizes }, rows);
    }
    const { rows } = await db.query(
      `select max(count)::int as most, sum(count)::int as all from (
       select count(*) from deliveries where tenant_id = $1 group by xmin::text) as of_transaction`,
      [tenant.id],
    );
    expect(rows[0]?.all).toBe(WEBHOOKS * EVENTS);
    expect(rows[0]?.most).toBeLessThanOrEqual(2_000);
    // A request may take too long under this load; its delivery is repeated later.
    const countLeft = async (): Promise<number> => {
      const { rows } = await db.query(
        `select count(*)::int as count from deliveries where tenant_id = $1 and status <> 'delivered'`,
        [tenant.id],
      );
      return Number(rows[0]?.count);
    };
    // Without timers each call leases the shards by itself, so one call does what can be done in ten seconds.
    let left = await countLeft();
    for (let attempt = 0; attempt < 8 && left > 0; ) {
      const before = left;
      await server.settle();
      left = await countLeft();
      if (left < before) continue;
      attempt += 1;
      server.clock.advance(3_600_000);
    }
    expect(left).toBe(0);
    expect(received.size).toBe(WEBHOOKS);
    const numbers = Array.from({ length: EVENTS }, (_, at) => at + 1);
    for (const sequences of received.values())
      expect([...new Set(sequences)].sort((a, b) => a - b)).toEqual(numbers);
  },
  120_000 * FACTOR,
);
