import { beforeAll, expect, it } from 'vitest';
import { useAdapterContext } from '../kit/adapter-context.ts';
import { dumpTables } from '../kit/dump.ts';
import { findSecrets } from '../kit/find-secrets.ts';
import { useHttpServer, useTcpServer } from '../kit/listeners.ts';
import { usePerson } from '../kit/people.ts';
import { type Answer, OPERATOR_TOKEN, type TestServer, type TestTenant, useServer } from '../kit/server.ts';

/** Each secret by what it is. */
const secrets: Record<string, string> = {
  'client secret': 'marker-client-secret +/~&%',
  code: 'marker-of-the-code',
};
const found = (text: string): string[] => findSecrets(secrets, text);

/** What the relay got, and how it refuses the next mail: relays quote lines of a mail that they do not like. */
const mails: string[] = [];
let refusal = '';
const relay = await useTcpServer((socket) => {
  let lines = '';
  let isMail = false;
  socket.write('220 relay ESMTP\r\n');
  socket.on('data', (chunk) => {
    lines += chunk.toString('latin1');
    if (isMail) {
      if (!lines.endsWith('\r\n.\r\n')) return;
      isMail = false;
      const mail = lines.replaceAll('=\r\n', '').replaceAll('=3D', '=');
      mails.push(mail);
      const link = /https?:\S+#\S+/.exec(mail)?.[0] ?? '';
      socket.write(`${refusal} refused: it contains ${link} (${encodeURIComponent(link)})\r\n`);
      lines = '';
      return;
    }
    for (const line of lines.split('\r\n').slice(0, -1)) {
      isMail ||= /^DATA/i.test(line);
      socket.write(isMail ? '354 go on\r\n' : '250 ok\r\n');
    }
    lines = '';
  });
});
/** How the identity provider answers: each time with what it was sent. */
let answerOf: (sent: string) => { status: number; type: string; body: string };
const issuer = await useHttpServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { url } = issuer;
  if (request.url?.startsWith('/.well-known/'))
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    );
  const { authorization = '' } = request.headers;
  const login = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  const sent = `${authorization} ${login} ${decodeURIComponent(login)} ${body}`;
  const { status, type, body: said } = answerOf(sent);
  response.writeHead(status, {
    'content-type': type,
    'www-authenticate': `Basic realm="${encodeURIComponent(sent)}"`,
  });
  response.end(said);
});

let server: TestServer;
let post: TestTenant;
let channelId: string;
const answers: Answer[] = [];

const json = (body: object): string => JSON.stringify(body);
const replies: Record<string, typeof answerOf> = {
  'an error': (sent) => ({
    status: 400,
    type: 'application/json',
    body: json({ error: 'invalid_client', error_description: sent, error_uri: sent }),
  }),
  'an error that is called so': (sent) => ({
    status: 401,
    type: 'application/json',
    body: json({ error: sent }),
  }),
  'a page': (sent) => ({ status: 500, type: 'text/html', body: `<h1>${sent}</h1>` }),
  'no JSON': (sent) => ({ status: 200, type: 'application/json', body: sent }),
  'tokens that are none': (sent) => ({
    status: 200,
    type: 'application/json',
    body: json({ access_token: sent, id_token: sent, token_type: 'Bearer' }),
  }),
};

async function logInWithProvider(): Promise<void> {
  const started = await server.call('GET', '/v3/session/oidc');
  answers.push(started);
  const state = new URL(started.headers.location as string).searchParams.get('state');
  const [cookie] = [started.headers['set-cookie']].flat() as string[];
  const answer = await server.call(
    'GET',
    `/v3/session/oidc/callback?code=marker-of-the-code&state=${state}`,
    {
      headers: { cookie: cookie?.split(';')[0] as string },
    },
  );
  expect(answer.headers.location).toMatch(/\?error=(not_valid|no_answer)$/);
  answers.push(answer);
}

beforeAll(async () => {
  const first = await useServer();
  post = await first.tenant();
  const channel = await post.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Post',
    address: 'post@shop.test',
    config: { from: 'post@shop.test', smtp: { host: '127.0.0.1', port: relay.port } },
  });
  channelId = channel.body.data.id;
  server = await useServer({
    databaseUrl: first.databaseUrl,
    context: useAdapterContext(),
    people: {
      systemMail: { tenantId: post.id, channelId },
      oidc: {
        issuer: issuer.url,
        clientId: 'client',
        clientSecret: secrets['client secret'],
        autoJoin: undefined,
      },
    },
  } as object);
  const person = await usePerson(server, post, 'agent');
  await server.settle();
  for (const code of ['550 5.7.1', '451 4.7.1', '535 5.7.8', '530 5.7.0']) {
    refusal = code;
    const name = `of ${code}`;
    const user = await post.post('/v3/users', {
      name,
      email: `u${code.slice(0, 3)}@example.com`,
      role: 'agent',
    });
    await post.post(`/v3/users/${user.body.data.id}/invitation`);
    await server.call('POST', '/v3/password_resets', { body: { email: person.email } });
    for (let turn = 0; turn < 3; turn += 1) {
      await server.settle();
      answers.push(
        await post.get(`/v3/channels/${channelId}`),
        await post.get('/v3/tenant'),
        await server.call('GET', '/admin/status', { token: OPERATOR_TOKEN }),
        await post.post('/v3/events/search', {}),
      );
      server.clock.advance(3_700_000);
    }
  }
  for (const [index, mail] of mails.entries())
    secrets[`link of mail ${index}`] = /https?:\S+#(\S+)/.exec(mail)?.[1] as string;
  for (const reply of Object.values(replies)) {
    answerOf = reply;
    await logInWithProvider();
  }
  await server.system.app.flush();
}, 120_000);

it('links were mailed and refused, and the identity provider was called', () => {
  expect(mails.length).toBeGreaterThan(6);
  for (const [what, value] of Object.entries(secrets))
    expect([what, value?.length > 12]).toEqual([what, true]);
  expect(answers.some(({ text }) => text.includes('refused: it contains'))).toBe(true);
});

it('J5: neither a link of a mail nor the client secret is in a table', async () => {
  expect(found(await dumpTables(server.databaseUrl))).toEqual([]);
});

it('L1: neither is in a line of the log or a metric', async () => {
  expect(server.logged.filter((line) => found(line).length > 0)).toEqual([]);
  expect(found((await server.call('GET', '/metrics', { token: OPERATOR_TOKEN })).text)).toEqual([]);
});

it('neither is in an answer, also not in why the channel or the login fails', () => {
  for (const { text, headers } of answers) expect(found(text + JSON.stringify(headers))).toEqual([]);
});
