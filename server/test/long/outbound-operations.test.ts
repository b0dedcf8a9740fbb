import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { keysFrom } from '../../src/base/crypto.ts';
import { createOidc } from '../../src/people/oidc.ts';
import type { Adapter } from '../../src/providers/adapter.ts';
import { adapters } from '../../src/providers/adapters.ts';
import type { OutgoingMessage } from '../../src/providers/outgoing-message.ts';
import type { NewVendorTemplate } from '../../src/providers/vendor-template.ts';
import { useAdapterContext } from '../kit/adapter-context.ts';
import { automationOf, personOf } from '../kit/automations.ts';
import { OUTSIDE, useInternet } from '../kit/internet.ts';
import { useOutboundClient } from '../kit/outbound-client.ts';
import { SECRET_KEY, useServer } from '../kit/server.ts';
import { ACCOUNT, TOKEN } from '../kit/twilio.ts';

const internet = await useInternet();
const { policy, lookup, port } = internet;
const server = await useServer({ policy, outbound: { lookup } });
const outbound = useOutboundClient({ ...policy, lookup });
const context = useAdapterContext({ ...policy, lookup });
const GOOD = 'good.example';

/** Makes an operation call a host that the settings name, without the checks that happen when they are stored. */
type Call = (host: string) => Promise<unknown>;
interface Operation {
  name: string;
  /** Where in the sources the call is made. */
  sources: readonly string[];
  call: Call;
}

const urlOf = (host: string): string => `http://${host}:${port}/x`;
const message = (more: object = {}): OutgoingMessage => ({
  id: '019a82a0-0000-7000-8000-000000000030',
  to: { type: 'phone_number', value: '+15550001111' },
  type: 'text',
  text: 'hello',
  media: [],
  content: {},
  template: null,
  replyToVendorId: null,
  references: [],
  isAutomatic: false,
  ...more,
});
const template: NewVendorTemplate = {
  name: 'hello',
  language: 'en',
  category: 'utility',
  header: null,
  body: 'Hello',
  footer: null,
  buttons: [],
  examples: {},
} as unknown as NewVendorTemplate;

const meta = {
  phoneNumberId: '1111',
  businessAccountId: '2222',
  accountId: '3333',
  appId: '4444',
  accessToken: 'an-access-token',
  appSecret: 'an-app-secret',
  verifyToken: 'a-verify-token',
};
const configs: Record<string, (host: string) => object> = {
  sandbox: () => ({}),
  whatsapp_cloud: (host) => ({ ...meta, baseUrl: `http://${host}:${port}` }),
  instagram: (host) => ({ ...meta, baseUrl: `http://${host}:${port}` }),
  twilio: (host) => ({
    accountSid: ACCOUNT,
    authToken: TOKEN,
    from: '+15550009999',
    baseUrl: `http://${host}:${port}`,
  }),
  smtp: (host) => ({
    from: 'a@b.test',
    smtp: { host, port, secure: false, user: 'ada', password: 'right' },
    imap: { host, port, secure: false, user: 'ada', password: 'right', mailbox: 'INBOX' },
  }),
};
const adapterOf = (provider: string): Adapter => adapters.get(provider) as Adapter;
const channelAt = (provider: string, host: string, more: object = {}) => ({
  id: '019a82a0-0000-7000-8000-000000000020',
  tenantId: '019a82a0-0000-7000-8000-000000000001',
  kind: adapterOf(provider).kinds[0] as 'sms',
  address: '+15550009999',
  config: { ...configs[provider]?.(host), ...more } as Record<string, unknown>,
});
const to = { type: 'phone_number', value: '+15550001111' } as const;
const MAIL = { type: 'email', to: { type: 'email', value: 'ada@example.com' }, content: { subject: 'x' } };

/** Every method of an adapter that gets the context, and how it is called. */
const methods: Record<
  string,
  (adapter: Adapter, channel: ReturnType<typeof channelAt>, host: string) => unknown
