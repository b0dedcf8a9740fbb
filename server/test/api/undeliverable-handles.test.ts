import { beforeEach, describe, expect, it } from 'vitest';
import { receiveStatuses } from '../../src/messages/inbound/statuses.ts';
import { contactOf } from '../kit/consents.ts';
import { customers, messageOf, openChat, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const write = async (channel: { id: string }, from: string, text: string) => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
  await server.settle();
};

describe('a handle that does not exist', () => {
  const failWith = async (kind: 'sms' | 'email', code: string) => {
    const channel = await tenant.channel(kind);
    const chat = await openChat(server, tenant, channel, customers[kind]);
    const { id } = await send(tenant, chat, { text: 'hello' });
    await server.settle();
    await server.system.db.query(`update messages set status = 'queued' where id = $1`, [id]);
    const { vendorId } = await messageOf(tenant, id);
    await server.system.db.forTenant(tenant.id).transaction((tx) =>
      receiveStatuses(tx, { id: channel.id, kind }, [
        {
          kind: 'status',
          vendorId,
          status: 'failed',
          occurredAt: tx.now,
          error: { code, message: 'Unknown' },
        },
      ]),
    );
    return { channel, chat };
  };

  it.each([
    ['sms', '21211'],
    ['email', '5.1.1'],
  ] as const)('is not sent to over %s after %s, until the person writes or it is cleared', async (kind, code) => {
    const { chat } = await failWith(kind, code);
    const handles = async () => (await contactOf(tenant, chat.contactId)).handles;
    const [handle] = await handles();
    const updates = async () =>
      (await tenant.post('/v3/events/search', { query: 'eq(type,"contact.updated")' })).body.data.map(
        ({ data }: { data: { handles: { undeliverable: object[] }[] } }) =>
          data.handles[0]?.undeliverable.length,
      );
    await server.settle();
    expect(await updates()).toEqual([1]);
    expect((await contactOf(tenant, chat.contactId)).updatedAt).toBe(handle.updatedAt);
    expect(handle.undeliverable).toMatchObject([{ channelKind: kind, reason: `${code}: Unknown` }]);
    const refused = await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'again' });
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining(code)]);
    const cleared = await tenant.delete(`/v3/contacts/${chat.contactId}/handles/${handle.id}/undeliverable`);
    expect(cleared.body.data.handles[0].undeliverable).toEqual([]);
    await send(tenant, chat, { text: 'again' });
    const again = await failWith(kind, code);
    await write(again.channel, customers[kind], 'I am here');
    expect((await handles())[0].undeliverable).toEqual([]);
    expect(await updates()).toEqual([0, 1, 0, 1]);
    await send(tenant, again.chat, { text: 'Good' });
  });

  it('is still sent to over another kind of channel', async () => {
    const { chat } = await failWith('sms', '21614');
    const whatsapp = await tenant.channel('whatsapp');
    const other = await openChat(server, tenant, whatsapp, customers.whatsapp);
    expect(other.contactId).toBe(chat.contactId);
    await send(tenant, other, { text: 'hello' });
    const updates = async () =>
      (await tenant.post('/v3/events/search', { query: 'eq(type,"contact.updated")' })).body.data.length;
    await server.settle();
    const before = await updates();
    const { updatedAt } = await contactOf(tenant, chat.contactId);
    await write(whatsapp, customers.whatsapp, 'Hello');
    // Nothing has changed: it still cannot be reached by SMS.
    expect(await updates()).toBe(before);
    expect((await contactOf(tenant, chat.contactId)).handles[0].undeliverable).toHaveLength(1);
    expect((await contactOf(tenant, chat.contactId)).updatedAt).toBe(updatedAt);
  });

  it('is not one that failed for another reason', async () => {
    const { chat } = await failWith('sms', '30008');
    await send(tenant, chat, { text: 'again' });
  });
});
