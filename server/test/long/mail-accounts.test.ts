import { beforeEach, describe, expect, it } from 'vitest';
import { type ImapServer, mailWith, useImap } from '../kit/imap.ts';
import { type Relay, useRelay } from '../kit/relay.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { type TokenEndpoint, useTokenEndpoint } from '../kit/token-endpoint.ts';

const server = await useServer();
const { db } = server.system;
const MINUTE = 60_000;

let tenant: TestTenant;
let tokens: TokenEndpoint;
let imap: ImapServer;
let relay: Relay;
beforeEach(async () => {
  tenant = await server.tenant();
  tokens = await useTokenEndpoint();
  imap = await useImap({ isToken: tokens.isValid });
  relay = await useRelay({
    authMethods: ['XOAUTH2'],
    authOptional: false,
    onAuth({ username, accessToken }, _session, done) {
      if (username === 'ada' && tokens.isValid(accessToken ?? '')) done(null, { user: username });
      else done(null, { data: { status: '401', schemes: 'bearer' } } as never);
    },
  });
});

const configOf = (more: object = {}) => ({
  from: 'help@shop.test',
  smtp: { host: '127.0.0.1', port: relay.port, user: 'ada' },
  imap: { host: '127.0.0.1', port: imap.port, user: 'ada' },
  oauth: {
    tokenUrl: `${tokens.url}/token`,
    clientId: 'client',
    clientSecret: 'client secret',
    refreshToken: tokens.refreshToken(),
    scopes: 'mail.read mail.send',
    ...more,
  },
});
const create = (config: object) =>
  tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config,
  });
async function makeChannel(more: object = {}): Promise<string> {
  const answer = await create(configOf(more));
  expect(answer.status).toBe(200);
  await server.settle();
  return answer.body.data.id;
}
const change = (channelId: string, oauth: object) =>
  tenant.put(`/v3/channels/${channelId}`, { config: { oauth } });
const channelOf = async (channelId: string) => (await tenant.get(`/v3/channels/${channelId}`)).body.data;
const later = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const messages = async () =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body.data;
/** Somebody writes a mail, and the chat that it opens is returned. */
async function chatBy(text: string): Promise<string> {
  imap.deliver(mailWith(text));
  await later(MINUTE / 2);
  return (await messages()).at(-1).chatId;
}
const reply = (chatId: string, text: string) => tenant.post(`/v3/chats/${chatId}/messages`, { text });

