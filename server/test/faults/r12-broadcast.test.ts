import { describe, expect, it } from 'vitest';
import { noteSandboxCalls, repeatedCalls } from '../kit/sandbox-calls.ts';
import { until } from '../kit/until.ts';
import { print } from './checker.ts';
import { embeddedUrl, type Rows, withConnection } from './database.ts';
import { useApiClient } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';

const CONTACTS = Number(process.env.RECIPIENTS ?? 1000);
/** When some of them have their message and most have not. */
const KILL_AT = [Math.floor(CONTACTS / 5), Math.floor(CONTACTS / 2)];
/** How long a message takes: long enough that some are under way whenever the server is killed. */
const ANSWER_MS = 50;
const TIMEOUT_MS = 600_000;
/** Broadcasts belong to v2, which is off by default. */
const env = { PARLEY_V2_SUNSET: 'never' };

const pool = useProcessPool();
const call = useApiClient(4);

describe('R12 a broadcast, and kill −9 of the server on the way', () => {
  it('reaches every contact exactly once, and counts them correctly', async () => {
    const dataDir = await pool.makeDataDir();
    let server: ServerProcess = await pool.startServer({ dataDir, env });
    const make = async (path: string, token: string, body: unknown) => {
      const answer = await call(server.url, path, { token, body, timeoutMs: 120_000 });
      expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
      return answer.body.data;
    };
    const tenant = await make('/admin/tenants', OPERATOR_TOKEN, { name: 'r12', rateLimit: 1_000_000_000 });
    const { token } = await make(`/admin/tenants/${tenant.id}/tokens`, OPERATOR_TOKEN, {});
    const channel = { kind: 'sms', provider: 'sandbox', name: 'R12', address: '+15550009999' };
    const { id: channelId } = await make('/v3/channels', token, channel);
    await make(`/v3/sandbox/${channelId}/faults`, token, { delayMs: ANSWER_MS });
    const { id: workflowId } = await make('/v3/automations', token, {
      name: 'R12',
      trigger: { type: 'campaign' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }],
    });
    await make(`/v3/automations/${workflowId}/publish`, token, {});
    const rowsOf = (text: string, values: unknown[] = []): Promise<Rows> =>
      withConnection(embeddedUrl(dataDir), (query) => query(text, values));
    await withConnection(embeddedUrl(dataDir), noteSandboxCalls);

    // The sandbox refuses some numbers on purpose, by their last four digits; none of these.
    const numbers = Array.from({ length: CONTACTS }, (_, index) => `+1555${2_000_010 + index}`);
    const contacts = numbers.map((phoneNumber, index) => ({ phoneNumber, firstName: `N${index}` }));
    const since = performance.now();
    const { id } = await make(`/v2/${channelId}/broadcasts`, token, { name: 'R12', workflowId, contacts });

    const accepted = async (): Promise<number> =>
      Number((await rowsOf('select count(*) as count from sandbox_outbox'))[0]?.count);
    const killedAt: number[] = [];
    let underWay = 0;
    for (const count of KILL_AT) {
      await until(async () => (await accepted()) >= count, TIMEOUT_MS);
      await server.kill();
      // The database outlives the server for a moment.
      killedAt.push(await accepted());
      underWay += (await rowsOf('select 1 from messages where sending_at is not null')).length;
      server = await pool.startServer({ dataDir, env });
    }
    const read = async (path: string) =>
      (await call(server.url, path, { token, timeoutMs: 120_000 })).body.data;
    const isOver = async () => (await read(`/v3/campaigns/${id}`)).status === 'completed';
    await until(isOver, TIMEOUT_MS);
    const seconds = Math.round((performance.now() - since) / 1000);

    const campaign = await read(`/v3/campaigns/${id}`);
    const sent: { to: string }[] = await read(`/v3/sandbox/${channelId}/outbox?limit=10000`);
    const recipients = new Set(sent.map(({ to }) => to));
    const repeated =
      sent.length - recipients.size + (await withConnection(embeddedUrl(dataDir), repeatedCalls));
    const lost = numbers.filter((number) => !recipients.has(number));
    const traces = await rowsOf(
      `select r.id, r.status, count(t.number) from automation_runs r left join run_trace t on t.run_id = r.id
        where r.campaign_id = $1 group by r.id, r.status
       having r.status <> 'completed' or count(t.number) <> 1 or max(t.number) <> 1`,
      [id],
    );
    // The sandbox may already have reported more than `sent` for a message.
    const { queued, failed, skipped, ...through } = campaign.recipientCounts as Record<string, number>;
    const served = Object.values(through).reduce((sum, count) => sum + count, 0);
    const problems = [
      ...lost.map((number) => `${number} got nothing`),
      ...(repeated > 0 ? [`${repeated} messages came twice`] : []),
      ...(traces.length > 0 ? [`${traces.length} runs do not have exactly one traced step`] : []),
      ...(queued || failed || skipped || served !== CONTACTS
        ? [`the counts are ${JSON.stringify(campaign.recipientCounts)}`]
        : []),
      ...killedAt.filter((count) => count >= CONTACTS).map(() => 'it was killed when it was over'),
      ...(underWay === 0 ? ['no kill found a message under way'] : []),
    ];
    const kills = `killed at ${killedAt.join(' and ')} with ${underWay} under way`;
    const text = `R12: ${CONTACTS} contacts, ${kills}: ${sent.length} sent, ${repeated} repeated, ${lost.length} lost, ${seconds} s`;
    print({ problems, text });
    expect(problems).toEqual([]);
  });
});
