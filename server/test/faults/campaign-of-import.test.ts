import { expect, it } from 'vitest';
import { noteSandboxCalls, repeatedCalls } from '../kit/sandbox-calls.ts';
import { until } from '../kit/until.ts';
import { print } from './checker.ts';
import { embeddedUrl, type Rows, withConnection } from './database.ts';
import { useApiClient } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';

const ROWS = Number(process.env.ROWS ?? 5000);
const LABEL = 'From the file';
/** How long a message takes: long enough that some are under way whenever the server is killed. */
const ANSWER_MS = 20;
const TIMEOUT_MS = 600_000;

const pool = useProcessPool();
const call = useApiClient(4);

// The sandbox refuses some numbers on purpose, by their last four digits; none of these.
const phoneOf = (row: number): string => `+1555${3_000_010 + row}`;

async function uploadCsv(base: string, token: string): Promise<string> {
  const lines = Array.from({ length: ROWS }, (_, row) => `Person ${row},${phoneOf(row)}`);
  const form = new FormData();
  form.set('file', new Blob([`First name,Phone\n${lines.join('\n')}\n`]), 'customers.csv');
  const answer = await fetch(`${base}/v3/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

it('a file becomes a campaign; killed while it is imported and while it is sent, each gets it once', async () => {
  const dataDir = await pool.makeDataDir();
  let server: ServerProcess = await pool.startServer({ dataDir });
  const ask = async (path: string, token: string, body?: unknown, method?: 'PUT') => {
    const options = { token, timeoutMs: 120_000, ...(body === undefined ? {} : { body }) };
    const answer = await call(server.url, path, { ...options, ...(method ? { method } : {}) });
    expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
    return answer.body.data;
  };
  const rowsOf = (text: string, values: unknown[] = []): Promise<Rows> =>
    withConnection(embeddedUrl(dataDir), (query) => query(text, values));
  const tenant = await ask('/admin/tenants', OPERATOR_TOKEN, { name: 'show', rateLimit: 1_000_000_000 });
  const { token } = await ask(`/admin/tenants/${tenant.id}/tokens`, OPERATOR_TOKEN, {});
  const channel = { kind: 'sms', provider: 'sandbox', name: 'Show', address: '+15550009999' };
  const { id: channelId } = await ask('/v3/channels', token, channel);
  await ask(`/v3/sandbox/${channelId}/faults`, token, { delayMs: ANSWER_MS });
  const { id: labelId } = await ask('/v3/labels', token, { name: LABEL });
  await withConnection(embeddedUrl(dataDir), noteSandboxCalls);
  const since = performance.now();

  const fileId = await uploadCsv(server.url, token);
  const mapping = { 'First name': 'firstName', Phone: 'phoneNumber' };
  const { id: importId } = await ask('/v3/imports', token, { fileId, mapping, labelIds: [labelId] });
  const imported = async () => ask(`/v3/imports/${importId}`, token);
  await until(async () => (await imported()).created > 0, TIMEOUT_MS);
  await server.kill();
  const importedAtKill = Number(
    (await rowsOf('select created from imports where id = $1', [importId]))[0]?.created,
  );
  server = await pool.startServer({ dataDir });
  await until(async () => (await imported()).endedAt !== null, TIMEOUT_MS);
  expect(await imported()).toMatchObject({ status: 'completed', created: ROWS, failed: 0 });

  const message = { text: 'Hello {{ contact.firstName }}' };
  const audience = `in(labelIds,"${labelId}")`;
  const preview = await ask('/v3/campaigns/preview', token, { channelId, message, audience });
  expect(preview).toMatchObject({ matched: ROWS, sendable: Math.min(ROWS, 5000), skipped: {} });
  const { id } = await ask('/v3/campaigns', token, { channelId, name: 'Show', message, closeChats: true });
  await ask(`/v3/campaigns/${id}`, token, { audience }, 'PUT');
  await ask(`/v3/campaigns/${id}/status`, token, { status: 'running' });

  const accepted = async (): Promise<number> =>
    Number((await rowsOf('select count(*) as count from sandbox_outbox'))[0]?.count);
  await until(async () => (await accepted()) >= ROWS / 4, TIMEOUT_MS);
  await server.kill();
  const sentAtKill = await accepted();
  server = await pool.startServer({ dataDir });
  await until(async () => (await ask(`/v3/campaigns/${id}`, token)).status === 'completed', TIMEOUT_MS);
  const seconds = Math.round((performance.now() - since) / 1000);

  const { recipientCounts } = await ask(`/v3/campaigns/${id}`, token);
  const sent: { to: string; text: string }[] = await ask(
    `/v3/sandbox/${channelId}/outbox?limit=10000`,
    token,
  );
  const reached = new Set(sent.map(({ to }) => to));
  const lost = Array.from({ length: ROWS }, (_, row) => phoneOf(row)).filter((phone) => !reached.has(phone));
  const repeated = sent.length - reached.size + (await withConnection(embeddedUrl(dataDir), repeatedCalls));
  const { queued, failed, skipped } = recipientCounts;
  const open = await rowsOf(`select 1 from chats where tenant_id = $1 and status <> 'closed'`, [tenant.id]);
  const problems = [
    ...lost.map((phone) => `${phone} got nothing`),
    ...(repeated > 0 ? [`${repeated} messages came twice`] : []),
    ...(queued || failed || skipped ? [`the counts are ${JSON.stringify(recipientCounts)}`] : []),
    ...(importedAtKill >= ROWS ? ['the import was over when the server was killed'] : []),
    ...(sentAtKill >= ROWS ? ['the campaign was over when the server was killed'] : []),
    ...(open.length > 0 ? [`${open.length} chats are not closed`] : []),
  ];
  const kills = `killed at ${importedAtKill} imported and ${sentAtKill} sent`;
  const text = `Campaign of a file: ${ROWS} rows, ${kills}: ${sent.length} sent, ${repeated} repeated, ${lost.length} lost, ${seconds} s`;
  print({ problems, text });
  expect(problems).toEqual([]);
});
