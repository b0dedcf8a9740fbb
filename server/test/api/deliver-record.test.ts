import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import {
  cancelDelivery,
  createAttemptRecorder,
  type DeliveryResult,
  holdDelivery,
} from '../../src/webhooks/record.ts';
import { changeWebhook } from '../../src/webhooks/webhook.ts';
import { useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer();
const { db } = server.system;
const { clock } = server;
const record = createAttemptRecorder(db, clock);

async function newDelivery(tenantId: string, webhookId = newId()): Promise<string> {
  const id = newId();
  // A shard that no worker of this server owns.
  await db.query(
    `insert into deliveries (id, tenant_id, webhook_id, shard, event_id, event_type, sequence, status, due_at, created_at, updated_at)
     values ($1, $2, $3, $4, $1, 'chat.created', 1, 'pending', '-infinity', now(), now())`,
    [id, tenantId, webhookId, realShardOf(webhookId) + 100],
  );
  return id;
}
const result = (
  id: string,
  tenantId: string,
  { attempts = 0, ...given }: Partial<DeliveryResult> & { attempts?: number } = {},
): DeliveryResult => ({
  delivery: { id, tenant_id: tenantId, webhook_id: newId(), attempts, url: 'https://example.com/' },
  startedAt: clock.now(),
  status: 'delivered',
  dueAt: null,
  timings: { lookupMs: null, connectMs: 1, tlsMs: null, waitMs: 2, readMs: 0, totalMs: 3 },
  response: {
    status: 200,
    headers: {},
    body: Buffer.from('fine'),
    truncated: false,
    timings: { lookupMs: null, connectMs: 1, tlsMs: null, waitMs: 2, readMs: 0, totalMs: 3 },
  },
  error: null,
  ...given,
});
const later = (): Date => new Date(clock.now().getTime() + 5_000);

describe('a delivery of a paused webhook', () => {
  it('is not held if the webhook becomes active at the same time', async () => {
    const tenant = await server.tenant();
    const hook = await subscribe(tenant, 'http://127.0.0.1:9/');
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { status: 'inactive' });
    const id = await newDelivery(tenant.id, hook.id);
    const dueAt = async () =>
      (await db.query('select due_at::text from deliveries where id = $1', [id])).rows[0]?.due_at;
    const isWaiting = async (): Promise<boolean> =>
      (
        await db.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
              and query like '%for share%'`,
          [],
        )
      ).rows.length === 1;
    let holding: Promise<void> | undefined;
    await db.forTenant(tenant.id).transaction(async (tx) => {
      const policy = { allow: parseAllowList(''), loopback: true };
      await changeWebhook(tx, hook.id, { status: 'active' }, { policy, canRead: () => true });
      holding = holdDelivery(db.forTenant(tenant.id), id, hook.id);
      await expect.poll(isWaiting).toBe(true);
    });
    await holding;
    expect(await dueAt()).toBe('-infinity');
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { status: 'inactive' });
    await holdDelivery(db.forTenant(tenant.id), id, hook.id);
    expect(await dueAt()).toBe('infinity');
  });
});

describe('the result of an attempt', () => {
  it('is stored once, and a late result of a worker that lost its lease changes nothing (R5)', async () => {
    const tenant = await server.tenant();
    const id = await newDelivery(tenant.id);
    await record(result(id, tenant.id, { status: 'pending', dueAt: later(), error: 'broke' }));
    // Another worker has recorded an attempt since.
    await createAttemptRecorder(db, clock)(result(id, tenant.id, { attempts: 1 }));
    await record(result(id, tenant.id, { status: 'failed', error: 'late' }));
    await record(result(id, tenant.id, { attempts: 2, status: 'failed', error: 'later still' }));
    const shown = await tenant.get(`/v3/webhook_deliveries/${id}`);
    expect(shown.body.data).toMatchObject({
      status: 'delivered',
      attemptCount: 2,
      attempts: [
        { number: 1, error: 'broke' },
        { number: 2, error: null },
      ],
    });
  });

  it('is stored once if two workers record it at the same time, in one batch or in two', async () => {
    const tenant = await server.tenant();
    const ids = await Promise.all(Array.from({ length: 20 }, () => newDelivery(tenant.id)));
    const [first, second] = [createAttemptRecorder(db, clock), createAttemptRecorder(db, clock)];
    await Promise.all(
      ids.flatMap((id) => [first, first, second].map((recordWith) => recordWith(result(id, tenant.id)))),
    );
    const { rows } = await db.query('select delivery_id, number from attempts where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows.map((row) => row.delivery_id).toSorted()).toEqual(ids.toSorted());
    expect(new Set(rows.map((row) => row.number))).toEqual(new Set([1]));
  });

  it('does not change a delivery that was cancelled meanwhile, unless it was received', async () => {
    const tenant = await server.tenant();
    const [lost, arrived] = [await newDelivery(tenant.id), await newDelivery(tenant.id)];
    for (const id of [lost, arrived]) await cancelDelivery(db.forTenant(tenant.id), id);
    await record(result(lost, tenant.id, { status: 'pending', dueAt: later(), error: 'broke' }));
    await record(result(arrived, tenant.id));
    const shown = async (id: string) => (await tenant.get(`/v3/webhook_deliveries/${id}`)).body.data;
    // The attempt was made, so it is stored.
    expect(await shown(lost)).toMatchObject({
      status: 'cancelled',
      attemptCount: 1,
      nextAttemptAt: null,
      attempts: [{ number: 1, error: 'broke' }],
    });
    expect(await shown(arrived)).toMatchObject({
      status: 'delivered',
      attempts: [{ number: 1, error: null }],
    });
  });

  it('is stored for every answer of a receiver, without affecting others of the batch', async () => {
    const tenant = await server.tenant();
    const ids = await Promise.all(Array.from({ length: 3 }, () => newDelivery(tenant.id)));
    const bodies = [Buffer.from('a\0b'), Buffer.from([0xff, 0xc3, 0x28, 0x00]), Buffer.alloc(5_000, 'é')];
    await Promise.all(
      ids.map((id, index) => {
        const given = result(id, tenant.id, { error: 'NUL \0 and half \ud800 a character' });
        const response = {
          ...(given.response as NonNullable<DeliveryResult['response']>),
          headers: { 'x-odd': '\0\ud800é' },
          body: bodies[index] as Buffer,
        };
        return record({ ...given, response });
      }),
    );
    const [first, second, third] = await Promise.all(
      ids.map(async (id) => (await tenant.get(`/v3/webhook_deliveries/${id}`)).body.data.attempts[0]),
    );
    expect(first.response.body).toBe('a\uFFFDb');
    expect(first.response.headers).toEqual({ 'x-odd': '\uFFFD\uFFFDé' });
    expect(first.error).toBe('NUL \uFFFD and half \uFFFD a character');
    expect(second.response.body).toMatch(/\uFFFD\($|\uFFFD\(\uFFFD$/);
    expect(third.response.body).toBe('é'.repeat(512));
  });
});
