import { type Client, headersOf, pause, type RequestParts, send } from './client.ts';
import { connectionError, errorOf, ParleyError } from './error.ts';

export type { Client } from './client.ts';

/** What every call may get. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Called with the response of a success, for its headers. */
  onResponse?: ((response: Response) => void) | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** Requests with the same key have their effect once. Without it each call has a new one, which its retries share. */
  idempotencyKey?: string | undefined;
}

/** Where a page is in the whole. */
export interface Pagination {
  /** The first page is 0. */
  page: number;
  limit: number;
  /** How many items match, on all pages. */
  total: number;
  /** True if more match than `total` says. */
  totalIsCapped?: boolean;
  /** How far a search for a text got that stopped before it had looked at everything; `nextCursor` continues there. */
  searchedTo?: string;
  /** The cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

/** One page of a search. */
export interface Page<T> {
  items: T[];
  pagination: Pagination;
  /** What was searched for. */
  query: { query: string | null; sortBy: string | null; search: string | null };
}

interface Input extends KeyedOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

interface Envelope {
  success?: unknown;
  data?: unknown;
}

const FIRST_DELAY_MS = 250;
/** A request that may succeed only later than this is not repeated: its error says when. */
const MAX_DELAY_SECONDS = 60;

/** What the path and the query of an operation become in its URL. */
function urlOf(template: string, { path = {}, query = {} }: Input): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    // Without it, or with dots, the path would be that of another operation.
    if (!value || value === '.' || value === '..') throw new TypeError(`path.${name} must be an id`);
    return encodeURIComponent(value);
  });
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const text = String(parameters);
  return text ? `${filled}?${text}` : filled;
}

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** How a request may be repeated: `safe` if the server may have received it, `once` if it surely has not. */
type Repetition = 'safe' | 'once';

/** After how many milliseconds a failed request is sent again; undefined: not at all. */
function delayAfter(
  error: unknown,
  attempt: number,
  method: string,
  repetition: Repetition,
): number | undefined {
  if (!(error instanceof ParleyError)) return undefined;
  const { status, messageKey, retryAfter } = error;
  // Nothing was done, unless somebody guesses passwords.
  const isRefused = status === 429 && messageKey !== 'too_many_attempts';
  const isUnknown = status === 0 || status === 502 || status === 504;
  const mayRepeat =
    isRefused ||
    (repetition === 'safe' && isUnknown) ||
    (status === 503 && (repetition === 'safe' || method !== 'POST'));
  if (!mayRepeat) return undefined;
  if (retryAfter !== undefined) return retryAfter <= MAX_DELAY_SECONDS ? retryAfter * 1000 : undefined;
  return FIRST_DELAY_MS * 2 ** attempt * (0.5 + Math.random());
}

/** Sends a request until there is an answer, or a reason to give up. */
async function request<T>(
  client: Client,
  path: string,
  { method, body, headers }: RequestParts,
  input: Input,
  read: (response: Response) => T | Promise<T>,
  repetition: Repetition,
): Promise<T> {
  const { signal, onResponse } = input;
  const url = urlOf(path, input);
  const init = {
    method,
    headers: await headersOf(client, headers),
    ...(body && { body }),
    ...(signal && { signal }),
  };
  const attemptOnce = async (): Promise<[Response, T]> => {
    try {
      const response = await send(client, url, init);
      if (!response.ok) throw await errorOf(response);
      return [response, await read(response)];
    } catch (error) {
      throw connectionError(error, signal);
    }
  };
  for (let attempt = 0; ; attempt++) {
    try {
      const [response, result] = await attemptOnce();
      onResponse?.(response);
      return result;
    } catch (error) {
      const delayMs = attempt < client.retries ? delayAfter(error, attempt, method, repetition) : undefined;
      if (delayMs === undefined) throw error;
      await pause(delayMs, signal);
    }
  }
}

async function envelopeOf(response: Response): Promise<Envelope> {
  const text = await response.text();
  try {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.success === true) return envelope;
  } catch {}
  throw new ParleyError({
    status: response.status,
    messageKey: 'unexpected_answer',
    message: `Something else than Parley answered (${response.status}).`,
  });
}

const dataOf = async (response: Response): Promise<never> => (await envelopeOf(response)).data as never;

async function pageOf(response: Response): Promise<never> {
  const { success: _, data, ...rest } = await envelopeOf(response);
  return { items: data, ...rest } as never;
}

const jsonParts = (method: string, { body }: Input): RequestParts =>
  body === undefined
    ? { method }
    : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };

const withKey = (parts: RequestParts, { idempotencyKey = randomKey() }: Input): RequestParts => ({
  ...parts,
  headers: { ...parts.headers, 'idempotency-key': idempotencyKey },
});

/** Reads, changes or deletes something. */
export const call = (client: Client, method: string, path: string, input: Input): Promise<never> =>
  request(client, path, jsonParts(method, input), input, dataOf, method === 'GET' ? 'safe' : 'once');

/** Creates or does something, once however often it is sent. */
export const create = (client: Client, path: string, input: Input): Promise<never> =>
  request(client, path, withKey(jsonParts('POST', input), input), input, dataOf, 'safe');

/** Finds items, which changes nothing. */
export const search = (client: Client, path: string, input: Input): Promise<never> =>
  request(client, path, jsonParts('POST', input), input, pageOf, 'safe');

/** Reads a page of items. The cursor of `pages` and `items` is a parameter here. */
export function list(client: Client, path: string, input: Input): Promise<never> {
  const { cursor } = (input.body as { pagination?: { cursor?: string } } | undefined)?.pagination ?? {};
  const query = { ...input.query, ...(cursor === undefined ? {} : { cursor }) };
  return request(client, path, { method: 'GET' }, { ...input, query }, pageOf, 'safe');
}

/** Sends a form with a file. */
export function upload(client: Client, path: string, input: Input & { body: object }): Promise<never> {
  const form = new FormData();
  for (const [name, value] of Object.entries(input.body))
    if (value !== undefined) form.set(name, value instanceof Blob ? value : String(value));
  return request(client, path, withKey({ method: 'POST', body: form }, input), input, dataOf, 'safe');
}

/** Gets something that is not JSON. */
export const download = (client: Client, path: string, input: Input): Promise<Response> =>
  request(client, path, { method: 'GET' }, input, (response) => response, 'safe');
