import { type Client, ParleyError, type StreamEvent, type StreamState, streamEvents } from '@parley/sdk';

/**
 * `live`: events arrive. `waiting`: not yet. `reconnecting`: the server does not answer. `ended`: the session has ended, or the
 * person no longer belongs to the tenant.
 */
export type LiveState = 'waiting' | 'live' | 'reconnecting' | 'ended';

interface LiveOptions {
  client: Client;
  /** Tabs with the same name share one stream: of one session and one tenant. */
  name: string;
  onEvent(event: StreamEvent): void;
  onState(state: LiveState): void;
  /** Events may have been missed, so everything must be read again. */
  onGap(): void;
}

/** What the tab with the stream sends to the others. `count` numbers the events, so that a tab notices a gap. */
type Message =
  | { kind: 'hello' }
  | { kind: 'state'; state: LiveState; lastEventId: string | undefined; count: number }
  | { kind: 'event'; event: StreamEvent; lastEventId: string | undefined; count: number }
  | { kind: 'gap' };

const REFUSED_PAUSE_MS = 5_000;

/** Receives the events of a tenant. All tabs of a browser share one stream, because HTTP/1.1 allows six connections. */
export function startLive(options: LiveOptions): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  if ('locks' in navigator && 'BroadcastChannel' in window) shareStream(options, signal);
  else streamWhileVisible(options, signal);
  return () => stopping.abort();
}

/** Follows the stream until the signal or the end of the session. `position` is kept outside, to continue later. */
async function follow(
  { client, onEvent, onState, onGap }: Omit<LiveOptions, 'name'>,
  position: { lastEventId: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { lastEventId } = position;
    const onStreamState = ({ state }: StreamState): void => {
      if (state === 'refused') return;
      onState(state === 'open' ? 'live' : 'reconnecting');
      // It begins with the next event: what happened since the page has read something is unknown.
      if (state === 'open' && position.lastEventId === undefined) onGap();
    };
    const stream = streamEvents(client, { lastEventId, signal, onState: onStreamState });
    try {
      for await (const event of stream) {
        position.lastEventId = stream.lastEventId;
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      const status = error instanceof ParleyError ? error.status : 0;
      onState(status === 401 || status === 403 ? 'ended' : 'reconnecting');
      if (status === 401) return;
      // Refused with a position: what came after it is gone. Refused without one: no right to a stream, or too many.
      if (lastEventId === undefined) await pause(REFUSED_PAUSE_MS, signal);
      position.lastEventId = undefined;
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** One tab gets the lock and the stream; the others hear from it. When it is closed, the next one continues. */
function shareStream(options: LiveOptions, signal: AbortSignal): void {
  const { name, onEvent, onState, onGap } = options;
  const channel = new BroadcastChannel(name);
  const position: { lastEventId: string | undefined } = { lastEventId: undefined };
  let isLeader = false;
  let state: LiveState = 'waiting';
  /** Of the last event; undefined until the leader has said it. */
  let count: number | undefined;
  const send = (message: Message): void => {
    if (!signal.aborted) channel.postMessage(message);
  };
  const sendState = (): void =>
    send({ kind: 'state', state, lastEventId: position.lastEventId, count: count ?? 0 });
  const setState = (next: LiveState): void => {
    state = next;
    onState(next);
  };

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      if (isLeader) sendState();
      return;
    }
    if (isLeader) return;
    if (data.kind === 'gap') {
      position.lastEventId = undefined;
      return onGap();
    }
    const expected = data.kind === 'event' ? (count ?? data.count - 1) + 1 : (count ?? data.count);
    count = data.count;
    position.lastEventId = data.lastEventId ?? position.lastEventId;
    // This tab slept while others heard events.
    if (data.count !== expected) onGap();
    if (data.kind === 'event') onEvent(data.event);
    else setState(data.state);
  };
  signal.addEventListener('abort', () => channel.close());
  window.addEventListener('pageshow', ({ persisted }) => persisted && onGap(), { signal });
  send({ kind: 'hello' });

  const lead = async (): Promise<void> => {
    isLeader = true;
    const shared = {
      ...options,
      onEvent(event: StreamEvent) {
        count = (count ?? 0) + 1;
        send({ kind: 'event', event, lastEventId: position.lastEventId, count });
        onEvent(event);
      },
      onState(next: LiveState) {
        setState(next);
        sendState();
      },
      onGap() {
        send({ kind: 'gap' });
        onGap();
      },
    };
    await follow(shared, position, signal);
  };
  navigator.locks.request(name, { signal }, lead).catch((error) => {
    if (!signal.aborted) reportError(error);
  });
}

/** Without locks (plain http in a local network) each tab that is shown has a stream of its own. */
function streamWhileVisible(options: LiveOptions, signal: AbortSignal): void {
  const position: { lastEventId: string | undefined } = { lastEventId: undefined };
  let showing: AbortController | undefined;
  const update = (): void => {
    if (document.visibilityState === 'hidden' || signal.aborted) {
      showing?.abort();
      showing = undefined;
    } else if (!showing) {
      showing = new AbortController();
      void follow(options, position, showing.signal);
    }
  };
  document.addEventListener('visibilitychange', update, { signal });
  signal.addEventListener('abort', update);
  update();
}
