import { resolve } from 'node:path';
import {
  autoJoin,
  bytes,
  count,
  days,
  duration,
  flag,
  httpUrl,
  issuerUrl,
  list,
  networks,
  oneOf,
  optional,
  port,
  postgresUrl,
  secretKey,
  secretKeys,
  systemMailChannel,
  text,
} from './config-values.ts';
import { OperatorError } from './errors.ts';

export interface Variable<T> {
  description: string;
  /** Shown in the documentation. */
  default: string;
  parse: (text: string) => T;
  /** `parley config` shows only whether it is set. */
  secret?: true;
}

const variable = <T>(it: Variable<T>): Variable<T> => it;

/** Every variable that Parley reads, in the order of the documentation. None is required. */
const variables = {
  HOST: variable({
    default: '127.0.0.1',
    parse: text,
    description: 'Address to listen on; 0.0.0.0 for all.',
  }),
  PORT: variable({ default: '3000', parse: port, description: 'Port to listen on.' }),
  PARLEY_DATA_DIR: variable({
    default: './data',
    parse: (value) => resolve(value),
    description:
      'Folder for uploaded files, the embedded database and the secrets created at the first start.',
  }),
  DATABASE_URL: variable({
    default: '',
    parse: postgresUrl,
    secret: true,
    description:
      'Your own PostgreSQL, 15 or newer. Without it Parley runs an embedded one in the data folder.',
  }),
  PARLEY_API_CONNECTIONS: variable({
    default: '20',
    parse: count(2, 9999),
    description:
      'How many connections to the database a process may open for requests, 2 to 9999. A tenant can use half of them, but at least two, for changes at the same time.',
  }),
  PARLEY_WORKER_CONNECTIONS: variable({
    default: '12',
    parse: count(2, 9999),
    description: 'How many connections to the database a process may open for its queues, 2 to 9999.',
  }),
  PARLEY_BASE_URL: variable({
    default: '',
    parse: httpUrl,
    description:
      'Public URL of this server. It may have a path, which the reverse proxy removes: https://example.com/parley. Default: http://HOST:PORT.',
  }),
  PARLEY_FILE_BYTES: variable({
    default: '104857600',
    parse: bytes,
    description: 'Maximum size of an uploaded file in bytes.',
  }),
  PARLEY_FILE_URL_TTL: variable({
    default: '7d',
    parse: duration,
    description:
      'How long the signed URL of a private file, or of a file that a customer sent, is valid, 1h to 365d. Webhooks are retried for up to 4 days.',
  }),
  PARLEY_IDLE_MAILBOXES: variable({
    default: '200',
    parse: count(0, 10_000),
    description:
      'How many mailboxes a process waits for with an open connection (IMAP IDLE), 0 to 10000. The others are read every 30 seconds.',
  }),
  PARLEY_ADMIN_TOKEN: variable({
    default: '',
    parse: secretKey,
    secret: true,
    description:
      "The operator's token for /admin, at least 32 characters (openssl rand -hex 32). Default: created at the first start, adminToken in secrets.json of the data folder.",
  }),
  PARLEY_SECRET_KEY: variable({
    default: '',
    parse: secretKey,
    secret: true,
    description:
      'Signs tokens and encrypts secrets, at least 32 characters (openssl rand -hex 32). It must be the same on every machine. Default: created at the first start, secretKey in secrets.json of the data folder.',
  }),
  PARLEY_SECRET_KEY_PREVIOUS: variable({
    default: '',
    parse: secretKeys,
    secret: true,
    description:
      'While you change the secret key: the previous key, or several, comma-separated. Parley re-encrypts their data with PARLEY_SECRET_KEY. Tokens that they signed are valid until you remove them here.',
  }),
  PARLEY_OUTBOUND_ALLOW_HOSTS: variable({
    default: '',
    parse: text,
    description:
      'Private hosts or networks that webhooks and channels may reach, comma-separated: receiver.lan, 10.0.0.0/8.',
  }),
  PARLEY_TRUSTED_PROXIES: variable({
    default: '',
    parse: networks,
    description:
      'Addresses or networks of your reverse proxies, comma-separated: 10.0.0.5, 172.16.0.0/12. Their X-Forwarded-For header names the client, by which Parley limits requests without valid tokens and which the log shows.',
  }),
  PARLEY_SEARCH_CONNECTIONS: variable({
    default: '8',
    parse: count(2, 100),
    description:
      'How many searches this process runs at the same time, each on a connection to the database, 2 to 100. A tenant can use a quarter of them, but at least two.',
  }),
  PARLEY_METRICS_TOKEN: variable({
    default: '',
    parse: secretKey,
    secret: true,
    description:
      'A token that /metrics requires as Bearer, at least 32 characters (openssl rand -hex 32). Default: none is required.',
  }),
  PARLEY_METRICS_PORT: variable({
    default: '',
    parse: (value) => (value === '' ? undefined : port(value)),
    description: 'A port of its own for /metrics, on HOST. Default: /metrics is on PORT.',
  }),
  PARLEY_RETENTION_DAYS: variable({
    default: '30',
    parse: days,
    description:
      'How many days events, deliveries, notifications, failed requests of vendors and expired tokens are kept, 14 to 9999.',
  }),
  PARLEY_AUDIT_DAYS: variable({
    default: '365',
    parse: days,
    description: 'How many days entries of the audit log are kept, 14 to 9999.',
  }),
  PARLEY_PASSWORD_LOGIN: variable({
    default: 'on',
    parse: (value) => oneOf('on', 'off')(value) === 'on',
    description: 'With "off", people log in over the identity provider only.',
  }),
  PARLEY_OIDC_ISSUER: variable({
    default: '',
    parse: issuerUrl,
    description:
      'The identity provider (OpenID Connect) over which people log in, such as https://login.example.com. Its callback is PARLEY_BASE_URL/v3/session/oidc/callback.',
  }),
  PARLEY_OIDC_CLIENT_ID: variable({
    default: '',
    parse: optional,
    description: 'What this installation is called at the identity provider.',
  }),
  PARLEY_OIDC_CLIENT_SECRET: variable({
    default: '',
    parse: optional,
    secret: true,
    description: 'The secret of this installation at the identity provider, if it has one.',
  }),
  PARLEY_OIDC_AUTO_JOIN: variable({
    default: '',
    parse: autoJoin,
    description:
      'Who may join without an invitation: a domain and a role, such as example.com:agent. With several tenants also the id of one: example.com:agent:<tenantId>.',
  }),
  PARLEY_SYSTEM_MAIL_CHANNEL: variable({
    default: '',
    parse: systemMailChannel,
    description:
      'The email channel that mails invitations and links for new passwords: <tenantId>/<channelId>. Without it, admins copy the links.',
  }),
  PARLEY_CORS_ORIGINS: variable({
    default: '',
    parse: list,
    description: 'Origins whose pages may call the API from a browser, comma-separated. Default: none.',
  }),
  PARLEY_MCP: variable({
    default: 'on',
    parse: (value) => oneOf('on', 'off')(value) === 'on',
    description:
      'With "off", assistants cannot connect to /mcp (Model Context Protocol). They need an access token, and only read unless they ask for more.',
  }),
  PARLEY_DEMO: variable({
    default: 'true, in production false',
    parse: flag,
    description:
      'Create a tenant "demo" at the first start, with a token, a sandbox channel of each kind and some conversations.',
  }),
  LOG_LEVEL: variable({
    default: 'info',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    description: 'Successful requests are logged at debug, refused ones at info, failures at warn.',
  }),
  NODE_ENV: variable({
    default: '',
    parse: text,
    description:
      'With "production": JSON logs, no demo tenant, no outgoing requests to loopback addresses. Without it these are possible while HOST is a loopback address.',
  }),
};