> = {
  check: (adapter, channel) => adapter.check(channel, context),
  send: (adapter, channel) =>
    adapter.send(message(adapter.provider === 'smtp' ? MAIL : {}), channel, context),
  fetchMedia: (adapter, channel, host) =>
    adapter.fetchMedia?.({ id: '77', url: urlOf(host) }, channel, context),
  reconcile: (adapter, channel) => adapter.reconcile?.(message(), channel, context),
  signal: (adapter, channel) => adapter.signal?.('read', { to, vendorId: 'wamid.1' }, channel, context),
  fetchProfile: (adapter, channel) => adapter.fetchProfile?.(to, channel, context),
  openMailbox: (adapter, channel) => adapter.openMailbox?.(channel, context),
  'templates.list': (adapter, channel) => adapter.templates?.list(channel, context),
  'templates.create': (adapter, channel) => adapter.templates?.create(template, channel, context),
  'templates.update': (adapter, channel) =>
    adapter.templates?.update?.({ ...template, vendorId: '7' }, channel, context),
  'templates.remove': (adapter, channel) =>
    adapter.templates?.remove({ vendorId: '7', name: 'hello' }, channel, context),
};
/** What makes no call: it is decided from the message and the settings alone. */
const SILENT = new Set([
  'sandbox check',
  'sandbox send',
  'sandbox reconcile',
  'sandbox signal',
  'sandbox templates.list',
  'sandbox templates.create',
  'sandbox templates.update',
  'sandbox templates.remove',
]);
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['providers/sandbox/media.ts'],
  whatsapp_cloud: ['providers/meta/graph.ts'],
  instagram: ['providers/meta/graph.ts'],
  twilio: ['providers/twilio/media.ts', 'providers/twilio/twilio.ts', 'providers/twilio/send.ts'],
  smtp: ['providers/smtp/mailbox.ts', 'providers/smtp/relay.ts'],
};

/** The methods of an adapter that can call outside: functions whose last parameter is the context, and the templates. */
const NO_CALLS = new Set([
  'configure',
  'servers',
  'vendorKey',
  'isVendorItself',
  'accountKey',
  'signingSecret',
  'verifyToken',
  'findKeys',
  'namesChannel',
  'route',
  'handshake',
  'verifySignature',
  'parseInbound',
  'inThread',
  'mailboxOf',
]);
const methodsOf = (adapter: Adapter): string[] => [
  ...Object.entries(adapter).flatMap(([name, value]) =>
    typeof value === 'function' && !NO_CALLS.has(name) ? [name] : [],
  ),
  ...Object.keys(adapter.templates ?? {}).map((name) => `templates.${name}`),
];

const byAdapters: Operation[] = [...adapters.values()].flatMap((adapter) =>
  methodsOf(adapter)
    .map((method) => ({ method, name: `${adapter.provider} ${method}` }))
    .filter(({ name }) => !SILENT.has(name))
    .map(({ method, name }) => ({
      name,
      sources: SOURCES[adapter.provider] as readonly string[],
      call: async (host: string) => methods[method]?.(adapter, channelAt(adapter.provider, host), host),
    })),
);

const others: Operation[] = [
  {
    name: 'a file of a mail by its URL',
    sources: ['providers/smtp/compose.ts'],
    call: (host) => {
      const file = { url: urlOf(host), mimeType: 'text/plain', filename: 'a.txt', size: null };
      const channel = channelAt('smtp', GOOD);
      return adapterOf('smtp').send(message({ ...MAIL, media: [file] }), channel, context);
    },
  },
  {
    name: 'the token endpoint of a mail server',
    sources: ['providers/smtp/fetch-token.ts'],
    call: (host) => {
      const oauth = { tokenUrl: urlOf(host), clientId: 'a', clientSecret: 'b', refreshToken: 'c' };
      const mail = { host: GOOD, port, secure: false, user: 'ada' };
      return adapterOf('smtp').check(channelAt('smtp', GOOD, { smtp: mail, imap: mail, oauth }), context);
    },
  },
  {
    name: 'the header of a new template by its URL',
    sources: ['providers/meta/graph.ts'],
    call: (host) => {
      const header = { type: 'image', text: null, url: urlOf(host) };
      const channel = channelAt('whatsapp_cloud', GOOD);
      return adapterOf('whatsapp_cloud').templates?.create(
        { ...template, header } as NewVendorTemplate,
        channel,
        context,
      ) as Promise<unknown>;
    },
  },
  {
    name: 'the discovery of an identity provider',
    sources: ['people/oidc.ts'],
    call: (host) => {
      const settings = {
        issuer: `http://${host}:${port}`,
        clientId: 'a',
        clientSecret: 'b',
        autoJoin: undefined,
      };
      const deps = { outbound, keys: keysFrom(SECRET_KEY), baseUrl: () => 'https://parley.test' };
      return createOidc(settings, deps).start({ setLoginCookie: () => {} });
    },
  },
  {
    name: 'a test call of a webhook',
    sources: ['webhooks/deliver.ts'],
    async call(host) {
      const tenant = await server.tenant();
      const { id } = (
        await tenant.post('/v3/api_webhooks', { url: urlOf(GOOD), events: [{ type: 'webhook.test' }] })
      ).body.data;
      await server.system.db.query('update webhooks set url = $2 where id = $1', [id, urlOf(host)]);
      expect((await tenant.post(`/v3/api_webhooks/${id}/test`)).status).toBe(200);
      await server.settle();
    },
  },
  {
    name: 'an http_request step',
    sources: ['automations/runs/call-outside.ts'],
    async call(host) {
      const tenant = await server.tenant();
      const { contactId } = await personOf(server, tenant);
      const id = await automationOf(tenant, {
        steps: [{ id: 'call', type: 'http_request', parameters: { method: 'GET', url: urlOf(GOOD) } }],
      });
      await server.system.db.query(
        `update automation_versions set definition = replace(definition::text, '//${GOOD}', $2)::jsonb where automation_id = $1`,
        [id, `//${host}`],
      );
      expect((await tenant.post(`/v3/automations/${id}/trigger`, { contactId })).status).toBe(200);
      await server.settle();
    },
  },
];
const operations = [...byAdapters, ...others];

