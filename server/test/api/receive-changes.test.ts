import { beforeEach, describe, expect, it } from 'vitest';
import type {
  InboundIdentity,
  InboundMutation,
  InboundTemplateStatus,
} from '../../src/providers/inbound-event.ts';
import { listener } from '../kit/events.ts';
import { storedNames } from '../kit/files.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import {
  ADA,
  echoed,
  type PigeonChannel,
  pigeonChannel,
  postEvents,
  withPigeon,
  written,
} from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);

let tenant: TestTenant;
let channel: PigeonChannel;
let newEvents: ReturnType<typeof listener>;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
  newEvents = listener(server, tenant);
});

const receive = async (
  ...events: Parameters<typeof postEvents> extends [unknown, unknown, ...infer E] ? E : never
) => {
  await postEvents(server, channel, ...events);
  await server.settle();
};
// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
const messages = async (): Promise<any[]> =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)' })).body.data;
const waiting = async (): Promise<number> =>
  (await db.query('select 1 from inbound where tenant_id = $1', [tenant.id])).rows.length;
const typesOf = (events: { type: string }[]): string[] => events.map(({ type }) => type);

const edit = (vendorId: string, text: string | null, occurredAt: Date): InboundMutation => ({
  kind: 'mutation',
  change: 'edit',
  vendorId,
  text,
  occurredAt,
});
const takeBack = (vendorId: string, occurredAt: Date): InboundMutation => ({
  kind: 'mutation',
  change: 'delete',
  vendorId,
  occurredAt,
});

describe('an edited message', () => {
  it('has the new text and the time of the edit, with one event', async () => {
    await receive(written('m', at(1), { text: 'teh' }));
    await newEvents();
    await receive(edit('m', 'the', at(2)), edit('m', 'the', at(2)));
    await receive(edit('m', 'the', at(2)));
    const [message] = await messages();
    expect(message).toMatchObject({ text: 'the', editedAt: at(2).toISOString(), deletedAt: null });
    expect(await newEvents()).toMatchObject([{ type: 'message.updated', data: message }]);
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chat).toMatchObject({ unreadCount: 1, latestMessage: { text: 'the' } });
  });

  it('is not changed back by an older edit that arrives late', async () => {
    await receive(written('m', at(1)), edit('m', 'third', at(3)));
    await receive(edit('m', 'second', at(2)));
    expect(await messages()).toMatchObject([{ text: 'third', editedAt: at(3).toISOString() }]);
  });

  it('is edited even if the edit arrives up to a minute before the message', async () => {
    await receive(edit('m', 'the', at(2)), takeBack('gone', at(2)), written('other', at(1)));
    expect(await waiting()).toBe(1);
    server.clock.advance(1000);
    await receive(written('m', at(-1), { text: 'teh' }), written('gone', at(-1), { text: 'oops' }));
    server.clock.advance(1000);
    await server.settle();
    expect(await waiting()).toBe(0);
    const shown = (await messages()).map(({ vendorId, text }) => [vendorId, text]);
    expect(Object.fromEntries(shown)).toEqual({ m: 'the', gone: null, other: 'other' });
  });

  it('drops the edit if the message has not arrived after a minute', async () => {
    await receive(edit('never', 'x', at(1)));
    server.clock.advance(59_999);
    await server.settle();
    expect(await waiting()).toBe(1);
    server.clock.advance(1000);
    await server.settle();
    expect(await waiting()).toBe(0);
    expect(await newEvents()).toEqual([]);
  });

  it('stays deleted if its chat is deleted', async () => {
    await receive(written('m', at(1)));
    await tenant.delete(`/v3/chats/${(await messages())[0].chatId}`);
    await receive(edit('m', 'x', at(2)));
    expect([await waiting(), await messages()]).toEqual([0, []]);
  });
});

describe('a message deleted by its author', () => {
  it('stays in the chat without its content and files', async () => {
    const file = { bytes: Buffer.from('secret\n'), mimeType: 'text/plain', filename: 'a.txt', size: 7 };
    const fetched = { ref: { url: 'http://127.0.0.1:9/' }, mimeType: null, filename: null, size: null };
    await receive(
      written('m', at(1), { type: 'document', content: { x: 1 }, media: [file, fetched] }),
      written('later', at(2)),
    );
    expect(await storedNames(server)).toHaveLength(1);
    await newEvents();
    await receive(takeBack('m', at(3)));
    await receive(takeBack('m', at(4)), edit('m', 'again', at(5)));
    const [message] = await messages();
    expect(message).toMatchObject({
      type: 'document',
      text: null,
      media: [],
      content: {},
      deletedAt: at(3).toISOString(),
      editedAt: null,
    });
    expect(await newEvents()).toMatchObject([{ type: 'message.deleted', data: message }]);
    expect((await tenant.post('/v3/files/search', {})).body.data).toEqual([]);
    expect(await storedNames(server)).toEqual([]);
    expect((await db.query('select 1 from media_fetches where tenant_id = $1', [tenant.id])).rows).toEqual(
      [],
    );
  });

  it('may be ours, deleted in another program', async () => {
    await receive(echoed('e', at(1)), takeBack('e', at(2)));
    expect(await messages()).toMatchObject([{ sender: 'outbound', text: null }]);
    expect(typesOf(await newEvents())).toEqual([
      'contact.created',
      'chat.created',
      'message.echo',
      'message.deleted',
    ]);
  });
});

