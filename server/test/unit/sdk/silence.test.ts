import { createClient, type StreamState, streamEvents } from '@parley/sdk';
import { afterEach, expect, it, vi } from 'vitest';
import { useHttpServer } from '../../kit/listeners.ts';

afterEach(() => void vi.useRealTimers());

it('a stream whose server falls silent is opened again at its position; a slow reader is not taken for silence', async () => {
  const asked: (string | undefined)[] = [];
  const server = await useHttpServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`retry: 1\nid: ${6 + asked.length}\ndata: {}\n\n`);
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const states: StreamState['state'][] = [];
  const stop = new AbortController();
  const client = createClient({ baseUrl: server.url, token: 'x' });
  const stream = streamEvents(client, {
    signal: stop.signal,
    onState: ({ state }) => void states.push(state),
  });
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  // A program that works on an event for minutes reads the next one from the same connection.
  await vi.advanceTimersByTimeAsync(120_000);
  expect(states).toEqual(['open']);
  const next = events.next();
  await vi.advanceTimersByTimeAsync(44_000);
  expect(states).toEqual(['open']);
  await vi.advanceTimersByTimeAsync(2_000);
  await vi.waitFor(() => vi.advanceTimersByTimeAsync(100).then(() => expect(asked).toHaveLength(2)), {
    timeout: 30_000,
  });
  await next;
  expect(asked).toEqual([undefined, '7']);
  expect(states).toEqual(['open', 'reconnecting', 'open']);
  expect(stream.lastEventId).toBe('8');
  stop.abort();
  expect(await events.next()).toEqual({ done: true, value: undefined });
});
