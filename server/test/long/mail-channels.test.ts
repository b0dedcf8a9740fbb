import { createHmac } from 'node:crypto';
import { simpleParser } from 'mailparser';
import { beforeEach, describe, expect, it } from 'vitest';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { twilioSignature } from '../../src/providers/twilio/signature.ts';
import { useAdapterContext } from '../kit/adapter-context.ts';
import { type ImapServer, mailWith, useImap } from '../kit/imap.ts';
import { useRelay } from '../kit/relay.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { ACCOUNT, TOKEN } from '../kit/twilio.ts';

const context = useAdapterContext();
const server = await useServer({ context } as object);
const { db } = server.system;

const SECRET = 'a secret of sixteen';
const MIB = 1024 * 1024;
let tenant: TestTenant;
let imap: ImapServer;
beforeEach(async () => {
  tenant = await server.tenant();
  imap = await useImap();
});

/** The beginning of a mail with an attachment of any length. */
const largeMail = (text: string): string =>
  [
    'From: ada@example.com',
    `Message-ID: <${text}@example.com>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=cut',
    '',
    '--cut',
    'Content-Type: text/plain',
    '',
    text,
    '--cut',
    'Content-Type: application/octet-stream; name=a.bin',
    'Content-Transfer-Encoding: base64',
    '',
    '',
  ].join('\r\n');

const mailbox = (more: object = {}) => ({
  host: '127.0.0.1',
  port: imap.port,
  user: 'ada',
  password: 'right',
  ...more,
});
async function makeMailChannel(config: object = {}): Promise<string> {
  const answer = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: { from: 'help@shop.test', smtp: { host: '127.0.0.1', port: 25 }, ...config },
  });
  expect(answer.status).toBe(200);
  return answer.body.data.id;
}
const change = (channelId: string, config: object) => tenant.put(`/v3/channels/${channelId}`, { config });
const rowOf = async (channelId: string) =>
  (
    await db.query('select uid_validity, uid, error, attempts, due_at from mailboxes where id = $1', [
      channelId,
    ])
  ).rows[0] as { due_at: Date } | undefined;
const texts = async (): Promise<string[]> =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body.data.map(
    (one: { text: string }) => one.text,
  );
const later = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};

describe('a mailbox of a channel', () => {
  it('is read every half minute, and its mails become messages, each once', async () => {
    imap.deliver(mailWith('from before'));
    const channelId = await makeMailChannel({ imap: mailbox() });
    await server.settle();
    expect(await rowOf(channelId)).toMatchObject({ uid_validity: 7, uid: 1, error: null });
    imap.deliver(mailWith('one'), mailWith('two'), mailWith('one'));
    await later(29_000);
    expect(await texts()).toEqual([]);
    await later(1_000);
    expect((await texts()).sort()).toEqual(['one', 'two']);
    const before = imap.connections();
    await later(30_000);
    expect(imap.connections()).toBe(before + 1);
    expect(await texts()).toHaveLength(2);
    expect(await rowOf(channelId)).toMatchObject({ uid: 4 });
  });

  it('is read without pause if many mails wait', async () => {
    await makeMailChannel({ imap: mailbox() });
    await server.settle();
    imap.deliver(...Array.from({ length: 60 }, (_, number) => mailWith(`${number}`)));
    await later(30_000);
    const { rows } = await db.query('select count(*) from messages where tenant_id = $1', [tenant.id]);
    expect(rows[0]?.count).toBe(60);
  });

  it('that cannot be read stores the error, is tried again with growing delays, and loses no mail', async () => {
    const channelId = await makeMailChannel({ imap: mailbox() });
    await server.settle();
    await change(channelId, { imap: { password: 'mistyped' } });
    imap.deliver(mailWith('waiting'));
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      await server.settle();
      const row = (await rowOf(channelId)) as { due_at: Date };
      expect(row).toMatchObject({
        attempts: attempt,
        uid: 0,
        error: expect.stringContaining('wrong password'),
      });
      const pauseMs = Number(row?.due_at) - Number(server.clock.now());
      pauses.push(pauseMs / 1000);
      server.clock.advance(pauseMs);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900]);
    expect(server.logged.join('')).not.toContain('"wrong"');
    await change(channelId, { imap: { password: 'right' } });
    await server.settle();
    expect(await rowOf(channelId)).toMatchObject({ attempts: 0, uid: 1, error: null });
    expect(await texts()).toEqual(['waiting']);
  });

  it('is another one if host, user or folder change, and is then read from its end on', async () => {
    const channelId = await makeMailChannel({ imap: mailbox() });
    await server.settle();
    const other = await useImap();
    other.deliver(mailWith('past of the other'));
    await change(channelId, { imap: { port: other.port } });
    expect(await rowOf(channelId)).toMatchObject({ uid_validity: null, uid: null });
    await server.settle();
    expect(await rowOf(channelId)).toMatchObject({ uid: 1 });
    expect(await texts()).toEqual([]);
  });

  it('that is changed while it is read is not stored as read', async () => {
    const channelId = await makeMailChannel({ imap: mailbox() });
    await server.settle();
    imap.deliver(mailWith('of the old one'));
    const other = await useImap();
    imap.duringFetch(() => change(channelId, { imap: { port: other.port } }));
    await later(30_000);
    expect(other.connections()).toBe(1);
    expect(await rowOf(channelId)).toMatchObject({ uid: 0, error: null });
    expect(await texts()).toEqual([]);
  });

  it('is no longer read when the channel has none or is deleted', async () => {
    const channelId = await makeMailChannel({ imap: mailbox() });
    await server.settle();
    await tenant.put(`/v3/channels/${channelId}`, { name: 'Sales' });
    expect(await rowOf(channelId)).toMatchObject({ uid: 0 });
    await change(channelId, { imap: null });
    expect(await rowOf(channelId)).toBeUndefined();
    await change(channelId, { imap: mailbox() });
    await server.settle();
    await tenant.delete(`/v3/channels/${channelId}`);
    expect(await rowOf(channelId)).toBeUndefined();
    expect(await rowOf(await makeMailChannel())).toBeUndefined();
  });
});

describe('a vendor’s request', () => {
  it('may be a mail that is signed with the channel’s secret', async () => {
    const channelId = await makeMailChannel({ inboundSecret: SECRET });
    const raw = Buffer.from(mailWith('posted'));
    const post = (secret: string) =>
      server.call('POST', `/providers/smtp/${channelId}`, {
        raw,
        headers: {
          'content-type': 'message/rfc822',
          'x-parley-signature': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
        },
      });
    expect((await post('another secret')).status).toBe(401);
    expect((await post(SECRET)).status).toBe(200);
    expect((await post(SECRET)).status).toBe(200);
    await server.settle();
    const { data } = (await tenant.post('/v3/messages/search', {})).body;
    expect(data).toMatchObject([
      {
        text: 'posted',
        type: 'email',
        vendorId: '<posted@example.com>',
        timestamp: server.clock.now().toISOString(),
      },
    ]);
    expect(data).toHaveLength(1);
  });

  it('may be a mail of up to 40 MiB, and not larger', async () => {
    const channelId = await makeMailChannel({ inboundSecret: SECRET });
    const post = (bytes: number) => {
      const begin = Buffer.from(largeMail('large'));
      const raw = Buffer.concat([begin, Buffer.alloc(bytes - begin.length, `${'QUJD'.repeat(19)}\r\n`)]);
      const headers = { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(raw, SECRET) };
      return server.call('POST', `/providers/smtp/${channelId}`, { raw, headers });
    };
    expect((await post(40 * MIB + 1)).status).toBe(413);
    expect((await post(40 * MIB)).status).toBe(200);
    await server.settle();
    expect((await texts()).map((text) => text.trim())).toEqual(['large']);
  });

  it('may be an SMS that Twilio signed with the public URL, with the time of its arrival', async () => {
    const config = { accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999' };
    const channel = { kind: 'sms', provider: 'twilio', name: 'Texts', address: '+15550009999', config };
    const { id } = (await tenant.post('/v3/channels', channel)).body.data;
    const form = new URLSearchParams({
      MessageSid: 'SM1',
      From: '+15550001111',
      To: '+15550009999',
      Body: 'Hi',
    });
    const post = (url: string) =>
      server.call('POST', `/providers/twilio/${id}`, {
        raw: form.toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': twilioSignature(url, form, TOKEN),
        },
      });
    expect((await post(`https://elsewhere.test/providers/twilio/${id}`)).status).toBe(401);
    expect((await post(`https://parley.test/providers/twilio/${id}`)).status).toBe(200);
    const receivedAt = server.clock.now().toISOString();
    await later(5_000);
    expect((await tenant.post('/v3/messages/search', {})).body.data).toMatchObject([
      { text: 'Hi', type: 'text', vendorId: 'SM1', timestamp: receivedAt },
    ]);
  });
});

