import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { cleanUp } from '../kit/clean-up.ts';
import { freePort } from '../kit/listeners.ts';
import { blocksOf } from '../kit/sdk-page.ts';
import { useServer } from '../kit/server.ts';
import { useTempFolder } from '../kit/temp-folder.ts';
import { until } from '../kit/until.ts';
import { subscribe, write } from '../kit/webhooks.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const url = `http://127.0.0.1:${await listen(server.system.app.server)}`;
const folder = await useTempFolder();
const blocks = blocksOf('ts');
let programs = 0;

/** Runs the block of the page that contains a text, as a program of its own. */
async function run(having: string, env: Record<string, string>) {
  const found = blocks.filter((code) => code.includes(having));
  expect([having, found.length]).toEqual([having, 1]);
  const outfile = join(folder, `block${++programs}.mjs`);
  const resolveDir = fileURLToPath(new URL('../../', import.meta.url));
  await build({
    stdin: { contents: found[0] as string, resolveDir, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
  });
  const child: ChildProcess = spawn(process.execPath, [outfile], { env: { PARLEY_URL: url, ...env } });
  cleanUp(() => void child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(([code]) => ({ code, lines: output.trim().split('\n').slice(1) }));
  return { ended, output: () => output, kill: () => child.kill() };
}

const connected = 'Connected to test';

it.each<[what: string, having: string, lines: (string | RegExp)[]]>([
  ['calls an operation', 'updateContact', ['Augusta Lovelace']],
  ['handles an error', 'chat_not_found', [/^404: Chat not found/]],
  ['repeats a call', 'idempotencyKey', ['true']],
  ['sends and gets a file', 'uploadFile', ['menu.txt Soup, salad']],
])('docs/use/sdk.md has a program that %s', async (_, having, lines) => {
  const { token } = await server.tenant();
  const { ended, output } = await run(having, { PARLEY_TOKEN: token });
  const result = await ended;
  expect([result.code, output().startsWith(connected)], output()).toEqual([0, true]);
  expect(result.lines).toEqual(
    lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
  );
});

it('docs/use/sdk.md has a program that goes through all pages', async () => {
  const tenant = await server.tenant();
  for (let number = 0; number < 101; number += 1)
    await tenant.post('/v3/contacts', { firstName: `Ada ${number}` });
  const { ended, output } = await run('items(searchContacts', { PARLEY_TOKEN: tenant.token });
  const { lines } = await ended;
  expect(lines[0], output()).toBe('100 of 101');
  expect(new Set(lines.slice(1)).size).toBe(101);
});

it('docs/use/sdk.md has a program that answers a customer', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  const { ended, output } = await run('streamEvents', { PARLEY_TOKEN: tenant.token });
  await until(() => output().includes('open'));
  await write(tenant, channel, 'Hello');
  await server.settle();
  const { code, lines } = await ended;
  expect([code, lines], output()).toEqual([0, ['open', 'answered, position 3']]);
  const { data } = (await tenant.post('/v3/messages/search', { query: 'eq(sender,"outbound")' })).body;
  expect(data.map(({ text }: { text: string }) => text)).toEqual(['You wrote: Hello']);
});

it('docs/use/sdk.md has a receiver of webhooks, which refuses what nobody has signed', async () => {
  server.clock.set(new Date());
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  const port = await freePort();
  const hook = await subscribe(tenant, `http://127.0.0.1:${port}/hook`);
  const receiver = await run('verifyWebhook({ body: await text(request)', {
    PARLEY_TOKEN: tenant.token,
    WEBHOOK_SECRET: hook.secret,
    PORT: String(port),
  });
  await until(() => receiver.output().includes('waiting'));
  await write(tenant, channel, 'Hello');
  await server.settle();
  await until(() => receiver.output().includes(': Hello'));
  const forged = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' });
  expect(forged.status).toBe(400);
  await until(() => receiver.output().includes('WebhookError: The header webhook-id is missing.'));
  receiver.kill();
  await receiver.ended;
});