describe('a contact with a new handle', () => {
  const NEW = { ...ADA, value: '+15550004444' };
  const moved = (from = ADA, to = NEW): InboundIdentity => ({
    kind: 'identity',
    vendorId: 'system',
    from: { type: from.type, value: from.value },
    to: { type: to.type, value: to.value.replace('+', '') },
    occurredAt: at(2),
  });

  it('keeps contact and chat, before the change by the old handle and after it by the new one', async () => {
    await receive(
      written('before', at(1)),
      moved(),
      written('after', at(3), { contact: NEW }),
      moved(),
      edit('before', 'Before', at(4)),
    );
    await receive(written('later', at(5), { contact: NEW }));
    const chats = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chats).toMatchObject([
      { unreadCount: 3, handle: { value: NEW.value, isPrimary: true }, contact: { phoneNumber: NEW.value } },
    ]);
    expect(typesOf(await newEvents())).toEqual([
      'contact.created',
      'chat.created',
      'message.received',
      'contact.updated',
      'message.received',
      'message.updated',
      'message.received',
    ]);
    const search = async (text: string) =>
      (await tenant.post('/v3/contacts/search', { search: text })).body.data;
    expect(await search('0004444')).toHaveLength(1);
    expect(await search('0001111')).toHaveLength(0);
    // The old number can belong to a new contact.
    await receive(written('new owner', at(6), { contact: { ...ADA, name: 'Grace' } }));
    expect((await tenant.post('/v3/contacts/search', {})).body.data).toHaveLength(2);
  });

  it('is not changed if another contact has the new handle, or no contact had the old one', async () => {
    const grace = (await tenant.post('/v3/contacts', { phoneNumber: NEW.value })).body.data;
    await receive(written('m', at(1)));
    await newEvents();
    await receive(moved(), moved({ ...ADA, value: '+15550005555' }, { ...ADA, value: '+15550006666' }));
    expect(await newEvents()).toEqual([]);
    expect((await tenant.get(`/v3/contacts/${grace.id}`)).body.data.handles).toEqual(grace.handles);
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chat.handle.value).toBe(ADA.value);
  });
});

describe('a vendor’s decision on a template', () => {
  const decided = (more: Partial<InboundTemplateStatus> = {}): InboundTemplateStatus => ({
    kind: 'template_status',
    vendorId: 'v1',
    name: 'hello',
    language: 'en',
    status: 'rejected',
    reason: 'Too loud',
    occurredAt: at(1),
    ...more,
  });
  const make = async (language: string) =>
    (
      await tenant.post('/v3/message_templates', {
        channelId: channel.id,
        name: 'hello',
        language,
        body: 'Hello',
      })
    ).body.data;
  const shown = async (id: string) => (await tenant.get(`/v3/message_templates/${id}`)).body.data;

  it('is matched by name and language first and by the vendor’s id from then on, with one event', async () => {
    const [mine, other] = [await make('en'), await make('de')];
    await newEvents();
    await receive(decided(), decided());
    await receive(decided());
    const rejected = await shown(mine.id);
    expect(rejected).toMatchObject({ status: 'rejected', rejectionReason: 'Too loud', vendorId: 'v1' });
    expect(await shown(other.id)).toEqual(other);
    expect(await newEvents()).toMatchObject([{ type: 'template.status_changed', data: rejected }]);
    await receive(decided({ name: 'renamed', language: 'fr', status: 'approved', reason: null }));
    expect(await shown(mine.id)).toMatchObject({ status: 'approved', rejectionReason: null });
    // A decision on the deleted template does not apply to the one that was created again.
    await receive(decided({ vendorId: 'v0', status: 'disabled' }));
    expect(await shown(mine.id)).toMatchObject({ status: 'approved' });
    expect(typesOf(await newEvents())).toEqual(['template.status_changed']);
  });

  it('applies to its channel only', async () => {
    const mine = await make('en');
    await postEvents(server, await pigeonChannel(tenant), decided());
    await server.settle();
    expect(await shown(mine.id)).toEqual(mine);
  });
});