/** Calls it. Whether it fails, and how, is not what this is about. */
const attempt = async ({ call }: Operation, host: string): Promise<string[]> => {
  internet.takeAttempts();
  await call(host).catch(() => {});
  return internet.takeAttempts();
};

const HOSTS = [
  '127.0.0.1',
  '[::1]',
  '169.254.169.254',
  '2130706433',
  '0177.0.0.1',
  '0x7f000001',
  '0x7f.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '0.0.0.0',
  '10.0.0.1',
  'localhost',
  'a.localhost',
];

describe.each(operations)('$name', (operation) => {
  it('is called where that is allowed', async () => {
    internet.resolveTo(GOOD, [OUTSIDE]);
    internet.answerWith(200, { 'content-type': 'application/json' }, '{}');
    const attempts = await attempt(operation, GOOD);
    expect(attempts.length).toBeGreaterThan(0);
    expect(new Set(attempts)).toEqual(new Set([OUTSIDE]));
  });

  it.each(HOSTS)('S1: is not called at %s', async (host) => {
    internet.resolveTo(GOOD, [OUTSIDE]);
    internet.resolveTo('localhost', ['127.0.0.1', '::1']);
    internet.resolveTo('a.localhost', ['127.0.0.1']);
    for (const name of [host, host.replace(/^\[|\]$/g, '')])
      expect((await attempt(operation, name)).filter((ip) => ip !== OUTSIDE)).toEqual([]);
  });

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    [OUTSIDE, '127.0.0.1'],
  ])('S2: is not called at a name that resolves to %s', async (...addresses) => {
    internet.resolveTo(GOOD, [OUTSIDE]);
    internet.resolveTo('bad.example', addresses);
    expect((await attempt(operation, 'bad.example')).filter((ip) => ip !== OUTSIDE)).toEqual([]);
  });

  it('S2: is not called at a name that resolves to something else when it is connected to', async () => {
    internet.resolveTo(GOOD, [OUTSIDE]);
    internet.answerWith(200, { 'content-type': 'application/json' }, '{}');
    internet.resolveTo('rebound.example', [OUTSIDE], ['127.0.0.1']);
    for (const _ of [1, 2, 3])
      expect((await attempt(operation, 'rebound.example')).filter((ip) => ip !== OUTSIDE)).toEqual([]);
  });

  it('S3: follows neither a redirect nor a URL of an answer to an internal address', async () => {
    internet.resolveTo(GOOD, [OUTSIDE]);
    const inside = `http://127.0.0.1:${port}`;
    const links = {
      issuer: `http://${GOOD}:${port}`,
      url: `${inside}/x`,
      uri: `${inside}/x`,
      id: inside,
      profile_pic: `${inside}/x`,
      token_endpoint: `${inside}/token`,
      jwks_uri: `${inside}/jwks`,
      authorization_endpoint: `${inside}/authorize`,
      paging: { next: `${inside}/x`, cursors: { after: 'x' } },
      next_page_uri: `${inside}/x`,
      data: [],
    };
    for (const status of [200, 301, 302, 303, 307, 308]) {
      const headers = status === 200 ? {} : { location: `${inside}/x` };
      internet.answerWith(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(links));
      expect([status, (await attempt(operation, GOOD)).filter((ip) => ip !== OUTSIDE)]).toEqual([status, []]);
    }
  });
});

/** A call of the guarded client, by whatever name. */
const CALLS = /(?:\b(?:context|outbound)\s*\.(?:request|connect|resolve)\(|\bawait request\(\{)/;

describe('every operation that calls outside', () => {
  it('is in the table: each place in the sources that does', () => {
    const src = fileURLToPath(new URL('../../src/', import.meta.url));
    const callers = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        file.endsWith('.ts') &&
        !/^(?:outbound|cli)\//.test(file) &&
        CALLS.test(readFileSync(src + file, 'utf8')),
    );
    expect(callers.sort()).toEqual([...new Set(operations.flatMap(({ sources }) => sources))].sort());
  });

  it('is in the table: each method of an adapter that can', () => {
    for (const adapter of adapters.values())
      for (const method of methodsOf(adapter))
        expect([adapter.provider, method in methods]).toEqual([adapter.provider, true]);
  });
});
