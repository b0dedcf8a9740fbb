import { beforeAll, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { startCli, useFolder } from '../kit/cli.ts';
import { dumpTables } from '../kit/dump.ts';
import { findSecrets } from '../kit/find-secrets.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { callTools } from '../kit/mcp-calls.ts';
import { useMailParrot, useParrot } from '../kit/parrot.ts';
import { PASSWORD, tokenOf, usePerson } from '../kit/people.ts';
import { QUESTIONS } from '../kit/questions.ts';
import { createFixtures, type Fixtures, headersFor, idsFor, paramsOf, pathOf } from '../kit/route-calls.ts';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';
import { useTotp } from '../kit/session-calls.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const { app, db } = server.system;

let fixtures: Fixtures;
/** Each secret by what it is. */
const secrets: Record<string, string> = {};
/** What the server said. */
const answers: [what: string, text: string][] = [];
/** Ids of what was planted, by the name of the parameter. */
const planted: Record<string, string[]> = {};

let secretNumber = 0;
/** A secret that is like no other text, with characters that are written differently in a URL and in base64. */
function secret(what: string): string {
  secretNumber += 1;
  const text = `marker${secretNumber} +/~ of ${what}`.replaceAll(' ', '_');
  secrets[what] = text;
  return text;
}
const plain = (what: string): string => {
  secretNumber += 1;
  secrets[what] = `marker${secretNumber}-${what.replaceAll(' ', '-')}`;
  return secrets[what];
};
const note = (name: string, id: string): string => {
  planted[name] = [...(planted[name] ?? []), id];
  return id;
};

/** Channels of all vendors, each of which refuses the credentials and repeats them in its answer. */
async function plantChannels(): Promise<void> {
  const { tenant } = fixtures;
  const [parrot, relay, mailbox] = [
    await useParrot(),
    await useMailParrot('220 parrot ESMTP'),
    await useMailParrot('* OK parrot'),
  ];
  const make = async (kind: string, provider: string, address: string, config: object): Promise<string> => {
    const { body } = await tenant.post('/v3/channels', { kind, provider, name: provider, address, config });
    expect([provider, body.error]).toEqual([provider, undefined]);
    return note('channelId', body.data.id);
  };
  await make('whatsapp', 'whatsapp_cloud', '+15550009991', {
    phoneNumberId: '1111',
    businessAccountId: '2222',
    accessToken: plain('access token of WhatsApp'),
    appSecret: plain('app secret of WhatsApp'),
    verifyToken: plain('verify token of WhatsApp'),
    baseUrl: parrot.url,
  });
  await make('instagram', 'instagram', 'shop', {
    accountId: '3333',
    accessToken: plain('access token of Instagram'),
    appSecret: plain('app secret of Instagram'),
    verifyToken: plain('verify token of Instagram'),
    baseUrl: parrot.url,
  });
  const sms = await make('sms', 'twilio', '+15550009992', {
    accountSid: `AC${'0123456789abcdef'.repeat(2)}`,
    authToken: plain('auth token of Twilio'),
    from: '+15550009992',
    baseUrl: parrot.url,
  });
  const mail = await make('email', 'smtp', 'help@shop.test', {
    from: 'help@shop.test',
    smtp: { host: '127.0.0.1', port: relay.port, user: 'help', password: secret('password of SMTP') },
    imap: { host: '127.0.0.1', port: mailbox.port, user: 'help', password: secret('password of IMAP') },
    inboundSecret: plain('secret of posted mail'),
  });
  const oauth = await make('email', 'smtp', 'info@shop.test', {
    from: 'info@shop.test',
    smtp: { host: '127.0.0.1', port: relay.port, user: 'info' },
    imap: { host: '127.0.0.1', port: mailbox.port, user: 'info' },
    oauth: {
      tokenUrl: `${parrot.url}/token`,
      clientId: 'client',
      clientSecret: plain('OAuth client secret'),
      refreshToken: plain('OAuth refresh token'),
    },
  });
  const send = async (channelId: string, contact: object): Promise<void> => {
    const contactId = (await tenant.post('/v3/contacts', contact)).body.data.id;
    const sent = await tenant.post('/v3/messages', { channelId, contactId, text: 'hello' });
    expect([contact, sent.body.error]).toEqual([contact, undefined]);
    note('messageId', sent.body.data.id);
  };
  await send(sms, { phoneNumber: '+15550002221' });
  await send(mail, { email: 'ada@example.com' });
  await send(oauth, { email: 'eve@example.com' });
  await server.settle();
  for (const id of planted.channelId ?? [])
    answers.push(['check', (await tenant.post(`/v3/channels/${id}/check`)).text]);
}

/** Passwords, codes, links, sessions and tokens of people. */
async function plantLogins(): Promise<void> {
  const { tenant } = fixtures;
  const person = await usePerson(server, tenant, 'owner');
  fixtures.person = person;
  secrets['session cookie'] = person.cookie;
  secrets.password = PASSWORD;
  const totp = await useTotp(person);
  secrets['TOTP secret'] = totp.secret;
  for (const [index, code] of totp.recoveryCodes.entries()) secrets[`recovery code ${index}`] = code;
  const user = await tenant.post('/v3/users', { name: 'Eve', email: 'eve@example.com', role: 'agent' });
  secrets.invitation = tokenOf(await tenant.post(`/v3/users/${user.body.data.id}/invitation`));
  secrets['link for a new password'] = tokenOf(
    await tenant.post(`/v3/users/${person.userId}/password_reset`),
  );
  secrets['login link'] = tokenOf(
    await server.call('POST', '/admin/login_links', { body: {}, token: OPERATOR_TOKEN }),
  );
  for (const password of [plain('mistyped password'), PASSWORD])
    await server.call('POST', '/v3/session', { body: { email: person.email, password, code: '000000' } });
  await server.call('POST', '/v3/session/link', { body: { token: plain('mistyped link') } });
  const keyed = { headers: { 'idempotency-key': plain('idempotency key') } };
  const token = await tenant.post('/v3/tokens', { name: 'a', scopes: ['*'] }, keyed);
  secrets['access token'] = token.body.data.token;
  secrets['operator token'] = OPERATOR_TOKEN;
}

/** Secrets of webhooks, and of an automation that sends one to a server that repeats it. */
async function plantAutomation(): Promise<void> {
  const { tenant, ids } = fixtures;
  const hook = await tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{}] });
  secrets['webhook secret'] = hook.body.data.secret;
  const rotated = await tenant.post(`/v3/api_webhooks/${note('webhookId', hook.body.data.id)}/rotate_secret`);
  expect(rotated.status).toBe(200);
  secrets['rotated webhook secret'] = rotated.body.data.secret;
  const parrot = await useHttpServer((request, response) => {
    response.writeHead(500).end(JSON.stringify(request.headers));
  });
  await tenant.put('/v3/secrets/planted', { value: plain('secret of automations') });
  const automationId = await automationOf(tenant, {
    steps: [
      {
        id: 'call',
        type: 'http_request',
        parameters: { method: 'POST', url: parrot.url, headers: { 'X-Key': '{{ secrets.planted }}' } },
      },
      {
        id: 'broken',
        type: 'http_request',
        parameters: {
          method: 'POST',
          url: parrot.url,
          headers: { 'X-Key': '{{ secrets.planted }}{{ contact.metadata.nothing | newline_to_br }}\u00ff' },
          body: '{{ secrets.planted }}',
        },
      },
    ],
  });
  note('automationId', automationId);
  const run = await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId: ids.contactId });
  note('runId', run.headers['x-automation-run-id'] as string);
  await server.settle();
  const dry = await tenant.post(`/v3/automations/${automationId}/dry_run`, { contactId: ids.contactId });
  expect(dry.status).toBe(200);
  answers.push(['dry run', dry.text]);
}

