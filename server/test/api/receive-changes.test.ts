import { beforeEach, describe, expect, it } from 'vitest';
import type { InboundIdentity, InboundMutation, InboundTemplateStatus } from '../../src/providers/adapter.ts';
import { listener } from '../kit/events.ts';
import { storedNames } from '../kit/files.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { ADA, echoed, type PigeonChannel, pigeonChannel, tell, withPigeon, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);

let tenant: TestTenant;
let channel: PigeonChannel;
let told: ReturnType<typeof listener>;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
  told = listener(server, tenant);
});

const tellAll = async (
  ...events: Parameters<typeof tell> extends [unknown, unknown, ...infer E] ? E : never
) => {
  await tell(server, channel, ...events);
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

describe('a message that its writer changes', () => {
  it('says what it says now, and since when, and that is told once', async () => {
    await tellAll(written('m', at(1), { text: 'teh' }));
    await told();
    await tellAll(edit('m', 'the', at(2)), edit('m', 'the', at(2)));
    await tellAll(edit('m', 'the', at(2)));
    const [message] = await messages();
    expect(message).toMatchObject({ text: 'the', editedAt: at(2).toISOString(), deletedAt: null });
    expect(await told()).toMatchObject([{ type: 'message.updated', data: message }]);
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chat).toMatchObject({ unreadCount: 1, latestMessage: { text: 'the' } });
  });

  it('is not changed back by an older change that comes late', async () => {
    await tellAll(written('m', at(1)), edit('m', 'third', at(3)));
    await tellAll(edit('m', 'second', at(2)));
    expect(await messages()).toMatchObject([{ text: 'third', editedAt: at(3).toISOString() }]);
  });

  it('is changed also when the change is told first, within a minute', async () => {
    await tellAll(edit('m', 'the', at(2)), takeBack('gone', at(2)), written('other', at(1)));
    expect(await waiting()).toBe(1);
    server.clock.advance(1000);
    await tellAll(written('m', at(-1), { text: 'teh' }), written('gone', at(-1), { text: 'oops' }));
    server.clock.advance(1000);
    await server.settle();
    expect(await waiting()).toBe(0);
    const shown = (await messages()).map(({ vendorId, text }) => [vendorId, text]);
    expect(Object.fromEntries(shown)).toEqual({ m: 'the', gone: null, other: 'other' });
  });

  it('that nobody has heard of after a minute is given up, without fault', async () => {
    await tellAll(edit('never', 'x', at(1)));
    server.clock.advance(59_999);
    await server.settle();
    expect(await waiting()).toBe(1);
    server.clock.advance(1000);
    await server.settle();
    expect(await waiting()).toBe(0);
    expect(await told()).toEqual([]);
  });

  it('and whose chat is gone stays gone', async () => {
    await tellAll(written('m', at(1)));
    await tenant.delete(`/v3/chats/${(await messages())[0].chatId}`);
    await tellAll(edit('m', 'x', at(2)));
    expect([await waiting(), await messages()]).toEqual([0, []]);
  });
});

describe('a message that its writer takes back', () => {
  it('keeps its place and nothing that it said, nor its files', async () => {
    const file = { bytes: Buffer.from('secret\n'), mimeType: 'text/plain', filename: 'a.txt', size: 7 };
    const fetched = { ref: { url: 'http://127.0.0.1:9/' }, mimeType: null, filename: null, size: null };
    await tellAll(
      written('m', at(1), { type: 'document', content: { x: 1 }, media: [file, fetched] }),
      written('later', at(2)),
    );
    expect(await storedNames(server)).toHaveLength(1);
    await told();
    await tellAll(takeBack('m', at(3)));
    await tellAll(takeBack('m', at(4)), edit('m', 'again', at(5)));
    const [message] = await messages();
    expect(message).toMatchObject({
      type: 'document',
      text: null,
      media: [],
      content: {},
      deletedAt: at(3).toISOString(),
      editedAt: null,
    });
    expect(await told()).toMatchObject([{ type: 'message.deleted', data: message }]);
    expect((await tenant.post('/v3/files/search', {})).body.data).toEqual([]);
    expect(await storedNames(server)).toEqual([]);
    expect((await db.query('select 1 from media_fetches where tenant_id = $1', [tenant.id])).rows).toEqual(
      [],
    );
  });

  it('may be one of ours, taken back elsewhere', async () => {
    await tellAll(echoed('e', at(1)), takeBack('e', at(2)));
    expect(await messages()).toMatchObject([{ sender: 'outbound', text: null }]);
    expect(typesOf(await told())).toEqual([
      'contact.created',
      'chat.created',
      'message.echo',
      'message.deleted',
    ]);
  });
});

