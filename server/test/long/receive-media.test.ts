import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { realShardOf } from '../../src/engine/queue.ts';
import type { FileStore } from '../../src/files/store.ts';
import type { InboundMedia } from '../../src/providers/inbound-event.ts';
import { listener } from '../kit/events.ts';
import { pathOfUrl, storedNames } from '../kit/files.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { type PigeonChannel, pigeonChannel, postEvents, withPigeon, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

/** The vendor's server, from which files are fetched. */
let asked: string[] = [];
let answer: (path: string, response: ServerResponse) => void = () => {};
const give = (response: ServerResponse, body = PNG): void =>
  void response.writeHead(200, { 'content-type': 'image/png' }).end(body);
const vendor = await useHttpServer((request, response) => {
  asked.push(request.url ?? '');
  answer(request.url ?? '', response);
});

let tenant: TestTenant;
let channel: PigeonChannel;
let newEvents: ReturnType<typeof listener>;
let before: string[];
beforeEach(async () => {
  before = await storedNames(server);
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
  newEvents = listener(server, tenant);
  asked = [];
  answer = (_path, response) => give(response);
});

const bytes = (
  text: string,
  filename: string | null = 'note.txt',
  mimeType = 'text/plain',
): InboundMedia => ({
  bytes: Buffer.from(text),
  mimeType,
  filename,
  size: text.length,
});
const ref = (path: string): InboundMedia => ({
  ref: { url: `${vendor.url}/${path}` },
  mimeType: 'image/png',
  filename: null,
  size: 70,
});
const message = async () => (await tenant.post('/v3/messages/search', {})).body.data[0];
const files = async () => (await tenant.post('/v3/files/search', {})).body.data;
const fetches = async () =>
  (await db.query('select attempts, due_at, error from media_fetches where tenant_id = $1', [tenant.id]))
    .rows;
/** The new files in the folder since the test began. */
const left = async (): Promise<string[]> =>
  (await storedNames(server)).filter((name) => !before.includes(name));
const typesOf = (events: { type: string }[]): string[] => events.map(({ type }) => type);

describe('files that come with a message', () => {
  it('are stored with it, appear in its event, and can be fetched by their URL', async () => {
    await postEvents(
      server,
      channel,
      written('m', at(1), {
        type: 'document',
        media: [
          bytes('hello\n', '../../evil<\u202e>.txt'),
          bytes(PNG.toString('latin1'), null, 'image/png'),
          bytes(''),
        ],
      }),
    );
    await server.settle();
    const { media } = await message();
    expect(media).toMatchObject([
      { filename: 'evil<>.txt', mimeType: 'text/plain', size: 6 },
      { filename: 'image.png' },
      { fileId: null, url: null, size: 0, filename: 'note.txt' },
    ]);
    expect(media[0].url).toMatch(
      /^https:\/\/parley\.test\/public\/signed-files\/[\w-]{36}\/\d+\/[\w-]{43}\/evil/,
    );
    expect((await server.call('GET', pathOfUrl(media[0].url))).text).toBe('hello\n');
    expect((await tenant.get(`/v3/files/${media[0].fileId}/content`)).text).toBe('hello\n');
    const { publicUrl } = (await tenant.get(`/v3/files/${media[0].fileId}/public_url`)).body.data;
    expect((await server.call('GET', pathOfUrl(publicUrl))).text).toBe('hello\n');
    const events = await newEvents();
    expect(typesOf(events)).toEqual(['contact.created', 'chat.created', 'message.received']);
    expect(events.at(-1)?.data.media).toEqual(media);
  });

  it('have a URL in webhooks of version 2 that can be fetched', async () => {
    const receiver = await useReceiver();
    const made = await tenant.post('/v2/api_webhooks', {
      tenantId: tenant.id,
      type: 'WHATSAPP_MESSAGE_RECEIVED',
      url: receiver.url,
    });
    expect(made.status).toBe(200);
    await postEvents(server, channel, written('m', at(1), { media: [bytes('hello\n')] }));
    await server.settle();
    const [url = ''] = /https:[^"]*signed-files[^"]*/.exec(JSON.stringify(receiver.received[0]?.body)) ?? [];
    expect((await server.call('GET', pathOfUrl(url))).text).toBe('hello\n');
  });

  it('are removed if their message is not stored, and only those', async () => {
    const bad = written('bad', at(1), { text: 'a\0b', media: [bytes('hello\n')] });
    await postEvents(server, channel, written('good', at(0), { media: [bytes('hi\n')] }), bad);
    await server.settle();
    expect(await files()).toMatchObject([{ size: 3 }]);
    expect(await left()).toHaveLength(1);
  });

  it('are deleted with their chat, contact or channel', async () => {
    const write = async (): Promise<{ chatId: string; contactId: string; fileId: string }> => {
      const id = `m ${Math.random()}`;
      await postEvents(server, channel, written(id, at(1), { media: [bytes('hello\n'), ref('slow')] }));
      await server.settle();
      const { chatId, contactId, media } = await message();
      return { chatId, contactId, fileId: media[0].fileId };
    };
    const gone = async (path: string): Promise<void> => {
      expect((await tenant.delete(path)).body.data.deletedIds).toHaveLength(1);
      await server.settle();
      expect(await files()).toEqual([]);
      expect(await left()).toEqual([]);
      expect(await fetches()).toEqual([]);
    };
    await gone(`/v3/chats/${(await write()).chatId}`);
    await gone(`/v3/contacts/${(await write()).contactId}`);
    await write();
    await gone(`/v3/channels/${channel.id}`);
  });
});