/** An answer that is for those who may change a channel, and shows what they must enter at the vendor. */
const SHOWN: Readonly<Record<string, RegExp>> = { getChannelSetup: /^verify token/ };

const found = (text: string): string[] => findSecrets(secrets, text);

beforeAll(async () => {
  fixtures = await createFixtures(server);
  await plantChannels();
  await plantLogins();
  await plantAutomation();
  server.clock.advance(60_000);
  await server.settle();
  await app.flush();
}, 120_000);

it('J5, L1: the search finds what is there', () => {
  expect(found(`x ${PASSWORD} y ${encodeURIComponent(secrets['password of SMTP'] as string)}`)).toEqual([
    'password of SMTP',
    'password',
  ]);
  for (const [what, value] of Object.entries(secrets))
    expect([what, value.length >= 8]).toEqual([what, true]);
});

it('J5: no secret is in a table', async () => {
  expect(found(await dumpTables(server.databaseUrl))).toEqual([]);
});

it('L1: no secret is in a line of the log or a metric', async () => {
  const lines = server.logged.filter((line) => found(line).length > 0);
  expect(lines).toEqual([]);
  expect(found((await server.call('GET', '/metrics', { token: OPERATOR_TOKEN })).text)).toEqual([]);
});

it('no answer to a question contains a secret, whichever route is asked and whatever is refused', async () => {
  const questions = app.routes.filter(
    ({ spec }) => spec.method === 'GET' || (spec.method === 'POST' && QUESTIONS.test(spec.path)),
  );
  expect(questions.length).toBeGreaterThan(80);
  for (const route of questions) {
    const { spec } = route;
    const ids = idsFor(route, fixtures);
    const last = paramsOf(route).at(-1) ?? '';
    for (const id of [ids[last] ?? '', ...(planted[last] ?? [])]) {
      const path = pathOf(route, (name) => (name === last ? id : (ids[name] as string)));
      const answer = await server.call(spec.method, path, {
        ...(spec.access === 'session'
          ? { headers: headersFor(route, fixtures) }
          : { token: spec.access === 'operator' ? OPERATOR_TOKEN : fixtures.tenant.token }),
        ...(spec.method === 'POST' ? { body: {} } : {}),
      });
      answers.push([spec.operationId, answer.text + JSON.stringify(answer.headers)]);
    }
  }
  for (const [what, text] of answers) {
    const shown = found(text).filter((one) => !SHOWN[what]?.test(one));
    expect([what, shown]).toEqual([what, []]);
  }
});