describe('a conversation by mail', () => {
  it('sends a reply, and a bounce fails it', async () => {
    const relay = await useRelay();
    const channelId = await makeMailChannel({
      smtp: { host: '127.0.0.1', port: relay.port },
      inboundSecret: SECRET,
    });
    const post = (mail: string) =>
      server.call('POST', `/providers/smtp/${channelId}`, {
        raw: mail,
        headers: {
          'content-type': 'message/rfc822',
          'x-parley-signature': `sha256=${createHmac('sha256', SECRET).update(mail).digest('hex')}`,
        },
      });
    expect((await post(mailWith('Is it open?', 'question'))).status).toBe(200);
    await server.settle();
    const [question] = (await tenant.post('/v3/messages/search', {})).body.data;
    const sent = await tenant.post(`/v3/chats/${question.chatId}/messages`, { text: 'It is.' });
    expect(sent.status).toBe(200);
    await server.settle();
    const { id } = sent.body.data;
    const answer = await simpleParser(relay.arrived[0]?.mail ?? '');
    expect(answer).toMatchObject({
      subject: 'Re: Is it open?',
      inReplyTo: '<question@example.com>',
      references: '<question@example.com>',
      messageId: `<${id}@shop.test>`,
      text: 'It is.\n',
    });
    const read = async () => (await tenant.get(`/v3/messages/${id}`)).body.data;
    expect(await read()).toMatchObject({ status: 'sent', vendorId: `<${id}@shop.test>` });
    const bounce = [
      'From: mailer-daemon@example.com',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Action: failed',
      'Status: 5.1.1',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: <${id}@shop.test>`,
      '--b--',
    ].join('\r\n');
    expect((await post(bounce)).status).toBe(200);
    await server.settle();
    expect(await read()).toMatchObject({ status: 'failed', error: { code: '5.1.1' } });
  });

  it('accepts mails with files that are larger than other requests may be', async () => {
    const channelId = await makeMailChannel({ inboundSecret: SECRET });
    const file = Buffer.alloc(900_000, 'x').toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    const mail = [
      'From: ada@example.com',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'See the file',
      '--b',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename=x.txt',
      'Content-Transfer-Encoding: base64',
      '',
      file,
      '--b--',
    ].join('\r\n');
    const signature = `sha256=${createHmac('sha256', SECRET).update(mail).digest('hex')}`;
    const headers = { 'content-type': 'message/rfc822', 'x-parley-signature': signature };
    const answer = await server.call('POST', `/providers/smtp/${channelId}`, { raw: mail, headers });
    expect(answer.status).toBe(200);
    await server.settle();
    const [message] = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(message).toMatchObject({
      text: 'See the file',
      media: [{ filename: 'x.txt', mimeType: 'text/plain', size: 900_000 }],
    });
  });
});

describe('a channel', () => {
  it('with invalid settings is refused with an issue for each', async () => {
    const answer = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'a',
      address: 'a@b.c',
      config: { from: 'a@b.c', smtp: { host: 'h', port: 70_000 }, imap: { host: 'h', port: 993 } },
    });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.error.invalidParams).sort()).toEqual([
      'config.imap.password',
      'config.imap.user',
      'config.smtp.port',
    ]);
    const sms = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'twilio',
      name: 'a',
      address: 'a',
    });
    expect(Object.keys(sms.body.error.invalidParams)).toEqual(['kind']);
  });
});
