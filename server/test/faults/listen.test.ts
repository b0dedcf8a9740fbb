import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from './load.ts';
import { until } from './postmaster.ts';
import { OPERATOR_TOKEN, type ServerProcess, type ToolProcess, workshop } from './processes.ts';
import { answerAtOnce, type FaultReceiver, startReceiver } from './receiver.ts';

const shop = workshop();
const api = client(4);
let receiver: FaultReceiver;
let server: ServerProcess;
let dataDir: string;
let home: string;
beforeAll(async () => {
  receiver = await startReceiver(answerAtOnce);
  dataDir = join(await shop.folder(), 'data');
  home = await shop.folder();
  server = await shop.start({ dataDir });
});
afterAll(async () => {
  await api.close();
  await shop.end();
  await receiver.close();
});

const make = async (path: string, token: string, body: unknown) =>
  (await api.call(server.url, path, { token, body })).body.data;

async function newTenant(scopes = ['*']): Promise<string> {
  const { id } = await make('/admin/tenants', OPERATOR_TOKEN, { name: 'tools' });
  return (await make(`/admin/tenants/${id}/tokens`, OPERATOR_TOKEN, { scopes })).token;
}
const environment = (token: string) => ({
  PARLEY_TOKEN: token,
  XDG_CONFIG_HOME: home,
  PARLEY_DATA_DIR: join(home, 'data'),
});
const listenTo = (name: string, token: string, ...more: string[]): ToolProcess =>
  shop.tool(['listen', '--url', server.url, '--forward-to', receiver.url(name), ...more], environment(token));
const trigger = (token: string, ...args: string[]) =>
  shop.run(['trigger', ...args, '--url', server.url], environment(token));
const arrived = (tenantToken: string) => {
  const { tenantId } = JSON.parse(Buffer.from(tenantToken.split('.')[1] as string, 'base64url').toString());
  return [...receiver.byId.values()].filter(({ event }) => event.tenantId === tenantId);
};
async function stop(tool: ToolProcess): Promise<void> {
  tool.signal('SIGINT');
  expect(await tool.ended, tool.output()).toEqual({ code: 0, signal: null });
}

