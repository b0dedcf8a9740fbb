import {
  createClient,
  ParleyError,
  type StreamEvent,
  type StreamOptions,
  type StreamState,
  streamEvents,
} from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { cleanUp } from '../kit/clean-up.ts';
import { publishMany } from '../kit/event-client.ts';
import { freePort, useHttpServer } from '../kit/listeners.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const baseUrl = `http://127.0.0.1:${await listen(server.system.app.server)}`;

const publish = async (tenant: Pick<TestTenant, 'id'>, count = 1, on: TestServer = server): Promise<void> => {
  await publishMany(
    on.system.db,
    tenant.id,
    Array.from({ length: count }, () => ({})),
  );
  await on.settle();
};

/** Follows a stream until it ends or is stopped, and keeps what it says. */
function follow(tenant: Pick<TestTenant, 'token'>, options: StreamOptions = {}, url = baseUrl) {
  const stop = new AbortController();
  cleanUp(() => stop.abort());
  const states: StreamState[] = [];
  const events: StreamEvent[] = [];
  const positions: (string | undefined)[] = [];
  const client = createClient({ baseUrl: url, token: tenant.token });
  const stream = streamEvents(client, {
    ...options,
    signal: stop.signal,
    onState: (state) => void states.push(state),
  });
  const ended = (async () => {
    for await (const event of stream) {
      events.push(event);
      positions.push(stream.lastEventId);
    }
  })();
  const error = ended.then(
    () => undefined,
    (reason) => reason,
  );
  const count = (state: StreamState['state']) => states.filter((one) => one.state === state).length;
  return {
    stop,
    stream,
    states,
    events,
    positions,
    error,
    count,
    opened: () => until(() => count('open') > 0),
  };
}

const sequences = (events: StreamEvent[]) => events.map(({ sequence }) => sequence);

describe('streamEvents', () => {
  it('sends new events in order, and ends when it is stopped', async () => {
    const tenant = await server.tenant();
    await publish(tenant, 2);
    const { events, positions, stream, stop, error, opened } = follow(tenant);
    await opened();
    await publish(tenant, 3);
    await until(() => events.length === 3);
    expect(sequences(events)).toEqual([3, 4, 5]);
    expect(positions).toEqual(['3', '4', '5']);
    expect(JSON.parse(stream.lastText as string)).toEqual(events[2]);
    stop.abort();
    expect(await error).toBeUndefined();
  });

  it('starts after a position, and sends only what was asked for', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await publishMany(server.system.db, tenant.id, [
      { type: 'chat.read', channelId: channel.id },
      { type: 'contact.created' },
      { type: 'chat.created', channelId: channel.id },
    ]);
    await server.settle();
    const all = follow(tenant, { lastEventId: '0' });
    const later = follow(tenant, { lastEventId: '1' });
    const some = follow(tenant, { lastEventId: '0', types: ['chat.*'] });
    const ofChannel = follow(tenant, {
      lastEventId: '0',
      channelIds: [channel.id],
      types: ['chat.created', 'contact.*'],
    });
    await until(() => all.events.length === 3 && later.events.length === 2);
    await until(() => some.events.length === 2 && ofChannel.events.length === 1);
    expect(some.events.map(({ type }) => type)).toEqual(['chat.read', 'chat.created']);
    expect(ofChannel.events.map(({ type }) => type)).toEqual(['chat.created']);
  });

  it('misses nothing when the server restarts, and nothing is sent twice', async () => {
    const first = await useServer();
    const port = await listen(first.system.app.server);
    const tenant = await first.tenant();
    const { events, states, count, opened } = follow(tenant, {}, `http://127.0.0.1:${port}`);
    await opened();
    await publish(tenant, 2, first);
    await until(() => events.length === 2);
    await first.stop();
    await until(() => count('reconnecting') > 0);
    expect(states.find(({ state }) => state === 'reconnecting')).toMatchObject({
      error: { messageKey: 'connection_failed' },
      attempt: 1,
    });
    const second = await useServer({ databaseUrl: first.databaseUrl, filesFolder: first.filesFolder });
    await publish(tenant, 2, second);
    await second.system.app.server.listen({ host: '127.0.0.1', port });
    await until(() => count('open') === 2);
    await publish(tenant, 2, second);
    await until(() => events.length >= 6);
    expect(sequences(events)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('waits for a server that has not started', async () => {
    const tenant = await server.tenant();
    const port = await freePort();
    const { count, states, stop, error } = follow(tenant, {}, `http://127.0.0.1:${port}`);
    await until(() => count('reconnecting') >= 2);
    const delays = states.map((state) =>
      state.state === 'reconnecting' ? [state.attempt, state.delayMs > 0] : [],
    );
    expect(delays.slice(0, 2)).toEqual([
      [1, true],
      [2, true],
    ]);
    stop.abort();
    expect(await error).toBeUndefined();
  });

  it.each([
    ['does not exist yet', '999999', 'invalid_body_params'],
    ['is from before a restore', '1794819723.42', 'conflict'],
    ['is none', 'x', 'invalid_body_params'],
  ])('says that a position that %s is refused', async (_, lastEventId, messageKey) => {
    const { error, states } = follow(await server.tenant(), { lastEventId });
    expect(await error).toBeInstanceOf(ParleyError);
    expect(states).toMatchObject([{ state: 'refused', error: { messageKey } }]);
  });

  it('ends with the reason when the server refuses for good', async () => {
    const tenant = await server.tenant();
    const nobody = follow({ token: 'nonsense' });
    expect(await nobody.error).toMatchObject({ status: 401, messageKey: 'unauthorized' });
    const poor = follow({ token: await tenant.tokenWith(['chats:read']) });
    expect(await poor.error).toMatchObject({ status: 403, messageKey: 'forbidden' });
    const wrong = follow(tenant, { types: ['nope*'] });
    expect(await wrong.error).toMatchObject({ parameter: 'types' });
    for (const { states } of [nobody, poor, wrong]) expect(states).toEqual([]);
    const made = (await tenant.post('/v3/tokens', { name: 'spare', scopes: ['events:read'] })).body.data;
    const revoked = follow(made);
    await revoked.opened();
    await tenant.delete(`/v3/tokens/${made.id}`);
    expect(await revoked.error).toMatchObject({ status: 401 });
  });

  it('gives its place back when the loop is left', async () => {
    const { id, token } = await server.tenant({ limits: { streams: 1 } });
    const client = createClient({ baseUrl, token });
    await publish({ id });
    for await (const event of streamEvents(client, { lastEventId: '0' })) {
      expect(event.sequence).toBe(1);
      const second = follow({ token });
      expect(await second.error).toMatchObject({ status: 409, messageKey: 'limit_reached' });
      break;
    }
    await until(async () => {
      const next = follow({ token });
      await Promise.race([next.error, next.opened()]);
      return next.count('open') > 0;
    });
  });

  it('refuses an answer that is no stream, and an event that is no JSON', async () => {
    const html = await useHttpServer((_, response) => void response.end('<html>'));
    expect(await follow({ token: 'x' }, {}, html.url).error).toMatchObject({
      messageKey: 'unexpected_answer',
    });
    const broken = await useHttpServer(
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata: {"a":\n\n'),
    );
    expect(await follow({ token: 'x' }, {}, broken.url).error).toMatchObject({
      message: 'An event is not JSON.',
    });
  });
});
