import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';

const KILLS = Math.ceil(Number(process.env.KILLS ?? 10) / 2);
const UPLOADERS = 6;
const LARGEST_BYTES = 3_000_000;
const pool = useProcessPool();

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  data: any;
}
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function call(url: string, token: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.json() as Promise<Answer>;
}

it('R1: kill −9 during uploads loses no file that was acknowledged, and leaves no bytes without a file', async () => {
  const dataDir = await pool.makeDataDir();
  let server: ServerProcess | undefined = await pool.startServer({ dataDir });
  const tenant = await call(`${server.url}/admin/tenants`, OPERATOR_TOKEN, { name: 'files' });
  const made = await call(`${server.url}/admin/tenants/${tenant.data.id}/tokens`, OPERATOR_TOKEN, {});
  const token = made.data.token as string;

  const acknowledged: { id: string; sha256: string }[] = [];
  const attempted = new Set<string>();
  let isDone = false;
  async function uploadUntilDone(): Promise<void> {
    while (!isDone) {
      const url = server?.url;
      if (url === undefined) {
        await delay(20);
        continue;
      }
      const bytes = randomBytes(1 + Math.floor(Math.random() * LARGEST_BYTES));
      attempted.add(sha256(bytes));
      const body = new FormData();
      body.append('file', new Blob([bytes]), 'random.bin');
      const answer = await fetch(`${url}/v3/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body,
      }).then(
        async (response) => (response.ok ? ((await response.json()) as Answer) : undefined),
        () => undefined,
      );
      if (answer) acknowledged.push({ id: answer.data.id, sha256: sha256(bytes) });
    }
  }
  const uploaders = Array.from({ length: UPLOADERS }, () => uploadUntilDone().catch(() => {}));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await delay(300 + Math.random() * 700);
    const victim = server;
    server = undefined;
    await victim.kill();
    server = await pool.startServer({ dataDir });
  }
  await delay(300);
  isDone = true;
  await Promise.all(uploaders);

  const { url } = server;
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const { id, sha256: expected } of acknowledged) {
    const answer = await fetch(`${url}/v3/files/${id}/content`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(expected);
  }
  // An upload without an answer is stored completely or not at all.
  const records: { id: string; sha256: string }[] = [];
  for (let page = 0; ; page += 1) {
    const { data } = await call(`${url}/v3/files/search`, token, { pagination: { page, limit: 100 } });
    records.push(...data);
    if (data.length < 100) break;
  }
  for (const record of records) expect(attempted).toContain(record.sha256);
  const stored = async (): Promise<string[]> =>
    (await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true }))
      .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
      .sort();
  await expect.poll(stored, { timeout: 30_000 }).toEqual(records.map(({ id }) => id).sort());
});
