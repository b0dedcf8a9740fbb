import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, request } from 'undici';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import type { Case, Side } from '../figure.ts';
import { createResource, createSandboxChannel, type Target, type Tenant } from '../target.ts';
import { waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';
import { percentile } from './latency.ts';

const GOALS = { p999: 50, max: 200 };
/** How often another client asks whether the server is alive. */
const PROBE_MS = 2;
const SECRET = 'a secret of sixteen';

/** Sends an input and resolves when the server has nothing more to do with it. */
type Attack = (target: Target, tenant: Tenant) => Promise<void>;

function mail(text: string): Attack {
  // Made before anything is measured, in the process that asks.
  const body = Buffer.from(text, 'latin1');
  const headers = { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(body, SECRET) };
  return async ({ server, db }, tenant) => {
    const channelId = await createResource(tenant, '/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Help',
      address: 'help@shop.test',
      config: { from: 'help@shop.test', smtp: { host: '127.0.0.1', port: 25 }, inboundSecret: SECRET },
    });
    const answer = await request(`http://127.0.0.1:${server.port}/providers/smtp/${channelId}`, {
      method: 'POST',
      headers,
      body,
    });
    await answer.body.dump();
    await waitUntil(async () => {
      const { rows } = await db.query('select 1 from messages where tenant_id = $1', [tenant.tenantId]);
      return rows.length > 0;
    });
  };
}

function automation(step: object, text = 'hello'): Attack {
  return async ({ db }, tenant) => {
    const channelId = await createSandboxChannel(tenant, { name: 'Hostile', address: '+15550009995' });
    const automationId = await createResource(tenant, '/v3/automations', {
      name: 'Hostile',
      trigger: { type: 'message_received', parameters: {} },
      steps: [
        { id: 'hostile', ...step },
        { id: 'end', type: 'end' },
      ],
    });
    await tenant.call('POST', `/v3/automations/${automationId}/publish`);
    for (const number of [1, 2, 3])
      await tenant.call('POST', `/v3/sandbox/${channelId}/inbound`, { from: `+1555000111${number}`, text });
    await waitUntil(async () => {
      const { rows } = await db.query(
        `select 1 from automation_runs where tenant_id = $1 and status in ('completed', 'failed')`,
        [tenant.tenantId],
      );
      return rows.length === 3;
    });
  };
}

const liquid = (text: string): Attack => automation({ type: 'send_message', parameters: { text } });

/** Sends the same request many times at once. Refusals are what the server should answer. */
const calls =
  (times: number, path: string, body: (number: number) => object): Attack =>
  async ({ server }, { token }) => {
    const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: times });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = async (number: number): Promise<void> => {
      const text = JSON.stringify(body(number));
      await (await pool.request({ path, method: 'POST', headers, body: text })).body.dump();
    };
    await Promise.all(Array.from({ length: times }, (_, number) => send(number)));
    await pool.close();
  };

/** Made before anything is measured: making it takes longer than the goal, in the process that asks. */
const bytes = randomBytes(39_000_000);

/** Large bodies without a signature, for a channel that does not exist. */
const unsigned: Attack = async ({ server }) => {
  const head = `POST /providers/smtp/019a82a0-0000-7000-8000-00000000ffff HTTP/1.1\r\nhost: a\r\ncontent-type: message/rfc822\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {}).on('close', () => resolve());
      socket.resume().write(head);
      socket.end(bytes);
    });
  await Promise.all(Array.from({ length: 30 }, send));
};

const conditions = (count: number, field: string): string =>
  Array.from({ length: count }, (_, number) => `contains(${field},"ab${number}x")`).join(',');
const captures = Array.from(
  { length: 9 },
  (_, n) => `{% capture c${n + 1} %}${`{{ c${n} }}`.repeat(9)}{% endcapture %}`,
).join('');

/** The inputs that stopped the server for everybody, by their ids in the tests. */
const attacks: Record<string, Attack> = {
  'X1: a mail in UTF-7': mail(
    `From: ada@example.com\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n${'+AOk-'.repeat(1_000_000)}`,
  ),
  'X1: a mail to groups of groups': mail(`From: ada@example.com\r\nTo: ${'g:'.repeat(300_000)}\r\n\r\nhello`),
  'X2: Liquid of loops': liquid(
    '{% for a in (1..4000) %}{% for b in (1..4000) %}{{ b }}{% endfor %}{% endfor %}',
  ),
  'X2: Liquid of captures': liquid(`{% assign c0 = "${'x'.repeat(500)}" %}${captures}{{ c9 }}`),
  'X3: a branch of 4,800 conditions': automation(
    {
      type: 'branch',
      parameters: {
        cases: Array.from({ length: 48 }, () => ({
          when: `or(${conditions(100, 'message.text')})`,
          next: 'end',
        })),
      },
    },
    'Äb'.repeat(32_000),
  ),
  'X4: 20 searches at once': calls(20, '/v3/contacts/search', () => ({
    query: `or(${conditions(20, 'firstName')})`,
  })),
  'X5: 30 bodies of 39 MB without a signature': unsigned,
  'X6: rare recurrence rules': calls(20, '/v3/automations', (number) => ({
    name: `Never ${number}`,
    trigger: {
      type: 'schedule',
      parameters: { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=1MO', audience: 'eq(firstName,"Ada")' },
    },
    steps: [{ id: 'a', type: 'end' }],
  })),
};

/** How long `/livez` takes while something happens. It waits for the event loop and nothing else. */
async function probeWhile(port: number, work: () => Promise<void>): Promise<number[]> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const delays: number[] = [];
  let isDone = false;
  const probe = async (): Promise<void> => {
    while (!isDone) {
      const startedAt = performance.now();
      await (await pool.request({ path: '/livez', method: 'GET' })).body.dump();
      delays.push(performance.now() - startedAt);
      await delay(PROBE_MS);
    }
  };
  await Promise.all([
    probe(),
    work().finally(() => {
      isDone = true;
    }),
  ]);
  await pool.close();
  return delays;
}

/** How long others wait while hostile input is handled. */
export async function createHostile({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  return Object.entries(attacks).map(([title, attack]) => ({
    title,
    warmUp: 1,
    count: () => 1,
    restarts: 'never',
    effort: { rounds: 5 },
    hasRate: false,
    hasCpu: false,
    values: {
      p999: {
        title: `${title}: p99.9 of /livez`,
        unit: 'ms',
        goal: GOALS.p999,
        betweenCommits: 'hidden',
      },
      max: { title: '  the longest', unit: 'ms', goal: GOALS.max, betweenCommits: 'hidden' },
    },
    ours: {
      ...chargeServer(target),
      async run(count) {
        const startedAt = performance.now();
        const tenant = await target.createTenant();
        const delays = await probeWhile(target.server.port, () => attack(target, tenant));
        return {
          operations: count,
          seconds: (performance.now() - startedAt) / 1000,
          values: { p999: percentile(delays, 0.999), max: Math.max(...delays) },
        };
      },
    },
  }));
}
