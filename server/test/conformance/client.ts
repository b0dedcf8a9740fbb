import { expect } from 'vitest';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface CallOptions {
  body?: unknown;
  /** The exact text, instead of `body`. */
  raw?: string;
  form?: FormData;
  headers?: Record<string, string>;
  token?: string | null;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** A client of the API that checks on every answer what the specification promises for all. */
export const client =
  (baseUrl: string): Call =>
  async (method, path, { body, raw, form, headers, token } = {}) => {
    const json = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const payload = form ?? json;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    const where = `${method} ${path}: ${response.status} ${text.slice(0, 500)}`;
    expect(response.headers.get('content-type'), where).toMatch(/^application\/json\b/);
    const answer: Answer = { status: response.status, headers: response.headers, body: JSON.parse(text) };
    expectEnvelope(answer, where);
    expectTimestamps(answer.body.data, where);
    return answer;
  };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function expectEnvelope({ status, body }: Answer, where: string): void {
  expect(body.success, where).toBeTypeOf('boolean');
  if (body.success) {
    expect(status, where).toBe(200);
    expect(body, where).not.toHaveProperty('error');
    return;
  }
  expect(status, where).toBeGreaterThanOrEqual(400);
  expect(body, where).not.toHaveProperty('data');
  expect(isObject(body.error), where).toBe(true);
  const { messageKey, message, invalidParams } = body.error;
  expect(messageKey, where).toBeTypeOf('string');
  expect(message, where).toBeTypeOf('string');
  expect(invalidParams !== undefined, where).toBe(messageKey === 'invalid_body_params');
  for (const issue of Object.values(invalidParams ?? {}))
    expect(issue, where).toEqual({ key: expect.any(String), message: expect.any(String) });
}

const TIME_NAMES = /(At|Until|^timestamp)$/;
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Every field with the name of a time is a time in the documented format. */
function expectTimestamps(value: unknown, where: string): void {
  if (Array.isArray(value)) for (const item of value) expectTimestamps(item, where);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value))
      if (TIME_NAMES.test(name) && item !== null) expect(item, `${name} in ${where}`).toMatch(TIMESTAMP);
      else expectTimestamps(item, where);
}

/** The data of a successful answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function dataOf({ body }: Answer): any {
  expect([body.success, typeof body.data], JSON.stringify(body)).toEqual([true, 'object']);
  return body.data;
}

/** Status and key of a refusal and, for invalid parameters, the key of each. */
export function refusalOf({ status, body }: Answer): [number, string, Record<string, string>?] {
  expect(body.success, JSON.stringify(body)).toBe(false);
  const { messageKey, invalidParams } = body.error;
  if (invalidParams === undefined) return [status, messageKey];
  const issues = Object.entries<{ key: string }>(invalidParams).map(([name, { key }]) => [name, key]);
  return [status, messageKey, Object.fromEntries(issues)];
}

/** The refusal of invalid parameters, each with its key. */
export const invalid = (issues: Record<string, string>): [number, string, Record<string, string>] => [
  400,
  'invalid_body_params',
  issues,
];

const TIMEOUT_MS = 30_000;
const PAUSE_MS = 20;

/** Repeats `find` until it returns something. */
export async function eventually<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`There is no ${what} after ${TIMEOUT_MS} ms.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
