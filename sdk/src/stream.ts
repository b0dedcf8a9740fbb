import { type Client, headersOf, pause, send } from './client.ts';
import { connectionError, errorOf, ParleyError } from './error.ts';
import type { StreamEvent } from './generated/types.ts';
import { type Block, blockReader } from './sse.ts';

export interface StreamOptions {
  /** Only these: names, or prefixes such as `message.*`. */
  types?: readonly (StreamEvent['type'] | `${string}*`)[] | undefined;
  /** Only events of these channels. */
  channelIds?: readonly string[] | undefined;
  /** Continue after this position; `0`: from the oldest event that is stored; without it: new events only. */
  lastEventId?: string | undefined;
  /** Ends the stream, and with it the loop. */
  signal?: AbortSignal | undefined;
  onState?: ((state: StreamState) => void) | undefined;
}

/** `refused`: events after the position are gone, so read what you need and start without a position. */
export type StreamState =
  | { state: 'open' }
  | { state: 'reconnecting'; error: ParleyError; attempt: number; delayMs: number }
  | { state: 'refused'; error: ParleyError };

export interface EventStream extends AsyncIterable<StreamEvent> {
  /** The position of the last event: keep it to continue after it. */
  readonly lastEventId: string | undefined;
  /** The last event as it was sent: the text that webhooks receive. */
  readonly lastText: string | undefined;
}

/** Three heartbeats are missing: the connection is dead. */
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;
/** Longer than a server asks for. */
const MAX_RETRY_AFTER_SECONDS = 60;

/** Whether the events after the position cannot be sent. */
const isRefused = ({ messageKey, issues }: ParleyError): boolean =>
  messageKey === 'conflict' || issues.some(({ parameter }) => parameter.endsWith('lastEventId'));

/** Whether another attempt may succeed. */
const isTemporary = ({ status }: ParleyError): boolean => status === 0 || status === 429 || status >= 500;

/** Follows the events of the tenant, in order and without a gap: after a broken connection it continues where it was. */
export function streamEvents(client: Client, options: StreamOptions = {}): EventStream {
  const { signal, onState } = options;
  const query = new URLSearchParams();
  if (options.types?.length) query.set('types', options.types.join());
  if (options.channelIds?.length) query.set('channelIds', options.channelIds.join());
  const text = String(query);
  const path = `/v3/events/stream${text && `?${text}`}`;
  let last = options.lastEventId;
  let lastText: string | undefined;
  let attempt = 0;
  let firstDelayMs = FIRST_DELAY_MS;

  function noteOpen(): void {
    attempt = 0;
    onState?.({ state: 'open' });
  }

  /** Waits before the next connection, or throws what no further attempt can change. */
  async function waitAfter(error: ParleyError): Promise<void> {
    if (isRefused(error)) onState?.({ state: 'refused', error });
    if (!isTemporary(error)) throw error;
    const backOffMs = Math.min(firstDelayMs * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2);
    const delayMs = Math.max(backOffMs, Math.min(error.retryAfter ?? 0, MAX_RETRY_AFTER_SECONDS) * 1000);
    attempt += 1;
    onState?.({ state: 'reconnecting', error, attempt, delayMs });
    await pause(delayMs, signal).catch(() => {});
  }

  async function* follow(): AsyncGenerator<StreamEvent, void, undefined> {
    while (!signal?.aborted) {
      try {
        for await (const { id, data, retryMs } of connect(client, path, last, signal, noteOpen)) {
          last = id || last;
          firstDelayMs = retryMs ?? firstDelayMs;
          if (!data) continue;
          lastText = data;
          yield eventOf(data);
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!(error instanceof ParleyError)) throw error;
        await waitAfter(error);
      }
    }
  }

  const events = follow();
  return {
    [Symbol.asyncIterator]: () => events,
    get lastEventId() {
      return last;
    },
    get lastText() {
      return lastText;
    },
  };
}

function eventOf(data: string): StreamEvent {
  try {
    return JSON.parse(data) as StreamEvent;
  } catch (cause) {
    throw new ParleyError({
      status: 200,
      messageKey: 'unexpected_answer',
      message: 'An event is not JSON.',
      cause,
    });
  }
}

/** The blocks of one connection, which ends with an error. */
async function* connect(
  client: Client,
  path: string,
  last: string | undefined,
  signal: AbortSignal | undefined,
  onOpen: () => void,
): AsyncGenerator<Block, void, undefined> {
  const connection = new AbortController();
  const end = (): void => connection.abort(signal?.reason);
  signal?.addEventListener('abort', end);
  /** Ends the connection if the server is silent for too long. A slow reader of the events is not meant. */
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(end, SILENCE_MS);
    try {
      return await work;
    } catch (error) {
      throw connectionError(error, signal);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const headers = await headersOf(client, { accept: 'text/event-stream', 'last-event-id': last });
    const response = await inTime(send(client, path, { headers, signal: connection.signal }));
    const { ok, body } = response;
    if (!ok || !body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw await inTime(errorOf(response));
    onOpen();
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const blocksOf = blockReader();
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) throw connectionError(new Error('The server ended the stream.'), signal);
      yield* blocksOf(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}