describe('a mail account with OAuth', () => {
  it('reads and sends with one access token until shortly before it ends', async () => {
    const channelId = await makeChannel();
    expect(imap.said).toContain('AUTHENTICATE');
    const chatId = await chatBy('hello');
    await reply(chatId, 'Welcome');
    await server.settle();
    expect(relay.arrived).toMatchObject([{ user: 'ada' }]);
    expect((await messages()).at(-1)).toMatchObject({ text: 'Welcome', status: 'sent' });
    expect(tokens.asked).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: 'refresh-0',
        client_id: 'client',
        client_secret: 'client secret',
        scope: 'mail.read mail.send',
      },
    ]);
    await later(56 * MINUTE);
    expect(tokens.asked).toHaveLength(1);
    await later(MINUTE);
    expect(tokens.asked).toHaveLength(2);
    expect(await channelOf(channelId)).toMatchObject({ health: 'healthy', problem: null });
    const check = await tenant.post(`/v3/channels/${channelId}/check`, {});
    expect(check.body.data).toEqual({ ok: true, problems: [] });
  });

  it('fetches one token for many at once, also in several processes', async () => {
    const other = await useServer({ databaseUrl: server.databaseUrl, role: 'api' });
    const channelId = await makeChannel();
    server.clock.advance(MINUTE * 60);
    other.clock.advance(Number(server.clock.now()) - Number(other.clock.now()));
    const release = tokens.hold();
    const path = `/v3/channels/${channelId}/check`;
    const checks = [server, other, server, other, server].map((one) =>
      one.call('POST', path, { body: {}, token: tenant.token }),
    );
    await expect.poll(() => tokens.asked.length, { timeout: 30_000 }).toBe(2);
    release();
    for (const { body } of await Promise.all(checks)) expect(body.data).toEqual({ ok: true, problems: [] });
    expect(tokens.asked).toHaveLength(2);
  });

  it('stores the refresh token that the vendor replaces it with', async () => {
    tokens.rotate();
    const channelId = await makeChannel();
    for (let hour = 1; hour <= 3; hour += 1) await later(60 * MINUTE);
    expect(tokens.asked.map((form) => form.refresh_token)).toEqual([
      'refresh-0',
      'refresh-1',
      'refresh-2',
      'refresh-3',
    ]);
    // Other settings of the same app, and still the vendor's latest refresh token.
    await change(channelId, { scopes: 'mail.read' });
    await server.settle();
    expect(tokens.asked.at(-1)).toMatchObject({ refresh_token: 'refresh-4', scope: 'mail.read' });
    expect(await channelOf(channelId)).toMatchObject({ health: 'unchecked' });
    const { rows } = await db.query('select token_encrypted from channel_tokens where id = $1', [channelId]);
    expect(String(rows[0]?.token_encrypted)).not.toContain('refresh');
    expect(server.logged.join('')).not.toMatch(/refresh-\d|access-\d|client secret/);
  });

  it('whose access token is withdrawn gets another one at once', async () => {
    await makeChannel();
    const chatId = await chatBy('hello');
    tokens.withdrawTokens();
    await reply(chatId, 'still here');
    await later(MINUTE / 2);
    expect((await messages()).at(-1)).toMatchObject({ text: 'still here', status: 'sent' });
    expect(tokens.asked).toHaveLength(2);
    imap.deliver(mailWith('and this'));
    await later(MINUTE / 2);
    expect((await messages()).at(-1)).toMatchObject({ text: 'and this' });
  });

  it('whose consent was revoked fails with the screen to visit, loses nothing, and recovers with a new token', async () => {
    const channelId = await makeChannel();
    const chatId = await chatBy('hello');
    const next = tokens.revoke();
    await reply(chatId, 'later');
    imap.deliver(mailWith('waits'));
    await later(MINUTE / 2);
    const failing = await channelOf(channelId);
    expect(failing.health).toBe('failing');
    expect(failing.problem).toBe(
      `127.0.0.1:${tokens.port} no longer accepts the refresh token of ada. Visit the page of 127.0.0.1:${tokens.port} that lists the apps with access to the mailbox. Then sign in again and store the new refresh token in config.oauth.refreshToken. 127.0.0.1:${tokens.port} says invalid_grant: AADSTS700082: The refresh token has expired.`,
    );
    expect((await messages()).at(-1)).toMatchObject({ text: 'later', status: 'queued', error: null });
    const check = await tenant.post(`/v3/channels/${channelId}/check`, {});
    expect(check.body.data.problems).toMatchObject([
      { path: 'config.oauth.refreshToken' },
      { path: 'config.oauth.refreshToken' },
    ]);
    // Hours later nothing has failed for good.
    for (let hour = 1; hour <= 3; hour += 1) await later(60 * MINUTE);
    const asked = tokens.asked.length;
    expect((await messages()).at(-1)).toMatchObject({ status: 'queued' });

    expect((await change(channelId, { refreshToken: next })).status).toBe(200);
    await server.settle();
    expect(await channelOf(channelId)).toMatchObject({ health: 'healthy', problem: null });
    await later(5 * MINUTE);
    expect(tokens.asked).toHaveLength(asked + 1);
    const all = await messages();
    expect(all.map(({ text, status }: { text: string; status: string }) => [text, status])).toEqual([
      ['hello', 'delivered'],
      ['later', 'sent'],
      ['waits', 'delivered'],
    ]);
    const events = (await tenant.post('/v3/events/search', {})).body.data ?? [];
    const changes = events.filter(({ type }: { type: string }) => type === 'channel.health_changed');
    expect(changes).toHaveLength(2);
  });

  it('sends at once what is asked for after the credentials were corrected', async () => {
    const channelId = await makeChannel();
    const chatId = await chatBy('hello');
    const next = tokens.revoke();
    await reply(chatId, 'first');
    await server.settle();
    await change(channelId, { refreshToken: next });
    imap.deliver(mailWith('another person', 'other').replace('ada@', 'eve@'));
    await later(MINUTE / 2);
    const other = (await messages()).at(-1).chatId;
    expect(other).not.toBe(chatId);
    await reply(other, 'second');
    await server.settle();
    expect((await messages()).at(-1)).toMatchObject({ text: 'second', status: 'sent' });
  });

  it('that the vendor cannot serve now is tried again and is not failing', async () => {
    const channelId = await makeChannel();
    server.clock.advance(60 * MINUTE);
    tokens.next(503, 'come back later');
    await server.settle();
    expect(await channelOf(channelId)).toMatchObject({ health: 'unchecked', problem: null });
    imap.deliver(mailWith('after that'));
    await later(MINUTE);
    expect((await messages()).at(-1)).toMatchObject({ text: 'after that' });
  });

  it.each([
    ['an app that is refused', 401, { error: 'invalid_client' }, /Visit the page .* clientId, clientSecret/],
    ['an answer that is no JSON', 400, '<html>', /says HTTP 400/],
    ['an endless reason', 400, { error: 'x', error_description: 'a'.repeat(9999) }, /says x: a{300}$/],
    ['a code that is none', 403, { error: '\u001b[0m <b>' }, /says HTTP 403/],
  ])('shows %s as the problem of the channel', async (_, status, body, problem) => {
    const channelId = await makeChannel();
    server.clock.advance(60 * MINUTE);
    tokens.next(status, body);
    await server.settle();
    expect(await channelOf(channelId)).toMatchObject({
      health: 'failing',
      problem: expect.stringMatching(problem),
    });
  });

  it.each([
    ['no token', { token_type: 'Bearer' }],
    ['a token that would break the login', { access_token: 'a\u0001auth=Bearer b' }],
    ['a token that is no text', { access_token: { a: 1 } }],
  ])('does not use %s', async (_, body) => {
    const channelId = await makeChannel();
    server.clock.advance(60 * MINUTE);
    tokens.next(200, body);
    const before = imap.connections();
    await server.settle();
    expect(imap.connections()).toBe(before);
    expect(await channelOf(channelId)).toMatchObject({ health: 'unchecked' });
  });
});

