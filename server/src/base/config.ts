import { resolve } from 'node:path';
import { OperatorError } from './errors.ts';

interface Variable<T> {
  description: string;
  /** As a person would write it; shown in the documentation. */
  default: string;
  parse: (text: string) => T;
  /** Shown as set or not set, never itself. */
  secret?: true;
}

const text = (value: string): string => value;
const optional = (value: string): string | undefined => (value === '' ? undefined : value);
const oneOf =
  <const V extends readonly string[]>(...values: V) =>
  (value: string): V[number] => {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };
const flag = (value: string): boolean => oneOf('true', 'false')(value) === 'true';
const port = (value: string): number => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new Error('must be a port from 0 to 65535');
  return Number(value);
};
const bytes = (value: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new Error('must be a number of bytes such as 104857600');
  return Number(value);
};
const days = (value: string): number => {
  if (!/^\d{1,4}$/.test(value) || Number(value) < 14)
    throw new Error('must be a number of days from 14 to 9999');
  return Number(value);
};
const list = (value: string): string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
const httpUrl = (value: string): string | undefined => {
  if (value === '') return undefined;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error('must be a URL such as https://parley.example.com');
  return value.replace(/\/+$/, '');
};
const postgresUrl = (value: string): string | undefined => {
  if (value === '') return undefined;
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new Error('must be a URL such as postgres://user:password@host/database');
  return value;
};
const lastDay = (value: string): string => {
  const time = Date.parse(`${value}T00:00:00Z`);
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value;
  if (value !== 'never' && !isDay) throw new Error('must be a day such as 2026-11-01, or "never"');
  return value;
};
const secretKey = (value: string): string | undefined => {
  if (value !== '' && value.length < 32) throw new Error('must have at least 32 characters');
  return optional(value);
};

const secretKeys = (value: string): string[] | undefined => {
  const keys = list(value);
  if (keys.some((key) => key.length < 32))
    throw new Error('must be keys of at least 32 characters, comma-separated');
  return keys.length === 0 ? undefined : keys;
};

const variable = <T>(it: Variable<T>): Variable<T> => it;

/** Every variable that Parley reads, in the order in which the documentation shows them. None is required. */
export const variables = {
  HOST: variable({
    default: '127.0.0.1',
    parse: text,
    description: 'Address to listen on; 0.0.0.0 for all.',
  }),
  PORT: variable({ default: '3000', parse: port, description: 'Port to listen on.' }),
  PARLEY_DATA_DIR: variable({
    default: './data',
    parse: (value) => resolve(value),
    description: 'Folder for uploaded files, the embedded database and the secrets made at first start.',
  }),
  DATABASE_URL: variable({
    default: '',
    parse: postgresUrl,
    secret: true,
    description: 'Your own PostgreSQL, 15 or newer; without it Parley runs its own in the data folder.',
  }),
  PARLEY_BASE_URL: variable({
    default: '',
    parse: httpUrl,
    description: 'Public URL of this server, without a path; http://HOST:PORT when not set.',
  }),
  PARLEY_FILE_BYTES: variable({
    default: '104857600',
    parse: bytes,
    description: 'How many bytes an uploaded file may have.',
  }),
  PARLEY_ADMIN_TOKEN: variable({
    default: '',
    parse: secretKey,
    secret: true,
    description:
      "The operator's token for /admin; made at first start and kept in the data folder when not set.",
  }),
  PARLEY_SECRET_KEY: variable({
    default: '',
    parse: secretKey,
    secret: true,
    description:
      'Signs tokens and encrypts secrets; made at first start and kept in the data folder when not set. Must be the same on every machine.',
  }),
  PARLEY_SECRET_KEY_PREVIOUS: variable({
    default: '',
    parse: secretKeys,
    secret: true,
    description:
      'While the key is being changed: the one before, or several, comma-separated. What they encrypted is encrypted anew with PARLEY_SECRET_KEY; tokens that they signed are good until they are taken away here.',
  }),
  PARLEY_OUTBOUND_ALLOW_HOSTS: variable({
    default: '',
    parse: text,
    description:
      'Hosts or networks that webhooks may reach although they are private, comma-separated: receiver.lan, 10.0.0.0/8.',
  }),
  PARLEY_RETENTION_DAYS: variable({
    default: '30',
    parse: days,
    description: 'How many days events, and what became of their deliveries, are kept.',
  }),
  PARLEY_CORS_ORIGINS: variable({
    default: '',
    parse: list,
    description: 'Origins whose pages may call the API from a browser, comma-separated; none when not set.',
  }),
  PARLEY_V2_SUNSET: variable({
    default: '2026-11-01',
    parse: lastDay,
    description:
      'The last day, in UTC, on which /v2 is served; from the next on it answers 410. "never" keeps it.',
  }),
  PARLEY_DEMO: variable({
    default: 'true, in production false',
    parse: flag,
    description:
      'Make a tenant "demo" at first start, with a token, a sandbox channel of each kind and people who write.',
  }),
  LOG_LEVEL: variable({
    default: 'info',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    description: 'Successful requests are logged at debug, refused ones at info, failures above.',
  }),
  NODE_ENV: variable({
    default: '',
    parse: text,
    description: 'With "production": JSON logs, no demo tenant, no webhooks to loopback addresses.',
  }),
};

export type VariableName = keyof typeof variables;
type Values = { [N in VariableName]: ReturnType<(typeof variables)[N]['parse']> };

export interface Config extends Values {
  readonly isProduction: boolean;
}

/** Reads the variables once. A bad one is a sentence that names it. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const isProduction = env.NODE_ENV === 'production';
  const values = Object.entries(variables).map(([name, { parse }]) => {
    try {
      return [name, parse(env[name] || defaultOf(name as VariableName, isProduction))];
    } catch (error) {
      const shown = (variables[name as VariableName] as Variable<unknown>).secret
        ? ''
        : ` (it is "${env[name]}")`;
      throw new OperatorError(`The variable ${name} ${(error as Error).message}${shown}.`);
    }
  });
  return { ...(Object.fromEntries(values) as Values), isProduction };
}

const defaultOf = (name: VariableName, isProduction: boolean): string =>
  name === 'PARLEY_DEMO' ? String(!isProduction) : variables[name].default;
