import { beforeEach, describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../src/providers/inbound-event.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { type PigeonChannel, pigeonChannel, postEvents, withPigeon, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const [holder, deleter] = [await usePgClient(server.databaseUrl), await usePgClient(server.databaseUrl)];
const [FIRST, SECOND] = ['+15550001111', '+15550002222'];

let tenant: TestTenant;
let channel: PigeonChannel;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
});

const from = (value: string, vendorId: string, more: Partial<InboundMessage> = {}): InboundMessage =>
  written(vendorId, server.clock.now(), {
    contact: { type: 'phone_number', value, name: null },
    text: vendorId,
    ...more,
  });
const receive = async (...events: InboundMessage[]): Promise<void> => {
  await postEvents(server, channel, ...events);
  await server.settle();
};
const textsOf = async (): Promise<string[]> =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body.data.map(
    ({ text }: { text: string }) => text,
  );
const waitsFor = (client: typeof holder): Promise<void> =>
  until(async () => {
    const waiting = 'select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
    return (
      (await db.query(waiting, [(client as unknown as { processID: number }).processID])).rows.length > 0
    );
  });

/** Locks a contact as a merge does, and then its chats while the server waits for the contact. */
async function lockAsMerging(contactId: string, act: () => Promise<void>): Promise<void> {
  await holder.query('begin');
  await holder.query('select 1 from contacts where id = $1 for update nowait', [contactId]);
  const acting = act();
  await waitsFor(holder);
  await holder.query('select 1 from chats where tenant_id = $1 for update nowait', [tenant.id]);
  await holder.query('commit');
  await acting;
}

describe('I8: no chat is locked before a contact', () => {
  it('if one of several chats is deleted while it is locked', async () => {
    await receive(from(FIRST, 'one'), from(SECOND, 'two'));
    const [chat] = (await tenant.post('/v3/chats/search', { sortBy: 'asc(createdAt)' })).body.data;
    await deleter.query('begin');
    await deleter.query('delete from chats where id = $1', [chat.id]);
    await lockAsMerging(chat.contactId, async () => {
      const received = receive(from(FIRST, 'three'), from(SECOND, 'four'));
      await waitsFor(deleter);
      await deleter.query('commit');
      await received;
    });
    expect((await textsOf()).sort()).toEqual(['four', 'three', 'two']);
  });

  it('if messages from before the channel was connected come with the first one of a contact', async () => {
    await receive(from(FIRST, 'one'));
    const { id } = (await tenant.post('/v3/contacts', { phoneNumber: SECOND })).body.data;
    await lockAsMerging(id, () =>
      receive(from(FIRST, 'two', { imported: { status: 'delivered' } }), from(SECOND, 'three')),
    );
    expect((await textsOf()).sort()).toEqual(['one', 'three', 'two']);
  });
});
