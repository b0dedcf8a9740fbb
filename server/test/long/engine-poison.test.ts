import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { manualClock } from '../../src/base/clock.ts';
import type { Adapter } from '../../src/providers/adapter.ts';
import { automationOf } from '../kit/automations.ts';
import { storeInbound } from '../kit/inbound.ts';
import { freshDatabase, type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { useTempFolder } from '../kit/temp-folder.ts';
import { until } from '../kit/until.ts';
import { pigeon, pigeonBody, pigeonChannel, written } from '../kit/vendor.ts';

const clock = manualClock(new Date('2026-11-15T01:02:03.456Z'));
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const filesFolder = await useTempFolder();
/** A process that takes over from one that was killed: its work never ends. */
async function nextProcess(databaseUrl: string, adapter: Adapter, settledMs = 0): Promise<TestServer> {
  const adapters = new Map([['pigeon', adapter]]);
  return useServer({
    databaseUrl,
    clock,
    isSoleProcess: true,
    timers: true,
    adapters,
    filesFolder,
    settledMs,
  });
}

it('I2: a request that ends its process again and again is set aside and listed, and can be replayed', async () => {
  const databaseUrl = await freshDatabase();
  let stuck = 0;
  let isPoison = true;
  const adapter: Adapter = {
    ...pigeon,
    parseInbound(request, channel) {
      if (!isPoison || !request.body.includes('poison')) return pigeon.parseInbound(request, channel);
      stuck += 1;
      return new Promise(() => {});
    },
  };
  const adapters = new Map([['pigeon', adapter]]);
  const setUp = await useServer({ databaseUrl, clock, role: 'api', adapters, filesFolder });
  const tenant = await setUp.tenant();
  const channel = await pigeonChannel(tenant);
  const texts = ['one', 'two', 'poison', 'three'];
  const bodies = texts.map((text) =>
    Buffer.from(pigeonBody(channel, [written(text, clock.now(), { text })])),
  );
  const [, , poison] = await storeInbound(setUp.system.db.forTenant(tenant.id), channel.id, bodies);

  // The first time nobody knows what it was doing; from then on it is counted.
  for (let crash = 1; crash <= 4; crash += 1) {
    await nextProcess(databaseUrl, adapter);
    await until(() => stuck === crash);
  }
  const last = await nextProcess(databaseUrl, adapter);
  const listed = async () =>
    (await tenant.post(`/v3/channels/${channel.id}/failed_requests/search`, {})).body.data;
  await until(async () => (await listed()).length === 1);
  expect(await listed()).toMatchObject([
    { id: poison, error: 'The server ended again and again while it processed this request' },
  ]);
  expect(stuck).toBe(4);
  // The others of the same channel and of the same batch keep their order.
  const shown = async () => {
    const { rows } = await setUp.system.db.query('select text from messages order by id', []);
    return rows.map(({ text }) => text);
  };
  await expect.poll(shown).toEqual(['one', 'two', 'three']);

  isPoison = false;
  await tenant.post(`/v3/channels/${channel.id}/failed_requests/${poison}/replay`);
  await until(async () => (await last.system.db.query('select 1 from inbound', [])).rows.length === 0);
  await expect.poll(shown).toEqual(['one', 'two', 'three', 'poison']);
});

it('I2: requests that were in work when processes were killed are processed as usual, in order', async () => {
  const databaseUrl = await freshDatabase();
  let stuck = 0;
  let mayEnd = false;
  const adapter: Adapter = {
    ...pigeon,
    parseInbound(request, channel) {
      if (mayEnd) return pigeon.parseInbound(request, channel);
      stuck += 1;
      return new Promise(() => {});
    },
  };
  const adapters = new Map([['pigeon', adapter]]);
  const setUp = await useServer({ databaseUrl, clock, role: 'api', adapters, filesFolder });
  const tenant = await setUp.tenant();
  const channel = await pigeonChannel(tenant);
  const { db } = setUp.system;
  const texts = Array.from({ length: 30 }, (_, number) => `text ${number}`);
  await storeInbound(
    db.forTenant(tenant.id),
    channel.id,
    texts.map((text) => Buffer.from(pigeonBody(channel, [written(text, clock.now(), { text })]))),
  );
  for (let crash = 1; crash <= 3; crash += 1) {
    const before = stuck;
    await nextProcess(databaseUrl, adapter);
    await until(() => stuck > before);
  }
  mayEnd = true;
  await nextProcess(databaseUrl, adapter);
  await until(async () => (await db.query('select 1 from inbound', [])).rows.length === 0);
  const { rows } = await db.query('select text from messages order by id', []);
  expect(rows.map(({ text }) => text)).toEqual(texts);
});

it('I2: a request is not suspected again by processes that are killed soon after their start', async () => {
  const databaseUrl = await freshDatabase();
  let stuck = 0;
  const adapter: Adapter = {
    ...pigeon,
    parseInbound(request, channel) {
      if (!request.body.includes('suspected')) return pigeon.parseInbound(request, channel);
      stuck += 1;
      return new Promise(() => {});
    },
  };
  const adapters = new Map([['pigeon', pigeon]]);
  const setUp = await useServer({ databaseUrl, clock, role: 'api', adapters, filesFolder });
  const tenant = await setUp.tenant();
  const { db } = setUp.system;
  const [channel, other] = [await pigeonChannel(tenant), await pigeonChannel(tenant)];
  const store = (to: typeof channel, ...texts: string[]) =>
    storeInbound(
      db.forTenant(tenant.id),
      to.id,
      texts.map((text) => Buffer.from(pigeonBody(to, [written(text, clock.now(), { text })]))),
    );
  const received = async (from: typeof channel): Promise<unknown[]> => {
    const { rows } = await db.query('select text from messages where channel_id = $1 order by id', [from.id]);
    return rows.map(({ text }) => text);
  };
  const [suspected] = await store(channel, 'suspected', 'behind it');
  // As two processes leave it that were killed while they processed it.
  await db.query('update inbound set crashes = 2 where id = $1', [suspected]);
  for (const kill of [1, 2, 3]) {
    const killed = await nextProcess(databaseUrl, adapter, 60_000);
    await store(other, `kill ${kill}`);
    // The scan that finds this request has found the other one too.
    await until(async () => (await received(other)).length === kill);
    await killed.stop(0);
  }
  expect(stuck).toBe(0);
  expect((await db.query('select id, crashes from inbound order by id', [])).rows).toMatchObject([
    { id: suspected, crashes: 2 },
    { crashes: 0 },
  ]);
  await nextProcess(databaseUrl, pigeon);
  await until(async () => (await db.query('select 1 from inbound', [])).rows.length === 0);
  expect(await received(channel)).toEqual(['suspected', 'behind it']);
});

it('I2: a run that ends its process again and again fails, and can be retried', async () => {
  const databaseUrl = await freshDatabase();
  const setUp = await useServer({ databaseUrl, clock, filesFolder });
  const { db } = setUp.system;
  const tenant = await setUp.tenant();
  const contactId = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data.id;
  const label = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
  const id = await automationOf(tenant, {
    steps: [{ id: 'label', type: 'add_label', parameters: { labelId: label.id } }],
  });
  const { headers } = await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
  const runId = headers['x-automation-run-id'];
  // As three processes leave it that were killed while they executed it.
  await db.query('update automation_runs set crashes = 3 where id = $1', [runId]);
  await setUp.settle();
  const run = async () => (await tenant.get(`/v3/automation_runs/${runId}`)).body.data;
  expect(await run()).toMatchObject({
    status: 'failed',
    error: { code: 'internal', message: 'The server ended again and again while it executed this run' },
  });
  const { body } = await tenant.post('/v3/events/search', { query: 'eq(type,"automation.run_failed")' });
  expect(body.data).toMatchObject([{ data: { id: runId } }]);
  await tenant.post(`/v3/automation_runs/${runId}/retry`);
  await setUp.settle();
  expect(await run()).toMatchObject({ status: 'completed', error: null });
});

it('I2: a file whose fetch ends its process again and again is given up, and its message says so', async () => {
  const databaseUrl = await freshDatabase();
  let fetched = 0;
  const adapter: Adapter = {
    ...pigeon,
    fetchMedia() {
      fetched += 1;
      return new Promise(() => {});
    },
  };
  const adapters = new Map([['pigeon', adapter]]);
  const setUp = await useServer({ databaseUrl, clock, role: 'api', adapters, filesFolder });
  const tenant = await setUp.tenant();
  const channel = await pigeonChannel(tenant);
  const media = [{ ref: { url: 'https://example.com/x' }, mimeType: 'image/png', filename: null, size: 70 }];
  const body = Buffer.from(pigeonBody(channel, [written('picture', clock.now(), { type: 'image', media })]));
  await storeInbound(setUp.system.db.forTenant(tenant.id), channel.id, [body]);
  for (let crash = 1; crash <= 4; crash += 1) {
    await nextProcess(databaseUrl, adapter);
    await until(() => fetched === crash);
  }
  await nextProcess(databaseUrl, adapter);
  const message = async () => (await tenant.post('/v3/messages/search', {})).body.data[0];
  await until(async () => (await message()).media[0].error !== undefined);
  expect((await message()).media[0].error).toEqual({
    code: 'crashed',
    message: 'The server ended again and again while it fetched the file.',
  });
  expect(fetched).toBe(4);
});

it('I5: after crashes a fetch that hangs keeps nothing waiting that others have received', async () => {
  const databaseUrl = await freshDatabase();
  let fetched = 0;
  let parsed = 0;
  const adapter: Adapter = {
    ...pigeon,
    fetchMedia() {
      fetched += 1;
      return new Promise(() => {});
    },
    async parseInbound(request, channel) {
      if (!request.body.includes('late')) return pigeon.parseInbound(request, channel);
      parsed += 1;
      if (parsed < 3) return new Promise(() => {});
      // In the last process the fetch is on its way at the same moment.
      await until(() => fetched === 3);
      return pigeon.parseInbound(request, channel);
    },
  };
  const adapters = new Map([['pigeon', adapter]]);
  const setUp = await useServer({ databaseUrl, clock, role: 'api', adapters, filesFolder });
  const store = async (tenant: TestTenant, id: string, more: object) => {
    const channel = await pigeonChannel(tenant);
    const body = Buffer.from(pigeonBody(channel, [written(id, clock.now(), more)]));
    await storeInbound(setUp.system.db.forTenant(tenant.id), channel.id, [body]);
  };
  const [one, other] = [await setUp.tenant(), await setUp.tenant()];
  const media = [{ ref: { url: 'https://example.com/x' }, mimeType: 'image/png', filename: null, size: 70 }];
  await store(one, 'picture', { type: 'image', media });
  await store(other, 'late', { text: 'late' });
  for (let crash = 1; crash <= 2; crash += 1) {
    await nextProcess(databaseUrl, adapter);
    await until(() => fetched === crash && parsed === crash);
  }
  await nextProcess(databaseUrl, adapter);
  const texts = async () =>
    (await other.post('/v3/messages/search', {})).body.data.map(({ text }: { text: string }) => text);
  await until(async () => (await texts()).length === 1);
  expect(await texts()).toEqual(['late']);
});

it('I2: a fetch that was in work while a request ended the process again and again is not set aside', async () => {
  const databaseUrl = await freshDatabase();
  let [fetched, stuck] = [0, 0];
  /** In a process that the request has ended nothing else comes to its end either. */
  const adapterOf = (process: number): Adapter => {
    let onEnded = () => {};
    const ended = new Promise<'ended'>((resolve) => {
      onEnded = () => resolve('ended');
    });
    return {
      ...pigeon,
      parseInbound(request, channel) {
        if (!request.body.includes('poison')) return pigeon.parseInbound(request, channel);
        stuck = process;
        onEnded();
        return new Promise(() => {});
      },
      async fetchMedia() {
        fetched = process;
        const hangs = process < 4 || (await Promise.race([ended, delay(500)])) === 'ended';
        if (hangs) await new Promise(() => {});
        return { bytes: PIXEL, mimeType: 'image/png', filename: null };
      },
    };
  };
  const setUp = await useServer({
    databaseUrl,
    clock,
    role: 'api',
    adapters: new Map([['pigeon', adapterOf(0)]]),
    filesFolder,
  });
  const [one, other] = [await setUp.tenant(), await setUp.tenant()];
  const store = async (tenant: TestTenant, id: string, more: object) => {
    const channel = await pigeonChannel(tenant);
    const body = Buffer.from(pigeonBody(channel, [written(id, clock.now(), more)]));
    await storeInbound(setUp.system.db.forTenant(tenant.id), channel.id, [body]);
    return channel;
  };
  const media = [{ ref: { url: 'https://example.com/x' }, mimeType: 'image/png', filename: null, size: 70 }];
  await store(one, 'picture', { type: 'image', media });
  const channel = await store(other, 'poison', { text: 'poison' });
  for (let process = 1; process <= 3; process += 1) {
    await nextProcess(databaseUrl, adapterOf(process));
    await until(() => fetched === process && stuck === process);
  }
  await nextProcess(databaseUrl, adapterOf(4));
  await until(() => stuck === 4);
  await nextProcess(databaseUrl, adapterOf(5));
  const failed = async () =>
    (await other.post(`/v3/channels/${channel.id}/failed_requests/search`, {})).body.data;
  await until(async () => (await failed()).length === 1);
  const picture = async () => (await one.post('/v3/messages/search', {})).body.data[0].media[0];
  await until(async () => (await picture()).error !== undefined || (await picture()).fileId !== null);
  expect(await picture()).toMatchObject({ fileId: expect.any(String), size: PIXEL.length });
});
