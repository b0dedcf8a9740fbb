import { beforeEach, describe, expect, it } from 'vitest';
import { keysFrom } from '../../src/base/crypto.ts';
import { form, pathOfUrl, storedNames } from '../kit/files.ts';
import { useReceiver } from '../kit/receiver.ts';
import { SECRET_KEY, type TestTenant, useServer } from '../kit/server.ts';
import { ACCOUNT, TOKEN, useTwilio } from '../kit/twilio.ts';

const server = await useServer();
const HOUR = 3600_000;
const DAY = 24 * HOUR;

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

/** Uploads a file with these form fields. */
const uploadWith = (fields: Record<string, string>, content = 'secret\n', by = tenant) =>
  by.call(
    'POST',
    '/v3/files',
    form(...Object.entries(fields).map(([name, value]) => ({ name, content: value })), {
      content,
      filename: 'offer.txt',
    }),
  );
const uploadPrivate = async () => (await uploadWith({ isPrivate: 'true' })).body.data;
const fetchUrl = (url: string, headers: Record<string, string> = {}) =>
  server.call('GET', pathOfUrl(url), { headers, token: null });
const maxAge = (headers: Record<string, string>): number =>
  Number(/max-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1]);

/** Somebody writes on a sandbox channel; returns the chat and the message. */
async function write(from: string, more: object = { text: 'hello' }, kind = 'whatsapp') {
  const channel = await tenant.channel(kind);
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, ...more });
  await server.settle();
  const query = `eq(channelId,"${channel.id}")`;
  const [message] = (await tenant.post('/v3/messages/search', { query })).body.data;
  return message;
}
const send = async (chatId: string, fileId: string) => {
  const { status, body } = await tenant.post(`/v3/chats/${chatId}/messages`, { media: [{ fileId }] });
  expect(status).toBe(200);
  await server.settle();
  return body.data;
};

describe('a private file', () => {
  it('has a signed URL that ends, and no permanent one', async () => {
    const file = await uploadPrivate();
    expect(file).toMatchObject({ isPrivate: true, filename: 'offer.txt' });
    expect(file.url).toMatch(
      /^https:\/\/parley\.test\/public\/signed-files\/[\w-]{36}\/\d+\/[\w-]{43}\/offer\.txt$/,
    );
    const answer = await fetchUrl(file.url);
    expect([answer.status, answer.text]).toEqual([200, 'secret\n']);
    expect(answer.headers['cache-control']).toMatch(/^private, max-age=\d+, immutable$/);
    expect((await fetchUrl(file.url, { range: 'bytes=0-2' })).text).toBe('sec');

    const refused = await tenant.get(`/v3/files/${file.id}/public_url`);
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('the file is private, so it has no permanent URL');
    const { rows } = await server.system.db.query('select public_token from files where id = $1', [file.id]);
    const guessed = await server.call('GET', `/public/files/${rows[0]?.public_token}/offer.txt`);
    expect(guessed.status).toBe(404);

    const search = { query: 'eq(isPrivate,true)' };
    expect((await tenant.post('/v3/files/search', search)).body.data).toEqual([file]);
    expect((await tenant.get(`/v3/files/${file.id}`)).body.data).toEqual(file);
  });

  it('is refused after the time with a sentence, and no cache keeps it longer', async () => {
    const file = await uploadPrivate();
    server.clock.advance(7 * DAY);
    const late = await fetchUrl(file.url);
    expect(late.status).toBe(200);
    expect(maxAge(late.headers)).toBeLessThanOrEqual((7 * DAY) / 24 / 1000);
    server.clock.advance(maxAge(late.headers) * 1000 + 1000);
    const ended = await fetchUrl(file.url);
    expect([ended.status, ended.body.success, ended.body.error.messageKey]).toEqual([
      403,
      false,
      'file_url_expired',
    ]);
    expect(ended.body.error.message).toBe(
      `File URL expired: read the message or the file again for a new URL, or download it with a token from /v3/files/${file.id}/content`,
    );
    expect(ended.headers['cache-control'] ?? '').not.toContain('max-age');
    expect((await tenant.get(`/v3/files/${file.id}/content`)).text).toBe('secret\n');
    const again = (await tenant.get(`/v3/files/${file.id}`)).body.data.url;
    expect((await fetchUrl(again)).status).toBe(200);
  });

  it('has URLs of the length that the operator sets', async () => {
    const short = await useServer({ fileUrlMs: HOUR });
    const file = (await uploadWith({ isPrivate: 'true' }, 'x', await short.tenant())).body.data;
    const get = () => short.call('GET', pathOfUrl(file.url));
    short.clock.advance(HOUR);
    expect((await get()).status).toBe(200);
    short.clock.advance(HOUR / 12);
    expect((await get()).status).toBe(403);
  });

  it('keeps its URL for hours, so that browsers find it in their cache', async () => {
    const file = await uploadPrivate();
    const urls = new Set<string>();
    for (let hour = 0; hour < 7; hour += 1) {
      urls.add((await tenant.get(`/v3/files/${file.id}`)).body.data.url);
      server.clock.advance(HOUR);
    }
    expect(urls.size).toBeLessThanOrEqual(2);
  });

  it.each([
    ['another signature', 3, 'A'.repeat(43)],
    ['a shorter signature', 3, 'A'],
    ['an endless signature', 3, 'A'.repeat(5000)],
    ['a later end', 2, '1995323600'],
    ['an end that is no number', 2, 'NaN'],
    ['another file', 1, '019a82a0-0000-7000-8000-000000000070'],
    ['an id that is none', 1, 'x'],
  ])('is not found by a URL with %s', async (_, position, value) => {
    const { url } = await uploadPrivate();
    const parts = pathOfUrl(url).split('/');
    parts[position + 2] = value;
    const answer = await fetchUrl(parts.join('/'));
    expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'file_not_found']);
  });

  it('is gone with its URL when it is deleted, and belongs to its tenant only', async () => {
    const file = await uploadPrivate();
    const other = await server.tenant();
    expect((await other.get(`/v3/files/${file.id}/content`)).status).toBe(404);
    const reader = await tenant.tokenWith(['contacts:read']);
    expect((await tenant.get(`/v3/files/${file.id}/content`, { token: reader })).status).toBe(403);
    await tenant.delete(`/v3/files/${file.id}`);
    expect((await fetchUrl(file.url)).status).toBe(404);
  });

  it('keeps its URLs while the secret key is changed, as long as the earlier key is named', async () => {
    const { url } = await uploadPrivate();
    const withKeys = (keys: ReturnType<typeof keysFrom>) =>
      useServer({ databaseUrl: server.databaseUrl, role: 'api', keys });
    const next = 'another-secret-key-0123456789abcdef';
    const rotating = await withKeys(keysFrom(next, [SECRET_KEY]));
    expect((await rotating.call('GET', pathOfUrl(url))).status).toBe(200);
    const rotated = await withKeys(keysFrom(next));
    expect((await rotated.call('GET', pathOfUrl(url))).status).toBe(404);
  });
});

