import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { embeddedUrl, withConnection } from './database.ts';
import { type ApiAnswer, createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { answerAtOnce, useFaultReceiver } from './receiver.ts';

const AT_ONCE = 50;
/** Before the first effect, after the last, and between. */
const KILLED_AFTER_MS = [2, 8, 20, 45, 90];
const pool = useProcessPool();
const call = useApiClient(AT_ONCE);
const receiver = await useFaultReceiver(answerAtOnce);

describe('R9 the same Idempotency-Key 50 times at once, with a kill −9 in between', () => {
  it('has one effect and one answer', async () => {
    const dataDir = await pool.makeDataDir();
    let server: ServerProcess = await pool.startServer({ dataDir });
    const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [
      FaultTenant,
    ];
    const outcomes: { answered: number; conflicts: number; broken: number }[] = [];

    for (const [round, killedAfterMs] of KILLED_AFTER_MS.entries()) {
      // Half of the rounds write a message, the others make a webhook, whose answer holds a secret.
      const [path, body] =
        round % 2 === 0
          ? [`/v3/sandbox/${tenant.channels[0]}/inbound`, { from: '+15550001111', text: `round ${round}` }]
          : ['/v3/api_webhooks', { url: receiver.url(`round-${round}`), events: [{ type: 'chat.created' }] }];
      const key = randomUUID();
      const send = (): Promise<ApiAnswer | undefined> =>
        call(server.url, path, { token: tenant.token, body, key }).catch(() => undefined);
      const sendFifty = async (): Promise<(ApiAnswer | undefined)[]> =>
        Promise.all(Array.from({ length: AT_ONCE }, send));

      const first = sendFifty();
      await delay(killedAfterMs);
      await server.kill();
      const before = await first;
      server = await pool.startServer({ dataDir });
      const after = await sendFifty();
      const last = await send();

      const answers = [...before, ...after, last].filter((answer) => answer !== undefined);
      expect(answers.filter((answer) => ![200, 409].includes(answer.status))).toEqual([]);
      const good = answers.filter((answer) => answer.status === 200);
      expect(last?.status).toBe(200);
      expect(last?.headers['idempotent-replayed']).toBe('true');
      expect(new Set(good.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
      outcomes.push({
        answered: good.length,
        conflicts: answers.length - good.length,
        broken: before.filter((answer) => answer === undefined).length,
      });
    }

    const count = (text: string) =>
      withConnection(
        embeddedUrl(dataDir),
        async (query) => (await query(text)) as { what: string; count: number }[],
      );
    await until(async () => (await count('select 1 from inbound')).length === 0);
    expect(await count('select text as what, count(*)::int from messages group by 1 order by 1')).toEqual(
      [0, 2, 4].map((round) => ({ what: `round ${round}`, count: 1 })),
    );
    expect(
      await count(
        `select url as what, count(*)::int from webhooks where url like '%/round-%' group by 1 order by 1`,
      ),
    ).toEqual([1, 3].map((round) => ({ what: receiver.url(`round-${round}`), count: 1 })));
    // If no call broke, no kill happened in between.
    expect(outcomes.some(({ broken }) => broken > 0)).toBe(true);
  });
});