it('no answer to an assistant contains a secret', async () => {
  const url = `http://127.0.0.1:${await listen(app.server)}`;
  const results = await callTools(url, fixtures.tenant.token, (name) => [
    ...(planted[name] ?? []),
    fixtures.ids[name] ?? 'x',
  ]);
  expect(new Set(results.map(([name]) => name)).size).toBeGreaterThan(40);
  expect(results.filter(([, text]) => !text.includes('"result"'))).toEqual([]);
  const answered = results.filter(([, text]) => !text.includes('"isError":true')).map(([name]) => name);
  expect(new Set(answered).size).toBeGreaterThan(30);
  for (const [name, text] of results) expect([name, found(text)]).toEqual([name, []]);
}, 120_000);

it('no command prints a secret: neither what it reads, nor its own token, nor that of the operator', async () => {
  const folder = await useFolder();
  const url = `http://127.0.0.1:${await listen(app.server)}`;
  secrets['token of the commands'] = fixtures.tenant.token;
  const wrong = plain('token that is not valid');
  const [messageId, runId, automationId] = [planted.messageId, planted.runId, planted.automationId].map(
    (ids) => ids?.[0] as string,
  ) as [string, string, string];
  const commands: [token: string, ...args: string[]][] = [
    [fixtures.tenant.token, 'trace', messageId],
    [fixtures.tenant.token, 'trace', runId, '--json'],
    [fixtures.tenant.token, 'automations', 'explain', messageId],
    [fixtures.tenant.token, 'automations', 'dry-run', automationId, '--contact', '+15550002221'],
    [fixtures.tenant.token, 'chats', 'export'],
    [fixtures.tenant.token, 'contacts', 'export'],
    [fixtures.tenant.token, 'trigger', 'message.received'],
    [wrong, 'trace', messageId],
    [`${wrong}\n`, 'contacts', 'export'],
    [wrong, 'release', '--url', url],
  ];
  for (const [token, ...args] of commands) {
    const env = { PARLEY_URL: url, PARLEY_TOKEN: token, PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN };
    const { stdout, stderr } = await startCli(args, env, folder).ended;
    const said = stdout + stderr;
    expect([args, said.length > 0, found(said)]).toEqual([args, true, []]);
  }
}, 120_000);

it('the vendors were called, and what they said is there without the secrets', async () => {
  const checks = answers.filter(([what]) => what === 'check').map(([, text]) => text);
  expect(checks.filter((text) => text.includes('…'))).toHaveLength(4);
  const { rows } = await db.query(
    'select provider, problem from channels where id = any ($1::uuid[]) and problem is not null order by created_at, id',
    [planted.channelId],
  );
  expect(rows.map(({ provider }) => provider)).toEqual(['twilio', 'smtp', 'smtp']);
  for (const { problem } of rows) expect(problem).toMatch(/no: .*…/);
});