describe('a mailbox whose password is refused', () => {
  it('makes the channel failing even if it can send, until the password is right', async () => {
    const other = await useImap();
    const open = await useRelay();
    const answer = await create({
      from: 'help@shop.test',
      smtp: { host: '127.0.0.1', port: open.port },
      imap: { host: '127.0.0.1', port: other.port, user: 'ada', password: 'right' },
    });
    const { id } = answer.body.data;
    await server.settle();
    imap = other;
    const chatId = await chatBy('hello');
    await tenant.put(`/v3/channels/${id}`, { config: { imap: { password: 'mistyped' } } });
    await server.settle();
    const problem = expect.stringContaining('wrong password');
    expect(await channelOf(id)).toMatchObject({ health: 'failing', problem });
    await reply(chatId, 'sent all the same');
    await server.settle();
    expect((await messages()).at(-1)).toMatchObject({ status: 'sent' });
    expect(await channelOf(id)).toMatchObject({ health: 'failing', problem });
    await tenant.put(`/v3/channels/${id}`, { config: { imap: { password: 'right' } } });
    await server.settle();
    expect(await channelOf(id)).toMatchObject({ health: 'healthy', problem: null });

    await tenant.put(`/v3/channels/${id}`, { config: { imap: { password: 'mistyped' } } });
    await server.settle();
    const removed = await tenant.put(`/v3/channels/${id}`, { config: { imap: null } });
    expect(removed.body.data).toMatchObject({ health: 'healthy', problem: null });
  });
});

describe('the settings of OAuth', () => {
  const issuesOf = async (config: object): Promise<Record<string, unknown>> => {
    const answer = await create(config);
    expect(answer.status).toBe(400);
    return answer.body.error.invalidParams;
  };

  it('are never shown', async () => {
    const channelId = await makeChannel();
    const { text } = await tenant.get(`/v3/channels/${channelId}`);
    expect(text).not.toMatch(/refresh-0|client secret|config/);
  });

  it('are refused with an issue for each', async () => {
    expect(
      Object.keys(
        await issuesOf(
          configOf({
            vendor: 'yahoo',
            tokenUrl: 'http://tokens.example.com/t',
            directoryId: 'a b',
            clientId: '',
            refreshToken: 'with space',
            scopes: 'two  spaces',
            secret: 'x',
          }),
        ),
      ).sort(),
    ).toEqual(
      ['clientId', 'directoryId', 'refreshToken', 'scopes', 'secret', 'tokenUrl', 'vendor'].map(
        (name) => `config.oauth.${name}`,
      ),
    );
    const { oauth: _, ...without } = configOf();
    expect(Object.keys(await issuesOf(without)).sort()).toEqual([
      'config.imap.password',
      'config.smtp.password',
    ]);
    const unused = {
      ...configOf(),
      smtp: { host: 'h', port: 25 },
      imap: { host: 'h', port: 1, user: 'u', password: 'p' },
    };
    expect(Object.keys(await issuesOf(unused))).toEqual(['config.oauth']);
    const { tokenUrl: _url, ...rest } = configOf().oauth;
    expect(Object.keys(await issuesOf({ ...configOf(), oauth: rest }))).toEqual(['config.oauth.vendor']);
  });

  it.each(['microsoft365', 'google'])('of %s need no URL', async (vendor) => {
    const { tokenUrl: _, scopes: __, ...oauth } = configOf().oauth;
    const refreshToken = 'x'.repeat(2000);
    const smtp = { host: 'smtp.example.com', port: 587, user: 'ada' };
    const answer = await create({ from: 'help@shop.test', smtp, oauth: { ...oauth, vendor, refreshToken } });
    expect(answer.status).toBe(200);
  });

  it('name no host inside the network of the server', async () => {
    expect(await issuesOf(configOf({ tokenUrl: 'https://10.0.0.1/token' }))).toEqual({
      'config.oauth.tokenUrl': {
        key: 'custom',
        message: expect.stringContaining('Requests cannot go to 10.0.0.1'),
      },
    });
  });
});