describe('a person who goes by another handle now', () => {
  const NEW = { ...ADA, value: '+15550004444' };
  const moved = (from = ADA, to = NEW): InboundIdentity => ({
    kind: 'identity',
    vendorId: 'system',
    from: { type: from.type, value: from.value },
    to: { type: to.type, value: to.value.replace('+', '') },
    occurredAt: at(2),
  });

  it('keeps contact and chat: what came before under the old one, what comes after under the new one', async () => {
    await tellAll(
      written('before', at(1)),
      moved(),
      written('after', at(3), { contact: NEW }),
      moved(),
      edit('before', 'Before', at(4)),
    );
    await tellAll(written('later', at(5), { contact: NEW }));
    const chats = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chats).toMatchObject([
      { unreadCount: 3, handle: { value: NEW.value, isPrimary: true }, contact: { phoneNumber: NEW.value } },
    ]);
    expect(typesOf(await told())).toEqual([
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
    // The old number is free again for whoever gets it.
    await tellAll(written('stranger', at(6), { contact: { ...ADA, name: 'Grace' } }));
    expect((await tenant.post('/v3/contacts/search', {})).body.data).toHaveLength(2);
  });

  it('stays as they are where somebody has the new one, and where nobody had the old one', async () => {
    const grace = (await tenant.post('/v3/contacts', { phoneNumber: NEW.value })).body.data;
    await tellAll(written('m', at(1)));
    await told();
    await tellAll(moved(), moved({ ...ADA, value: '+15550005555' }, { ...ADA, value: '+15550006666' }));
    expect(await told()).toEqual([]);
    expect((await tenant.get(`/v3/contacts/${grace.id}`)).body.data.handles).toEqual(grace.handles);
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chat.handle.value).toBe(ADA.value);
  });
});

describe('what a vendor decides on a template', () => {
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

  it('is taken in by name and language first and by the vendor’s id from then on, and told once', async () => {
    const [mine, other] = [await make('en'), await make('de')];
    await told();
    await tellAll(decided(), decided());
    await tellAll(decided());
    const rejected = await shown(mine.id);
    expect(rejected).toMatchObject({ status: 'rejected', rejectionReason: 'Too loud', vendorId: 'v1' });
    expect(await shown(other.id)).toEqual(other);
    expect(await told()).toMatchObject([{ type: 'template.status_changed', data: rejected }]);
    await tellAll(decided({ name: 'renamed', language: 'fr', status: 'approved', reason: null }));
    expect(await shown(mine.id)).toMatchObject({ status: 'approved', rejectionReason: null });
    // Made anew at the vendor, the old one's fate is not its.
    await tellAll(decided({ vendorId: 'v0', status: 'disabled' }));
    expect(await shown(mine.id)).toMatchObject({ status: 'approved' });
    expect(typesOf(await told())).toEqual(['template.status_changed']);
  });

  it('is of its channel only', async () => {
    const mine = await make('en');
    await tell(server, await pigeonChannel(tenant), decided());
    await server.settle();
    expect(await shown(mine.id)).toEqual(mine);
  });
});