describe('the field isPrivate', () => {
  it.each(['yes', '1', 'TRUE', '', 'x'.repeat(5000)])('cannot be %j', async (value) => {
    await server.settle();
    const before = await storedNames(server);
    const answer = await uploadWith({ isPrivate: value });
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams).toEqual({
      isPrivate: { key: 'invalid_type', message: 'Must be true or false' },
    });
    await server.settle();
    expect(await storedNames(server)).toEqual(before);
  });

  it('may come after the file, and false is the default', async () => {
    const after = form({ content: 'x', filename: 'x.txt' }, { name: 'isPrivate', content: 'true' });
    expect((await tenant.call('POST', '/v3/files', after)).body.data.isPrivate).toBe(true);
    const file = (await uploadWith({ isPrivate: 'false' })).body.data;
    expect(file.isPrivate).toBe(false);
    const { publicUrl } = (await tenant.get(`/v3/files/${file.id}/public_url`)).body.data;
    expect(publicUrl).toBe(file.url);
    expect((await fetchUrl(publicUrl)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('is a part of the request that an idempotency key stands for', async () => {
    const call = (isPrivate: string) => {
      const { raw, headers } = form(
        { name: 'isPrivate', content: isPrivate },
        { content: 'x', filename: 'x.txt' },
      );
      const options = { raw, headers: { ...headers, 'idempotency-key': 'k' } };
      return tenant.call('POST', '/v3/files', options);
    };
    const first = await call('true');
    expect((await call('true')).body.data.id).toBe(first.body.data.id);
    expect((await call('false')).status).toBe(422);
  });
});

describe('the file of a message', () => {
  it('from a customer has a signed URL in answers, chats, files and webhooks', async () => {
    const hook = await useReceiver();
    const channel = await tenant.channel('whatsapp');
    await tenant.post('/v3/api_webhooks', { url: hook.url, events: [{ type: 'message.updated' }] });
    const { fileId } = await sandboxFile();
    const body = { from: '+15550001111', type: 'document', media: [{ fileId }] };
    const sent = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, body);
    expect(sent.status).toBe(200);
    await server.settle();
    const [message] = (await tenant.post('/v3/messages/search', {})).body.data;
    const chat = (await tenant.get(`/v3/chats/${message.chatId}`)).body.data;
    const [media] = message.media;
    expect(media.url).toContain(`/public/signed-files/${media.fileId}/`);
    expect((await fetchUrl(media.url)).text).toBe('from the customer');
    const shown = [
      (await tenant.get(`/v3/messages/${message.id}`)).body.data.media[0].url,
      chat.latestMessage.media[0].url,
      (await tenant.get(`/v3/files/${media.fileId}`)).body.data.url,
    ];
    expect(shown).toEqual([media.url, media.url, media.url]);
    expect(hook.received.map(({ body }) => (body as { data: { media: unknown } }).data.media)).toEqual([
      [media],
    ]);
    expect(
      (await server.system.db.query('select media from messages where id = $1', [message.id])).rows,
    ).toEqual([{ media: [{ ...media, url: null }] }]);

    // Any file that is not private has a permanent URL if somebody asks for it.
    const { publicUrl } = (await tenant.get(`/v3/files/${media.fileId}/public_url`)).body.data;
    server.clock.advance(30 * DAY);
    expect((await fetchUrl(media.url)).status).toBe(403);
    expect((await fetchUrl(publicUrl)).text).toBe('from the customer');
  });

  /** An uploaded file, which a customer sends in the sandbox. */
  async function sandboxFile(): Promise<{ fileId: string }> {
    const { id } = (await uploadWith({}, 'from the customer')).body.data;
    return { fileId: id };
  }

  it('that was received before URLs were signed has a signed one', async () => {
    const { fileId } = await sandboxFile();
    const message = await write('+15550001111', { type: 'document', media: [{ fileId }] });
    await server.system.db.query(
      `update messages set media = jsonb_set(media, '{0,url}', '"https://parley.test/public/files/a/b"') where id = $1`,
      [message.id],
    );
    const { media } = (await tenant.get(`/v3/messages/${message.id}`)).body.data;
    expect(media[0].url).toContain('/public/signed-files/');
  });

  it('that is private, or was received, is shown with a signed URL when it is sent', async () => {
    const received = await write('+15550001111', { type: 'document', media: [await sandboxFile()] });
    const mine = await uploadPrivate();
    for (const fileId of [mine.id, received.media[0].fileId]) {
      const message = await send(received.chatId, fileId);
      expect(message.media[0].url).toContain(`/public/signed-files/${fileId}/`);
      expect((await fetchUrl(message.media[0].url)).status).toBe(200);
    }
    const open = (await uploadWith({})).body.data;
    expect((await send(received.chatId, open.id)).media[0].url).toBe(open.url);
  });

  it('that is private can be fetched by a vendor that takes URLs', async () => {
    const twilio = await useTwilio();
    const answer = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'twilio',
      name: 'Texts',
      address: '+15550009999',
      config: { accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999', baseUrl: twilio.url },
    });
    expect(answer.status).toBe(200);
    const contact = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data;
    const chat = await tenant.post('/v3/chats', { contactId: contact.id, channelId: answer.body.data.id });
    expect(chat.status).toBe(200);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
      'base64',
    );
    const picture = form({ name: 'isPrivate', content: 'true' }, { content: png, filename: 'a.png' });
    const { id } = (await tenant.call('POST', '/v3/files', picture)).body.data;
    // Long after it was uploaded.
    server.clock.advance(20 * DAY);
    await send(chat.body.data.id, id);
    const url = twilio.taken[0]?.form.get('MediaUrl') ?? '';
    expect((await fetchUrl(url)).bytes).toEqual(png);
  });
});

