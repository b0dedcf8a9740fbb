import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { noteSandboxCalls, repeatedCalls } from '../kit/sandbox-calls.ts';
import { until } from '../kit/until.ts';
import { embeddedUrl, withConnection } from './database.ts';
import { useApiClient } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';

const KILLS = Math.ceil(Number(process.env.KILLS ?? 10) / 4);
const MESSAGES = 200;
const CHATS = 40;
/** How long a message takes: long enough that some are under way whenever the server is killed. */
const ANSWER_MS = 300;
const CONNECTIONS = 16;
const TIMEOUT_MS = 120_000;
const pool = useProcessPool();
const call = useApiClient(CONNECTIONS);

describe('R1 kill −9 of the server while messages go out, again and again', () => {
  it('sends every message once and loses none', async () => {
    const dataDir = await pool.makeDataDir();
    let server: ServerProcess = await pool.startServer({ dataDir });
    const make = async (path: string, token: string, body: unknown) => {
      const answer = await call(server.url, path, { token, body });
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body.data;
    };
    const { id } = await make('/admin/tenants', OPERATOR_TOKEN, {
      name: 'sending',
      rateLimit: 1_000_000_000,
    });
    const { token } = await make(`/admin/tenants/${id}/tokens`, OPERATOR_TOKEN, {});
    const channel = await make('/v3/channels', token, {
      kind: 'sms',
      provider: 'sandbox',
      name: 'Sending',
      address: '+15550009999',
    });
    // A slow answer, so that a kill finds messages that the vendor has and Parley has not recorded.
    await make(`/v3/sandbox/${channel.id}/faults`, token, { delayMs: ANSWER_MS });

    await withConnection(embeddedUrl(dataDir), noteSandboxCalls);
    const rowsOf = (text: string) =>
      withConnection(embeddedUrl(dataDir), (query) => query(text, [channel.id]));
    const queued = new Set<string>();
    let interrupted = 0;
    for (let round = 0; round < KILLS; round += 1) {
      let next = 0;
      const write = async (): Promise<void> => {
        for (let number = next++; number < MESSAGES; number = next++) {
          const to = `+120255${String(51_000 + (number % CHATS))}`;
          const text = `round ${round}, message ${number}`;
          queued.add((await make('/v3/messages', token, { channelId: channel.id, to, text })).id);
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, write));
      await delay(Math.random() * ANSWER_MS);
      await server.kill();
      // The database outlives the server for a moment.
      const sending = 'select 1 from messages where channel_id = $1 and sending_at is not null';
      interrupted += (await rowsOf(sending)).length;
      server = await pool.startServer({ dataDir });
    }
    await make(`/v3/sandbox/${channel.id}/faults`, token, {});

    await until(
      async () =>
        (await rowsOf('select 1 from messages where channel_id = $1 and due_at is not null limit 1'))
          .length === 0,
      TIMEOUT_MS,
    );
    const messages = await rowsOf(
      `with announced as (select e.data::json->>'id' as message_id, count(*)::int as events
                       from events e where e.type = 'message.sent' group by 1)
       select m.id, m.status, m.chat_id, o.message_id is not null as is_accepted, a.events as sent_events
         from messages m left join sandbox_outbox o on o.message_id = m.id and o.tenant_id = m.tenant_id
                         left join announced a on a.message_id = m.id::text
        where m.channel_id = $1 and m.sender = 'outbound' order by m.id`,
    );
    expect(new Set(messages.map((row) => row.id))).toEqual(queued);
    expect(messages.filter((row) => !['sent', 'delivered', 'read'].includes(row.status as string))).toEqual(
      [],
    );
    expect(messages.filter((row) => row.is_accepted !== true || row.sent_events !== 1)).toEqual([]);
    // The key of the outbox is the message. None was sent again, and in each chat they came in order.
    expect(await withConnection(embeddedUrl(dataDir), repeatedCalls)).toBe(0);
    const accepted = await rowsOf('select message_id from sandbox_outbox where channel_id = $1');
    expect(accepted).toHaveLength(queued.size);
    const outOfOrder = await rowsOf(
      `select 1 from (
         select m.id, lag(m.id::text) over (partition by m.chat_id order by o.at, m.id) as before
           from sandbox_outbox o join messages m on m.id = o.message_id where o.channel_id = $1) x
        where x.before > x.id::text`,
    );
    expect(outOfOrder).toEqual([]);
    // Otherwise no kill has found a message under way, and the test proves nothing.
    expect(interrupted).toBeGreaterThan(0);
  });
});
