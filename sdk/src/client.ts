/** The server, who calls it, and how. */
export interface ClientOptions {
  /** The server without `/v3`, such as `https://parley.example.com`. In a browser it may be a path; empty: the own origin. */
  baseUrl: string;
  /** An access token. Without one, the browser sends the cookie of the person who is logged in. */
  token?: string | undefined;
  /** Headers of every request, or a function that returns them. */
  headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>) | undefined;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** How often a request is repeated that failed for a moment: 2 by default, 0 for never. */
  retries?: number | undefined;
}

export type RequestHeaders = Record<string, string | undefined>;

/** A client: what every function of this package gets first. */
export interface Client extends ClientOptions {
  fetch: typeof fetch;
  retries: number;
}

const DEFAULT_RETRIES = 2;

export const createClient = (options: ClientOptions): Client => ({
  ...options,
  baseUrl: options.baseUrl.replace(/\/+$/, ''),
  // Bound: browsers refuse to call it as a method of something else.
  fetch: options.fetch ?? ((...args) => fetch(...args)),
  retries: options.retries ?? DEFAULT_RETRIES,
});

/** What a request has besides its URL. */
export interface RequestParts {
  method: string;
  body?: string | FormData;
  headers?: RequestHeaders;
}

/** The headers of a request: the client's, and its own. */
export async function headersOf({ token, headers }: Client, own: RequestHeaders = {}): Promise<Headers> {
  const given = { ...(typeof headers === 'function' ? await headers() : headers), ...own };
  const all = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) all.set(name, value);
  if (token !== undefined) all.set('authorization', `Bearer ${token}`);
  return all;
}

/** Sends one request with the credentials of the client. */
export const send = (client: Client, path: string, init: RequestInit): Promise<Response> =>
  client.fetch(client.baseUrl + path, {
    ...init,
    credentials: client.token === undefined ? 'same-origin' : 'omit',
    // A redirected POST would become a GET: better an error that says so.
    redirect: 'error',
  });

/** Resolves after a time, or rejects with the reason of the signal. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
