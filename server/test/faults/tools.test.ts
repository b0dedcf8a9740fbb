import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useHttpServer } from '../kit/listeners.ts';
import { until } from '../kit/until.ts';
import { claimsOf, useTools } from './tools.ts';

const tools = await useTools();

it('tools report in one sentence what is wrong and what to do, and exit with 1, or with 2 if they are used wrongly', async () => {
  const { url: elsewhere } = await useHttpServer(
    (_request, response) => void response.end('<html>hello</html>'),
  );
  const [token, poor] = [await tools.createTenant(), await tools.createTenant(['chats:read'])];
  const revoked = await tools.createTenant();
  const to = ['--forward-to', 'http://localhost:4000/hook'];
  const at = ['--url', tools.server.url];
  const damaged = await tools.pool.makeFolder();
  await writeFile(join(damaged, 'parley'), 'in the way');
  const cases: [args: string[], env: Record<string, string>, expected: RegExp, exitCode?: 2][] = [
    [['listen'], { PARLEY_TOKEN: token }, /--forward-to is required: parley listen --forward-to/, 2],
    [['listen', '--forward-to', 'localhost'], {}, /--forward-to must be a URL such as/, 2],
    [['listen', ...to], {}, /An access token is required\..*PARLEY_TOKEN/],
    [['listen', ...to, '--token', 'a b'], {}, /spaces or line breaks/],
    [['listen', ...to, '--nope'], {}, /Unknown option '--nope'.*Try: parley listen --help/, 2],
    [['listen', ...to, 'message.received'], {}, /Unexpected argument "message.received"/, 2],
    [
      ['listen', ...to, '--secret', 'x'],
      { PARLEY_TOKEN: token },
      /--secret must be a secret as parley listen prints it/,
      2,
    ],
    [['listen', ...to, ...at], { PARLEY_TOKEN: 'nonsense' }, /^parley: Unauthorized: .*Create a token/],
    [
      ['listen', ...to, ...at],
      { PARLEY_TOKEN: poor },
      /Forbidden: .*"events:read".*Create a token that has it/,
    ],
    [
      ['listen', ...to, ...at, '--types', 'nope'],
      { PARLEY_TOKEN: token },
      /types: No event is called "nope"/,
    ],
    [['listen', ...to, '--url', elsewhere], { PARLEY_TOKEN: token }, /There is no Parley at .*Check --url/],
    [
      ['listen', ...to, '--url', `${tools.server.url}/v3`],
      { PARLEY_TOKEN: token },
      /Route not found: .*Check --url/,
    ],
    [['listen', ...to], { PARLEY_TOKEN: token, XDG_CONFIG_HOME: damaged }, /cannot be stored in .*--secret/],
    [
      ['trigger', 'message.received', '--url', 'http://127.0.0.1:1'],
      { PARLEY_TOKEN: token },
      /No server answers at .*npm start/,
    ],
    [['trigger'], {}, /An event type is required\. There are message\.received/, 2],
    [['trigger', 'chat.closed'], {}, /"chat\.closed" cannot be triggered\. There are/, 2],
    [['trigger', 'message.received', ...at, '--channel', 'x'], { PARLEY_TOKEN: token }, /Channel not found/],
    [
      ['trigger', 'message.received', ...at, '--from', 'x'],
      { PARLEY_TOKEN: token },
      /from: Must be a phone number/,
    ],
  ];
  const tried = await Promise.all(
    cases.map(([args, env]) => tools.pool.runProgram(args, { XDG_CONFIG_HOME: tools.home, ...env })),
  );
  for (const [number, { code, stderr }] of tried.entries()) {
    const [args, , expected, exitCode = 1] = cases[number] as (typeof cases)[0];
    expect([args.join(' '), code], stderr).toEqual([args.join(' '), exitCode]);
    expect(stderr).toMatch(expected);
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  }
  const tool = tools.listen('revoked', revoked);
  await until(() => tool.output().includes('Connected'));
  const gone = await fetch(`${tools.server.url}/v3/tokens/${claimsOf(revoked).jti}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${revoked}` },
  });
  expect(gone.status).toBe(200);
  expect(await tool.ended).toMatchObject({ code: 1 });
  expect(tool.output()).toContain('Unauthorized: the token has been revoked');
});

it('trigger takes a sender, a text and a channel, and lists only events that it can trigger', async () => {
  const token = await tools.createTenant();
  const email = { kind: 'email', provider: 'sandbox', name: 'Mail', address: 'help@example.com' };
  const channel = await tools.post('/v3/channels', token, email);
  const given = await tools.trigger(
    token,
    ...['message.received', '--channel', channel.id, '--from', 'grace@example.com', '--text', 'Hi there'],
  );
  expect([given.code, given.stderr]).toEqual([0, '']);
  expect(given.stdout).toContain(
    `Wrote "Hi there" as grace@example.com to the channel "Mail" (${channel.id}).`,
  );
  // The first channel is for email, so the sender has an email address.
  expect((await tools.trigger(token, 'message.received')).stdout).toContain(
    'as ada@example.com to the channel "Mail"',
  );
  const help = (await tools.trigger(token, '--help')).stdout;
  const listed = [...help.matchAll(/^ {2}([a-z]+\.[a-z_]+) /gm)].map(([, type]) => type as string);
  expect(listed.length).toBeGreaterThan(0);
  const search = async (type: string) =>
    (
      await tools.call(tools.server.url, '/v3/events/search', {
        token,
        body: { query: `eq(type,"${type}")` },
      })
    ).body.pagination.total;
  for (const type of listed) {
    const before = await search(type);
    expect((await tools.trigger(token, type)).code).toBe(0);
    await until(async () => (await search(type)) > before);
  }
});