describe('parley listen', () => {
  it('R1: brings every event to a local program, signed, in order and once, across kills of the server', async () => {
    const token = await newTenant();
    const tool = listenTo('kills', token);
    await until(() => tool.output().includes('Connected'));
    const secret = /whsec_\S+/.exec(tool.output())?.[0] as string;
    receiver.trust('kills', secret);
    // There is no channel yet, so the tool makes one.
    expect((await trigger(token, 'message.received')).code).toBe(0);
    await until(() => arrived(token).length === 3);
    const [channel] = await make('/v3/channels/search', token, {});
    expect(channel).toMatchObject({ name: 'trigger', provider: 'sandbox' });

    let acknowledged = 0;
    let isWriting = true;
    const write = async (): Promise<void> => {
      while (isWriting) {
        const body = { from: '+15550001111', text: `message ${acknowledged}` };
        const answer = await api
          .call(server.url, `/v3/sandbox/${channel.id}/inbound`, { token, body, timeoutMs: 5_000 })
          .catch(() => undefined);
        if (answer?.status === 200) acknowledged += 1;
        await delay(answer ? 5 : 50);
      }
    };
    const writing = write();
    const { port } = new URL(server.url);
    const again = () => tool.output().match(/Connected again, nothing was missed/g)?.length ?? 0;
    for (let kill = 0; kill < 4; kill += 1) {
      await delay(500 + Math.random() * 500);
      const before = again();
      await server.kill();
      server = await shop.start({ dataDir, port });
      // By turns: once it listens again, and whether it does or not.
      if (kill % 2 === 0) await until(() => again() > before);
    }
    await delay(500);
    isWriting = false;
    await writing;

    const received = () => arrived(token).filter(({ event }) => event.type === 'message.received');
    await until(() => received().length >= acknowledged + 1, 30_000);
    const newest = await make('/v3/events/search', token, {
      sortBy: 'desc(sequence)',
      pagination: { limit: 1 },
    });
    await until(() => arrived(token).at(-1)?.event.sequence === newest[0].sequence, 30_000);
    const all = arrived(token);
    const total = (await api.call(server.url, '/v3/events/search', { token, body: {} })).body.pagination
      .total;
    expect(all).toHaveLength(total);
    const sequences = all.map(({ event }) => event.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(all.every(({ at }) => at.length === 1)).toBe(true);
    expect(receiver.faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(20);
    const printed = tool.output();
    expect(printed).toContain('is out of reach');
    expect(printed).toMatch(/^\d\d:\d\d:\d\d {2}message\.received +#\d+ {2}204 {2}\d+ ms$/m);
    await stop(tool);
  });

  it('keeps one secret for its user, readable by nobody else, and takes another where it is told', async () => {
    const token = await newTenant();
    const [one, two] = [listenTo('secret', token), listenTo('secret', token)];
    await until(() => [one, two].every((tool) => tool.output().includes('Connected')));
    const path = join(home, 'parley', 'listen.json');
    const kept = JSON.parse(await readFile(path, 'utf8')).secret;
    for (const tool of [one, two])
      expect(tool.output()).toContain(`Signing secret: ${kept} (kept in ${path})`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const other = listenTo('given', token, '--secret', given, '--types', 'message.*');
    receiver.trust('given', given);
    await until(() => other.output().includes('Connected'));
    await trigger(token, 'contact.created');
    await until(() => other.output().includes('message.received'));
    expect(other.output()).not.toContain('contact.created');
    expect(receiver.faults).toEqual([]);
    for (const tool of [one, two, other]) await stop(tool);
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  it('shows what the program does not take, does not send it again, and goes on', async () => {
    const token = await newTenant();
    let refused = 0;
    receiver.behave((delivered, response, request) => {
      if (delivered.event.type !== 'chat.created') return answerAtOnce(delivered, response, request);
      refused += 1;
      response.writeHead(500).end('not now');
    });
    const tool = listenTo('failing', token);
    await until(() => tool.output().includes('Connected'));
    await trigger(token, 'message.received');
    await until(() => /message\.received +#3 {2}204/.test(tool.output()));
    expect(tool.output()).toMatch(/chat\.created +#2 {2}500 {2}\d+ ms/);
    await stop(tool);
    receiver.behave(answerAtOnce);
    expect(refused).toBe(1);
    const nowhere = shop.tool(
      ['listen', '--url', server.url, '--forward-to', 'http://localhost:1/hook'],
      environment(token),
    );
    await until(() => nowhere.output().includes('Connected'));
    await trigger(token, 'message.received');
    await until(() => /message\.received +#4 {2}failed: nobody listens there/.test(nowhere.output()));
    await stop(nowhere);
  });

  it('waits for a server that is not there yet', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await until(() => probe.listening);
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const late = `http://127.0.0.1:${port}`;
    const tool = shop.tool(
      ['listen', '--url', late, '--forward-to', receiver.url('late')],
      environment(await newTenant()),
    );
    await until(() => tool.output().includes(`The server at ${late} is out of reach (ECONNREFUSED)`));
    const folder = join(await shop.folder(), 'data');
    const started = await shop.start({ dataDir: folder, port: String(port) });
    // The token belongs to another installation, which is what the new server says.
    expect(await tool.ended).toMatchObject({ code: 1 });
    expect(tool.output()).toMatch(/^parley: Unauthorized: .* Make a token with POST \/v3\/tokens/m);
    await started.kill();
  });

  it('says in one sentence what is wrong and what to do, and ends with 1', async () => {
    const web = createServer((_request, response) => void response.end('<html>hello</html>'));
    web.listen(0, '127.0.0.1');
    await until(() => web.listening);
    const elsewhere = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const [token, poor] = [await newTenant(), await newTenant(['chats:read'])];
    const revoked = await newTenant();
    const to = ['--forward-to', 'http://localhost:4000/hook'];
    const at = ['--url', server.url];
    const damaged = await shop.folder();
    await writeFile(join(damaged, 'parley'), 'in the way');
    const cases: [args: string[], env: Record<string, string>, said: RegExp][] = [
      [['listen'], { PARLEY_TOKEN: token }, /Say where to: parley listen --forward-to/],
      [['listen', '--forward-to', 'localhost'], {}, /--forward-to must be a URL such as/],
      [['listen', ...to], {}, /An access token is needed\..*PARLEY_TOKEN/],
      [['listen', ...to, '--token', 'a b'], {}, /not whole/],
      [['listen', ...to, '--nope'], {}, /Unknown option '--nope'.*Try: parley listen --help/],
      [['listen', ...to, 'message.received'], {}, /listen takes no "message.received"/],
      [['listen', ...to, '--secret', 'x'], { PARLEY_TOKEN: token }, /--secret must be a secret such as/],
      [['listen', ...to, ...at], { PARLEY_TOKEN: 'nonsense' }, /^parley: Unauthorized: .*Make a token/],
      [
        ['listen', ...to, ...at],
        { PARLEY_TOKEN: poor },
        /Forbidden: .*"events:read".*Make a token that has it/,
      ],
      [
        ['listen', ...to, ...at, '--types', 'nope'],
        { PARLEY_TOKEN: token },
        /types: No event is called "nope"/,
      ],
      [['listen', ...to, '--url', elsewhere], { PARLEY_TOKEN: token }, /There is no Parley at .*Check --url/],
      [
        ['listen', ...to, '--url', `${server.url}/v3`],
        { PARLEY_TOKEN: token },
        /Route not found: .*Check --url/,
      ],
      [
        ['listen', ...to, '--url', 'http://host.invalid'],
        { PARLEY_TOKEN: token },
        /no machine called "host\.invalid"/,
      ],
      [['listen', ...to], { PARLEY_TOKEN: token, XDG_CONFIG_HOME: damaged }, /cannot be kept in .*--secret/],
      [
        ['trigger', 'message.received', '--url', 'http://127.0.0.1:1'],
        { PARLEY_TOKEN: token },
        /Nobody answers at .*npm start/,
      ],
      [['trigger'], {}, /Say what\. There are message\.received/],
      [['trigger', 'chat.closed'], {}, /"chat\.closed" cannot be triggered\. There are/],
      [
        ['trigger', 'message.received', ...at, '--channel', 'x'],
        { PARLEY_TOKEN: token },
        /Channel not found/,
      ],
      [
        ['trigger', 'message.received', ...at, '--from', 'x'],
        { PARLEY_TOKEN: token },
        /from: Must be a phone number/,
      ],
    ];
    const tried = await Promise.all(
      cases.map(([args, env]) => shop.run(args, { XDG_CONFIG_HOME: home, ...env })),
    );
    for (const [number, { code, stderr }] of tried.entries()) {
      const [args, , said] = cases[number] as (typeof cases)[0];
      expect([args.join(' '), code], stderr).toEqual([args.join(' '), 1]);
      expect(stderr).toMatch(said);
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    }
    const tool = listenTo('revoked', revoked);
    await until(() => tool.output().includes('Connected'));
    const me = JSON.parse(Buffer.from(revoked.split('.')[1] as string, 'base64url').toString());
    const gone = await fetch(`${server.url}/v3/tokens/${me.jti}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${revoked}` },
    });
    expect(gone.status).toBe(200);
    expect(await tool.ended).toMatchObject({ code: 1 });
    expect(tool.output()).toContain('Unauthorized: the token has been revoked');
    web.close();
    web.closeAllConnections();
  });
});

describe('parley trigger', () => {
  it('writes as whom, what and where it is told, and lists only what it can do', async () => {
    const token = await newTenant();
    const email = { kind: 'email', provider: 'sandbox', name: 'Mail', address: 'help@example.com' };
    const channel = await make('/v3/channels', token, email);
    const given = await trigger(
      token,
      ...['message.received', '--channel', channel.id, '--from', 'grace@example.com', '--text', 'Hi there'],
    );
    expect([given.code, given.stderr]).toEqual([0, '']);
    expect(given.stdout).toContain(
      `Wrote "Hi there" as grace@example.com to the channel "Mail" (${channel.id}).`,
    );
    // The first channel is an email one: the person is one who can write there.
    expect((await trigger(token, 'message.received')).stdout).toContain(
      'as ada@example.com to the channel "Mail"',
    );
    const help = (await trigger(token, '--help')).stdout;
    const listed = [...help.matchAll(/^ {2}([a-z]+\.[a-z_]+) /gm)].map(([, type]) => type as string);
    expect(listed.length).toBeGreaterThan(0);
    const search = async (type: string) =>
      (await api.call(server.url, '/v3/events/search', { token, body: { query: `eq(type,"${type}")` } })).body
        .pagination.total;
    for (const type of listed) {
      const before = await search(type);
      expect((await trigger(token, type)).code).toBe(0);
      await until(async () => (await search(type)) > before);
    }
  });
});