describe('a file that is fetched from the vendor', () => {
  const receiveMedia = async (...paths: string[]): Promise<void> => {
    await postEvents(
      server,
      channel,
      written('m', at(1), { type: 'image', text: null, media: paths.map(ref) }),
    );
  };

  it('is fetched after the message is stored, with an event of its own', async () => {
    const underWay = new Promise<ServerResponse>((resolve) => {
      answer = (_path, response) => resolve(response);
    });
    await receiveMedia('a');
    const settled = server.settle();
    const response = await underWay;
    expect((await message()).media).toEqual([
      { fileId: null, url: null, mimeType: 'image/png', filename: null, size: 70 },
    ]);
    give(response);
    await settled;
    const shown = await message();
    expect(shown.media).toMatchObject([{ mimeType: 'image/png', filename: 'image.png', size: PNG.length }]);
    expect((await server.call('GET', pathOfUrl(shown.media[0].url))).bytes).toEqual(PNG);
    const events = await newEvents();
    expect(typesOf(events)).toEqual([
      'contact.created',
      'chat.created',
      'message.received',
      'message.updated',
    ]);
    expect(events.at(-1)?.data).toEqual(shown);
    expect([await fetches(), asked]).toEqual([[], ['/a']]);
  });

  it('is shown in its place among several', async () => {
    answer = (path, response) => give(response, Buffer.from(`this is ${path}\n`));
    await receiveMedia('a', 'b', 'c');
    await server.settle();
    const { media } = await message();
    for (const [at, name] of ['a', 'b', 'c'].entries())
      expect((await server.call('GET', pathOfUrl(media[at].url))).text).toBe(`this is /${name}\n`);
  });

  it('is fetched again after temporary errors, with growing delays', async () => {
    let failures = 3;
    answer = (_path, response) => (failures-- > 0 ? void response.writeHead(503).end() : give(response));
    await receiveMedia('a');
    await server.settle();
    for (const [attempts, delayMs] of [5_000, 30_000, 120_000].entries()) {
      expect(await fetches()).toMatchObject([{ attempts: attempts + 1, error: 'The pigeon lost it.' }]);
      server.clock.advance(delayMs - 1);
      await server.settle();
      expect(asked).toHaveLength(attempts + 1);
      server.clock.advance(1);
      await server.settle();
    }
    expect((await message()).media[0].fileId).not.toBeNull();
    expect(await fetches()).toEqual([]);
  });

  it('comes later if the disk was full: that counts no attempt', async () => {
    const store = await new Promise<FileStore>((resolve) => {
      server.system.inBackground(async (deps) => resolve(deps.store));
    });
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    const writing = vi.spyOn(store, 'write').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    onTestFinished(() => writing.mockRestore());
    await receiveMedia('a');
    // By the clock no time passes: an attempt that counts would be repeated seconds later.
    await server.settle();
    expect(writing).toHaveBeenCalledTimes(3);
    expect((await message()).media[0].fileId).not.toBeNull();
    expect(await fetches()).toEqual([]);
  });

  it.each([
    [
      'does not exist',
      (response: ServerResponse) => void response.writeHead(404).end(),
      'The pigeon lost it.',
    ],
    [
      'is empty',
      (response: ServerResponse) => give(response, Buffer.alloc(0)),
      'The vendor returned an empty file.',
    ],
  ])('that %s is not fetched again: the message says why, with one event', async (_, reply, error) => {
    answer = (_path, response) => reply(response);
    await receiveMedia('a');
    await server.settle();
    server.clock.advance(24 * 3600_000);
    await server.settle();
    expect(asked).toHaveLength(1);
    expect(await fetches()).toEqual([{ attempts: 1, due_at: null, error }]);
    expect((await message()).media).toMatchObject([
      { fileId: null, mimeType: 'image/png', error: { code: expect.any(String), message: error } },
    ]);
    expect(typesOf(await newEvents()).filter((type) => type === 'message.updated')).toHaveLength(1);
    expect(server.logged.some((line) => line.includes('will not be tried again'))).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('is given up after the last attempt', async () => {
    answer = (_path, response) => void response.destroy();
    await receiveMedia('a');
    for (let tries = 0; tries < 10; tries += 1) {
      await server.settle();
      server.clock.advance(24 * 3600_000);
    }
    expect(await fetches()).toMatchObject([{ attempts: 8, due_at: null }]);
    expect(asked).toHaveLength(8);
  });

  it.each([
    ['its chat is deleted', async () => tenant.delete(`/v3/chats/${(await message()).chatId}`)],
    ['its contact is erased', async () => tenant.delete(`/v3/contacts/${(await message()).contactId}`)],
    [
      'it is taken back',
      () =>
        postEvents(server, channel, { kind: 'mutation', change: 'delete', vendorId: 'm', occurredAt: at(2) }),
    ],
  ])('is removed when %s while it is fetched', async (_, happen) => {
    const underWay = new Promise<ServerResponse>((resolve) => {
      answer = (_path, response) => resolve(response);
    });
    await receiveMedia('a');
    const settled = server.settle();
    const response = await underWay;
    await happen();
    // A request that arrives meanwhile is processed by the same worker, beside the running fetch.
    server.system.worker?.wake('inbound', realShardOf(channel.id), channel.id);
    for (;;) {
      const { rows } = await db.query(
        `select 1 from messages where tenant_id = $1 and deleted_at is null union all
         select 1 from inbound where tenant_id = $1`,
        [tenant.id],
      );
      if (rows.length === 0) break;
    }
    give(response);
    await settled;
    await server.settle();
    expect(await files()).toEqual([]);
    expect(await left()).toEqual([]);
    expect(await fetches()).toEqual([]);
    expect(typesOf(await newEvents())).not.toContain('message.updated');
  });

  it('is not fetched from a forbidden address', async () => {
    const media = { ...ref('x'), ref: { url: 'http://169.254.169.254/latest' } };
    await postEvents(server, channel, written('m', at(1), { media: [media] }));
    await server.settle();
    expect(await fetches()).toMatchObject([
      { attempts: 1, error: expect.stringContaining('169.254.169.254') },
    ]);
  });
});