type OwnVariable = keyof typeof variables;
type Values = { [N in OwnVariable]: ReturnType<(typeof variables)[N]['parse']> };

/** A variable of a removable part, such as a version of the API. */
interface ExtraVariable {
  description: string;
  /** Shown in the documentation. */
  default: string;
  parse: (text: string) => string;
}
export type ExtraVariables = Readonly<Record<string, ExtraVariable>>;

export interface Config extends Values {
  readonly isProduction: boolean;
  /** The values of the extra variables. */
  readonly extra: Readonly<Record<string, string>>;
}

/** All variables, in the order of the documentation. */
export const allVariables = (extra: ExtraVariables): Readonly<Record<string, Variable<unknown>>> => ({
  ...variables,
  ...extra,
});

/** Reads the variables. The error lists every invalid one, so that the operator can correct all of them at once. */
export function readConfig(env: Record<string, string | undefined>, extra: ExtraVariables = {}): Config {
  const isProduction = env.NODE_ENV === 'production';
  const issues: string[] = [];
  const read = ([name, { parse, secret, default: preset }]: [string, Variable<unknown>]) => {
    const fallback = name === 'PARLEY_DEMO' ? String(!isProduction) : preset;
    try {
      return [name, parse(env[name] || fallback)];
    } catch (error) {
      const value = secret ? '' : ` (it is "${env[name]}")`;
      issues.push(`The variable ${name} ${(error as Error).message}${value}.`);
      return [name, undefined];
    }
  };
  const values = Object.fromEntries(Object.entries<Variable<unknown>>(variables).map(read)) as Values;
  const extraValues = Object.fromEntries(Object.entries<Variable<unknown>>(extra).map(read));
  if (values.PARLEY_OIDC_ISSUER !== undefined && values.PARLEY_OIDC_CLIENT_ID === undefined)
    issues.push('The variable PARLEY_OIDC_CLIENT_ID is required with PARLEY_OIDC_ISSUER.');
  if (values.PARLEY_PASSWORD_LOGIN === false && values.PARLEY_OIDC_ISSUER === undefined)
    issues.push('The variable PARLEY_PASSWORD_LOGIN can be off only with PARLEY_OIDC_ISSUER.');
  if (issues.length > 0) throw new OperatorError(issues.join('\n'));
  return { ...values, isProduction, extra: extraValues };
}