describe('erasing a contact', () => {
  it('also erases files that were sent to this person alone, and those received', async () => {
    const before = await storedNames(server);
    const received = (await uploadWith({}, 'sent as a customer')).body.data;
    const ada = await write('+15550001111', { type: 'document', media: [{ fileId: received.id }] });
    const bob = await write('+15550002222', { text: 'hi' });
    const [single, both, campaign, automation, unsent] = (await Promise.all(
      ['single', 'both', 'campaign', 'automation', 'unsent'].map(
        async (text) => (await uploadWith({}, text)).body.data.id as string,
      ),
    )) as [string, string, string, string, string];
    for (const fileId of [single, both, campaign, automation]) await send(ada.chatId, fileId);
    await send(ada.chatId, single);
    await send(bob.chatId, both);
    await server.system.db.query(
      `with a as (
         insert into automations (id, tenant_id, name, status, latest_version_id, latest_trigger_type, created_at, updated_at)
         values ($2, $1, 'a', 'draft', $2, 'api', now(), now()) returning id)
       insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
       select $2, $1, $2, 1, jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('fileId', $3::text))), now() from a`,
      [tenant.id, crypto.randomUUID(), automation],
    );
    await server.system.db.query(
      `insert into campaigns (id, tenant_id, channel_id, automation_id, name, status, is_reoccurring, shard, created_at, updated_at, template_header)
       select $2, $1, $3, a.id, 'c', 'draft', false, 0, now(), now(), jsonb_build_object('fileId', $4::text) from automations a
        where a.tenant_id = $1`,
      [tenant.id, crypto.randomUUID(), bob.channelId, campaign],
    );
    const answer = await tenant.delete(`/v3/contacts/${ada.contactId}`);
    expect(answer.status).toBe(200);
    await server.settle();
    const left = (await tenant.post('/v3/files/search', {})).body.data.map(({ id }: { id: string }) => id);
    expect(left.sort()).toEqual([received.id, both, campaign, automation, unsent].sort());
    const names = (await storedNames(server)).filter((name) => !before.includes(name));
    expect(names.sort()).toEqual(left);
    expect((await tenant.get(`/v3/files/${ada.media[0].fileId}`)).status).toBe(404);

    await tenant.delete(`/v3/contacts/${bob.contactId}`);
    expect((await tenant.get(`/v3/files/${both}`)).status).toBe(404);
  });
});
