import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { upload } from '../kit/files.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { setRealTime } from '../kit/real-time.ts';
import { chatWith, messageOf, outboxOf, send } from '../kit/sending.ts';
import { OPERATOR_TOKEN, type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { advance, settled, smsChannel, testTenant } from '../kit/test-clock.ts';
import { until } from '../kit/until.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer({ timers: true });
const START = '2026-11-15T01:02:03.456Z';
const later = (ms: number): string => new Date(Date.parse(START) + ms).toISOString();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
afterEach(() => void vi.useRealTimers());

const post = (tenant: TestTenant, body: unknown, headers: Record<string, string> = {}) =>
  tenant.post('/v3/clock/advance', body, { headers });

/** Waits until a clock has been sent somewhere. */
const onItsWay = ({ system }: TestServer, { id }: TestTenant): Promise<void> =>
  until(async () => {
    const { rows } = await system.db.query(
      'select 1 from tenants where id = $1 and clock_target is not null',
      [id],
    );
    return rows.length === 1;
  });

/** A receiver that answers when `answer` is called. */
async function slowReceiver() {
  const waiting: ServerResponse[] = [];
  const { url } = await useHttpServer((request, response) => {
    request.resume();
    waiting.push(response);
  });
  return {
    url,
    /** Resolves when somebody waits for an answer. */
    called: () => until(() => waiting.length > 0),
    /** Answers everybody who waits. */
    answer(): void {
      for (const response of waiting) response.end();
    },
  };
}

/** A run that sends once a day, and what was sent so far. */
async function dailyRun(tenant: TestTenant, days: number) {
  const channel = await smsChannel(tenant);
  await tenant.post('/v3/contacts', { firstName: 'Ada', phoneNumber: '+12025550101' });
  await automationOf(tenant, {
    trigger: {
      type: 'schedule',
      parameters: { rrule: `FREQ=DAILY;COUNT=${days}`, audience: 'eq(firstName,"Ada")' },
    },
    steps: [{ id: 'a', type: 'send_message', parameters: { text: 'Hello', channelId: channel.id } }],
  });
  return async (): Promise<string[]> =>
    (await outboxOf(tenant, channel)).map(({ at }: { at: string }) => at.slice(0, 16));
}
const daily = (days: number): string[] =>
  Array.from({ length: days }, (_, day) => later((day + 1) * DAY).slice(0, 16));

describe('a clock', () => {
  it.each<[string, object, string]>([
    ['nothing', {}, 'to'],
    ['both', { to: later(DAY), by: 'P1D' }, 'by'],
    ['no time', { to: 'tomorrow' }, 'to'],
    ['a time without a zone', { to: '2026-12-01T00:00:00' }, 'to'],
    ['a time that has passed', { to: later(-1) }, 'to'],
    ['more than 366 days', { to: later(366 * DAY + 1) }, 'to'],
    ['no duration', { by: '2 days' }, 'by'],
    ['an empty duration', { by: 'P' }, 'by'],
    ['a negative duration', { by: '-P1D' }, 'by'],
    ['a duration of more than 366 days', { by: 'P367D' }, 'by'],
    ['a duration without end', { by: `P${'9'.repeat(40)}Y` }, 'by'],
    ['a number', { by: 3600 }, 'by'],
  ])('is not moved by %s', async (_name, body, path) => {
    const tenant = await testTenant(server);
    const answer = await post(tenant, body);
    expect([answer.status, answer.body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(Object.keys(answer.body.error.invalidParams)).toEqual([path]);
    expect(await settled(tenant)).toBe(START);
  });

  it('goes to a time or by a duration, on the calendar where that counts, and stands still in between', async () => {
    const tenant = await testTenant(server);
    expect(await settled(tenant)).toBe(START);
    expect(await advance(tenant, { by: 'P1M' })).toBe('2026-12-15T01:02:03.456Z');
    expect(await advance(tenant, { to: '2027-02-01T01:00:00+01:00' })).toBe('2027-02-01T00:00:00.000Z');
    expect(await advance(tenant, { by: 'P366D' })).toBe('2028-02-02T00:00:00.000Z');
    server.clock.advance(DAY);
    expect(await settled(tenant)).toBe('2028-02-02T00:00:00.000Z');
    server.clock.advance(-DAY);
  });

  it('needs the scope that the sandbox needs', async () => {
    const tenant = await testTenant(server);
    const token = await tenant.tokenWith(['chats:write']);
    expect((await tenant.post('/v3/clock/advance', { by: 'P1D' }, { token })).status).toBe(403);
    const enough = await tenant.tokenWith(['channels:write']);
    expect((await tenant.post('/v3/clock/advance', { by: 'P1D' }, { token: enough })).status).toBe(200);
  });

  it('is moved once by requests with one key', async () => {
    const tenant = await testTenant(server);
    const key = { 'idempotency-key': 'a day' };
    const answers = [await post(tenant, { by: 'P1D' }, key), await post(tenant, { by: 'P1D' }, key)];
    expect(answers.map(({ body }) => body.data)).toEqual([{ now: later(DAY) }, { now: later(DAY) }]);
    expect(answers[1]?.headers['idempotent-replayed']).toBe('true');
    expect(await settled(tenant)).toBe(later(DAY));
    expect((await post(tenant, { by: 'P2D' }, key)).status).toBe(422);
  });

  it('that is on its way goes nowhere else; who wants it there, too, waits with it', async () => {
    const receiver = await slowReceiver();
    const tenant = await testTenant(server);
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    await tenant.post('/v3/contacts', { firstName: 'Ada' });
    await receiver.called();
    const first = post(tenant, { by: 'P1D' });
    await onItsWay(server, tenant);
    const other = await post(tenant, { to: later(2 * DAY) });
    expect([other.status, other.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(other.body.error.message).toContain(later(DAY));
    const same = post(tenant, { to: later(DAY) });
    receiver.answer();
    expect((await first).body.data).toEqual({ now: later(DAY) });
    expect((await same).body.data).toEqual({ now: later(DAY) });
  });
});

describe('an ordinary tenant', () => {
  it('has no clock to move, and nothing of it happens earlier', async () => {
    const tenant = await server.tenant();
    const answer = await post(tenant, { by: 'P1D' });
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(answer.body.error.message).toContain('test tenant');
    const channel = await smsChannel(tenant);
    const chat = await chatWith(tenant, channel.id, '+12025550102');
    const { id } = await send(tenant, chat, { text: 'Later', scheduledAt: later(DAY) });
    await advance(await testTenant(server), { by: 'P30D' });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'queued', createdAt: START });
  });

  it('is what the operator makes without saying more; a test tenant stays one', async () => {
    const admin = (method: string, path: string, body?: unknown) =>
      server.call(method, path, { token: OPERATOR_TOKEN, body });
    const ordinary = await admin('POST', '/admin/tenants', { name: 'Ordinary' });
    expect(ordinary.body.data).toMatchObject({ isTest: false });
    const made = await admin('POST', '/admin/tenants', { name: 'Test', isTest: true });
    expect(made.body.data).toMatchObject({ isTest: true });
    const path = `/admin/tenants/${made.body.data.id}`;
    expect((await admin('PUT', path, { name: 'Renamed' })).body.data).toMatchObject({ isTest: true });
    const token = (await admin('POST', `${path}/tokens`, {})).body.data.token;
    const moved = await server.call('POST', '/v3/clock/advance', { token, body: { by: 'P1D' } });
    expect(moved.body.data).toEqual({ now: later(DAY) });
    expect((await admin('DELETE', path)).status).toBe(200);
  });
});

describe('test tenants', () => {
  it('have clocks of their own, that move at the same time', async () => {
    const [one, two, three] = [await testTenant(server), await testTenant(server), await testTenant(server)];
    const [sentByOne, sentByTwo] = [await dailyRun(one, 30), await dailyRun(two, 30)];
    const times = await Promise.all([
      advance(one, { by: 'P10D' }),
      advance(two, { by: 'P3D' }),
      advance(three, { by: 'PT1H' }),
    ]);
    expect(times).toEqual([later(10 * DAY), later(3 * DAY), later(60 * MINUTE)]);
    expect(await sentByOne()).toEqual(daily(10));
    expect(await sentByTwo()).toEqual(daily(3));
  });

  it('do not wait for the receivers of others', async () => {
    const receiver = await slowReceiver();
    const [held, free] = [await testTenant(server), await testTenant(server)];
    await subscribe(held, receiver.url, [{ type: 'contact.created' }]);
    await held.post('/v3/contacts', { firstName: 'Ada' });
    await receiver.called();
    const moving = post(held, { by: 'P1D' });
    const sent = await dailyRun(free, 5);
    await advance(free, { by: 'P5D' });
    expect(await sent()).toEqual(daily(5));
    receiver.answer();
    expect((await moving).body.data).toEqual({ now: later(DAY) });
  });

  it('see their own time on everything they make', async () => {
    const tenant = await testTenant(server);
    await advance(tenant, { by: 'P100D' });
    const now = later(100 * DAY);
    const channel = await smsChannel(tenant);
    const contact = (await tenant.post('/v3/contacts', { phoneNumber: '+12025550103' })).body.data;
    expect(contact).toMatchObject({ createdAt: now, updatedAt: now });
    const chat = (await tenant.post('/v3/chats', { contactId: contact.id, channelId: channel.id })).body.data;
    const { id } = await send(tenant, chat, { text: 'Hello' });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+12025550104', text: 'Hello' });
    await settled(tenant);
    expect(await messageOf(tenant, id)).toMatchObject({ timestamp: now, createdAt: now, updatedAt: now });
    const events = (await tenant.post('/v3/events/search', {})).body.data;
    expect(events.length).toBeGreaterThan(3);
    for (const { createdAt } of events) expect(createdAt).toBe(now);
    expect(await outboxOf(tenant, channel)).toMatchObject([{ at: now }]);
    const scheduled = await tenant.post(`/v3/chats/${chat.id}/messages`, {
      text: 'Hello',
      scheduledAt: later(99 * DAY),
    });
    expect(scheduled.status).toBe(400);
  });

  it('are limited, and let in, by the time of day', async () => {
    setRealTime(new Date('2026-11-15T01:02:03.456Z'));
    const tenant = await server.tenant({ isTest: true, rateLimit: 3 });
    const token = (await tenant.post('/v3/tokens', { name: 'short', scopes: ['*'], expiresIn: 60 })).body
      .data;
    expect((await post(tenant, { by: 'P30D' })).status).toBe(200);
    expect((await tenant.get('/v3/me', { token: token.token })).status).toBe(200);
    expect((await tenant.get('/v3/me')).status).toBe(429);
  });
});

describe('what is about the machine and not about the tenant', () => {
  it('runs on the time of day: mailboxes are not read a thousand times, and files are not given up', async () => {
    const tenant = await testTenant(server);
    const nobody = { host: '127.0.0.1', port: 9 };
    const made = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Test',
      address: 'help@shop.test',
      config: {
        from: 'help@shop.test',
        smtp: nobody,
        imap: { ...nobody, user: 'ada', password: 'right' },
      },
    });
    expect([made.status, made.body.error]).toEqual([200, undefined]);
    const fileId = (await upload(tenant, 'hello\n', 'hello.txt')).body.data.id;
    await advance(tenant, { by: 'P300D' });
    const { rows } = await server.system.db.query('select attempts from mailboxes where id = $1', [
      made.body.data.id,
    ]);
    expect(rows[0]?.attempts).toBeLessThan(2);
    expect((await tenant.get(`/v3/files/${fileId}/content`)).text).toBe('hello\n');
  });
});

describe('a clock on its way', () => {
  it('goes on with the next worker, and everything happens once and in order', async () => {
    const shared = { timers: true, isSoleProcess: false };
    const api = await useServer({ ...shared, role: 'api' });
    const beside = (role: 'worker') =>
      useServer({ ...shared, role, isSoleProcess: true, databaseUrl: api.databaseUrl, clock: api.clock });
    const tenant = await testTenant(api);
    const sent = await dailyRun(tenant, 25);
    // Nobody works yet: the clock waits for someone.
    const moving = post(tenant, { by: 'P25D' });
    const first = await beside('worker');
    await until(async () => (await sent()).length > 5);
    // It takes all of the work; the first has not noticed yet, and both go on until it stops.
    await beside('worker');
    await first.stop();
    expect((await moving).body.data).toEqual({ now: later(25 * DAY) });
    expect(await sent()).toEqual(daily(25));
  });

  it('goes on in another server, and callers there see it', async () => {
    const api = await useServer({ timers: true, isSoleProcess: false, role: 'api' });
    const tenant = await testTenant(api);
    const sent = await dailyRun(tenant, 3);
    const moving = post(tenant, { by: 'P3D' });
    await onItsWay(api, tenant);
    const other = await useServer({ timers: true, databaseUrl: api.databaseUrl, clock: api.clock });
    const { token } = tenant;
    const again = await other.call('POST', '/v3/clock/advance', { token, body: { to: later(3 * DAY) } });
    expect(again.body.data).toEqual({ now: later(3 * DAY) });
    expect((await moving).body.data).toEqual({ now: later(3 * DAY) });
    expect(await sent()).toEqual(daily(3));
  });

  it('is not waited for by a server that stops, and not by who is deleted', async () => {
    const api = await useServer({ timers: true, isSoleProcess: false, role: 'api' });
    const [staying, draining] = [await testTenant(api), await testTenant(api)];
    const moving = [staying, draining].map((tenant) => post(tenant, { by: 'P1D' }));
    await Promise.all([onItsWay(api, staying), onItsWay(api, draining)]);
    await api.call('DELETE', `/admin/tenants/${draining.id}`, { token: OPERATOR_TOKEN });
    expect((await moving[1])?.status).toBe(401);
    const stopping = api.stop();
    const answer = await moving[0];
    expect([answer?.status, answer?.body.error.messageKey]).toEqual([503, 'service_unavailable']);
    await stopping;
  });
});
