import { isIP } from 'node:net';

// How the values of variables are read. Each throws what the operator must correct, in words that follow the variable's name.

export const text = (value: string): string => value;
export const optional = (value: string): string | undefined => (value === '' ? undefined : value);
export const oneOf =
  <const V extends readonly string[]>(...values: V) =>
  (value: string): V[number] => {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };
export const flag = (value: string): boolean => oneOf('true', 'false')(value) === 'true';
export const port = (value: string): number => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new Error('must be a port from 0 to 65535');
  return Number(value);
};
export const bytes = (value: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new Error('must be a number of bytes such as 104857600');
  return Number(value);
};
export const days = (value: string): number => {
  if (!/^\d{1,4}$/.test(value) || Number(value) < 14)
    throw new Error('must be a number of days from 14 to 9999');
  return Number(value);
};
const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** From an hour to a year, in milliseconds. */
export const duration = (value: string): number => {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(value) ?? [];
  const ms = Number(amount) * (UNITS_MS[unit] ?? 0);
  if (!(ms >= 3_600_000 && ms <= 365 * 86_400_000))
    throw new Error('must be a time from 1h to 365d, such as 7d, 36h or 90m');
  return ms;
};
export const count =
  (min: number, max: number) =>
  (value: string): number => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
      throw new Error(`must be a number from ${min} to ${max}`);
    return Number(value);
  };
const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const systemMailChannel = (value: string): { tenantId: string; channelId: string } | undefined => {
  if (value === '') return undefined;
  const [tenantId = '', channelId = '', ...rest] = value.toLowerCase().split('/');
  if (!UUID_PATTERN.test(tenantId) || !UUID_PATTERN.test(channelId) || rest.length > 0)
    throw new Error('must be the ids of a tenant and of one of its email channels: <tenantId>/<channelId>');
  return { tenantId, channelId };
};
export const list = (value: string): string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
export const networks = (value: string): string[] => {
  const entries = list(value);
  for (const entry of entries) {
    const [address = '', prefix = '0', ...rest] = entry.split('/');
    const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1;
    if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits || rest.length > 0)
      throw new Error('must be addresses or networks such as 10.0.0.5, 172.16.0.0/12, comma-separated');
  }
  return entries;
};
export const httpUrl = (value: string): string | undefined => {
  if (value === '') return undefined;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error('must be a URL such as https://parley.example.com');
  return value.replace(/\/+$/, '');
};
export const postgresUrl = (value: string): string | undefined => {
  if (value === '') return undefined;
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new Error('must be a URL such as postgres://user:password@host/database');
  return value;
};
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
export const issuerUrl = (value: string): string | undefined => {
  if (value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && LOOPBACK.test(url.hostname)))
    throw new Error('must be a URL that begins with https://');
  return value;
};
const AUTO_JOIN = /^([a-z0-9.-]+\.[a-z0-9-]+):(admin|agent|viewer)(?::([0-9a-f-]{36}))?$/i;
export const autoJoin = (value: string) => {
  if (value === '') return undefined;
  const [, domain, role, tenantId] = AUTO_JOIN.exec(value) ?? [];
  if (domain === undefined)
    throw new Error('must be a domain and a role such as example.com:agent, or example.com:agent:<tenantId>');
  return {
    domain,
    role: role?.toLowerCase() as 'admin' | 'agent' | 'viewer',
    tenantId: tenantId?.toLowerCase(),
  };
};
const SECRET_CHARACTERS = 32;
const HOW_TO_CREATE = 'create one with: openssl rand -hex 32';
export const secretKey = (value: string): string | undefined => {
  if (value !== '' && value.length < SECRET_CHARACTERS)
    throw new Error(`must have at least ${SECRET_CHARACTERS} characters; ${HOW_TO_CREATE}`);
  return optional(value);
};

export const secretKeys = (value: string): string[] | undefined => {
  const keys = list(value);
  if (keys.some((key) => key.length < SECRET_CHARACTERS))
    throw new Error(`must be keys of at least ${SECRET_CHARACTERS} characters, comma-separated`);
  return keys.length === 0 ? undefined : keys;
};
