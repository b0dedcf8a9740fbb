import { expect, it } from 'vitest';
import { manualClock } from '../../src/base/clock.ts';
import type { Adapter } from '../../src/providers/adapter.ts';
import { automationOf } from '../kit/automations.ts';
import { storeInbound } from '../kit/inbound.ts';
import { freshDatabase, type TestServer, useServer } from '../kit/server.ts';
import { useTempFolder } from '../kit/temp-folder.ts';
import { until } from '../kit/until.ts';
import { pigeon, pigeonBody, pigeonChannel, written } from '../kit/vendor.ts';

const clock = manualClock(new Date('2026-11-15T01:02:03.456Z'));
const filesFolder = await useTempFolder();
/** Longer than a row waits after it was in work at two crashes. */
const LATER_MS = 11_000;

/** A process that takes over from one that was killed: its work never ends. */
async function nextProcess(databaseUrl: string, adapter: Adapter): Promise<TestServer> {
  const adapters = new Map([['pigeon', adapter]]);
  return useServer({ databaseUrl, clock, isSoleProcess: true, timers: true, adapters, filesFolder });
}

it('I2: a request that ends its process three times is set aside and listed, and can be replayed', async () => {
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

  for (let crash = 1; crash <= 3; crash += 1) {
    await nextProcess(databaseUrl, adapter);
    if (crash === 3) {
      const isPostponed = async () =>
        (
          await setUp.system.db.query('select 1 from inbound where id = $1 and due_at > $2', [
            poison,
            clock.now(),
          ])
        ).rows.length === 1;
      await until(isPostponed);
      clock.advance(LATER_MS);
    }
    await until(() => stuck === crash);
  }
  const last = await nextProcess(databaseUrl, adapter);
  const listed = async () =>
    (await tenant.post(`/v3/channels/${channel.id}/failed_requests/search`, {})).body.data;
  await until(async () => (await listed()).length === 1);
  expect(await listed()).toMatchObject([
    { id: poison, error: 'The server ended three times while it processed this request' },
  ]);
  expect(stuck).toBe(3);
  // The others of the same channel and of the same batch come later.
  clock.advance(LATER_MS);
  const shown = async () =>
    (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body.data
      .map(({ text }: { text: string }) => text)
      .toSorted();
  await expect.poll(shown).toEqual(['one', 'three', 'two']);

  isPoison = false;
  await tenant.post(`/v3/channels/${channel.id}/failed_requests/${poison}/replay`);
  await until(async () => (await last.system.db.query('select 1 from inbound', [])).rows.length === 0);
  await expect.poll(shown).toEqual(['one', 'poison', 'three', 'two']);
});

it('I2: a request that was in work when a process was killed once or twice is processed as usual', async () => {
  const databaseUrl = await freshDatabase();
  let stuck = 0;
  const adapter: Adapter = {
    ...pigeon,
    parseInbound(request, channel) {
      stuck += 1;
      return stuck <= 2 ? new Promise(() => {}) : pigeon.parseInbound(request, channel);
    },
  };
  const adapters = new Map([['pigeon', adapter]]);
  const setUp = await useServer({ databaseUrl, clock, role: 'api', adapters, filesFolder });
  const tenant = await setUp.tenant();
  const channel = await pigeonChannel(tenant);
  const { db } = setUp.system;
  await storeInbound(db.forTenant(tenant.id), channel.id, [
    Buffer.from(pigeonBody(channel, [written('one', clock.now(), { text: 'one' })])),
  ]);
  for (let crash = 1; crash <= 2; crash += 1) {
    await nextProcess(databaseUrl, adapter);
    await until(() => stuck === crash);
  }
  await nextProcess(databaseUrl, adapter);
  await until(
    async () => (await db.query('select 1 from inbound where due_at > $1', [clock.now()])).rows.length === 1,
  );
  clock.advance(LATER_MS);
  await until(async () => (await db.query('select 1 from messages', [])).rows.length === 1);
  await until(async () => (await db.query('select 1 from inbound', [])).rows.length === 0);
});

it('I2: a run that ends its process three times fails, and can be retried', async () => {
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
    error: { code: 'internal', message: 'The server ended three times while it executed this run' },
  });
  const { body } = await tenant.post('/v3/events/search', { query: 'eq(type,"automation.run_failed")' });
  expect(body.data).toMatchObject([{ data: { id: runId } }]);
  await tenant.post(`/v3/automation_runs/${runId}/retry`);
  await setUp.settle();
  expect(await run()).toMatchObject({ status: 'completed', error: null });
});
