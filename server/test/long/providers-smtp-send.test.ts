import { PassThrough, Readable } from 'node:stream';
import { simpleParser } from 'mailparser';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { AdapterChannel, ChannelConfig } from '../../src/providers/adapter-channel.ts';
import type { OutgoingMessage } from '../../src/providers/outgoing-message.ts';
import { mayBeUnencrypted } from '../../src/providers/smtp/relay.ts';
import { smtp } from '../../src/providers/smtp/smtp.ts';
import { useAdapterContext } from '../kit/adapter-context.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { outgoing } from '../kit/outgoing.ts';
import { useRelay } from '../kit/relay.ts';
import { hasOpenssl, selfSigned } from '../kit/self-signed.ts';

const relay = await useRelay();
const context = useAdapterContext();
beforeEach(() => {
  relay.arrived.length = 0;
});

const channelOf = (config: ChannelConfig = {}, address = 'help@shop.test'): AdapterChannel => ({
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'email',
  address,
  config: smtp.configure(
    { from: 'Support <help@shop.test>', smtp: { host: '127.0.0.1', port: relay.port }, ...config },
    {},
  ),
});
const channel = channelOf();
const mailTo = (more: Partial<OutgoingMessage> = {}): OutgoingMessage =>
  outgoing({ to: { type: 'email', value: 'ada@example.com' }, type: 'email', ...more });
const send = (more: Partial<OutgoingMessage> = {}, at = channel) => smtp.send(mailTo(more), at, context);

describe('a sent mail', () => {
  it('is sent after the relay’s 250, with a Message-ID made of our id', async () => {
    const message = mailTo({
      content: { subject: 'Grüße ☃', html: '<b>Good morning</b>', cc: ['bob@example.com'] },
    });
    const result = await smtp.send(message, channel, context);
    expect(result).toEqual({ ok: true, vendorId: `<${message.id}@shop.test>`, status: 'sent' });
    const [{ from, to, mail } = { from: '', to: [], mail: Buffer.alloc(0) }] = relay.arrived;
    expect([from, to]).toEqual(['help@shop.test', ['ada@example.com', 'bob@example.com']]);
    const parsed = await simpleParser(mail);
    expect(parsed.from?.text).toBe('"Support" <help@shop.test>');
    expect(parsed).toMatchObject({
      subject: 'Grüße ☃',
      text: expect.stringContaining('Good morning'),
      html: expect.stringContaining('<b>Good morning</b>'),
      messageId: `<${message.id}@shop.test>`,
      date: new Date('2026-11-15T01:02:03.000Z'),
      attachments: [],
    });
    expect(parsed.replyTo).toBeUndefined();
    expect(parsed.headers.has('auto-submitted')).toBe(false);
    expect(parsed.headers.has('in-reply-to')).toBe(false);
    expect(relay.arrived[0]?.mail.toString()).not.toMatch(/^List-Unsubscribe/im);
  });

  it('of HTML only also has a text', async () => {
    await send({ text: null, content: { html: '<p>Good <b>evening</b></p>' } });
    expect(await simpleParser(relay.arrived[0]?.mail ?? '')).toMatchObject({
      text: expect.stringContaining('Good evening'),
      html: expect.stringContaining('<b>evening</b>'),
    });
  });

  it('names the mail it replies to, and is marked if it is automatic', async () => {
    await send({
      threadSubject: 'AW: Re: RE [2]: Order A-17',
      replyToVendorId: '<b@example.com>',
      references: ['<a@example.com>', 'sha256-abc', '<b@example.com>'],
      isAutomatic: true,
    });
    const { subject, inReplyTo, references, headers } = await simpleParser(relay.arrived[0]?.mail ?? '');
    expect(subject).toBe('Re: Order A-17');
    expect(inReplyTo).toBe('<b@example.com>');
    expect(references).toEqual(['<a@example.com>', '<b@example.com>']);
    expect(headers.get('auto-submitted')).toBe('auto-generated');
  });

  it.each([
    [{ text: 'Hello there\nsecond line' }, 'Hello there'],
    [{ text: `${'☃'.repeat(80)} more` }, `${'☃'.repeat(69)}…`],
    [{ content: { subject: 'Mine' }, threadSubject: 'Theirs' }, 'Mine'],
    [{ threadSubject: 'Theirs', references: ['<a@b>'] }, 'Re: Theirs'],
  ])('without a subject gets one', async (more, subject) => {
    await send(more);
    expect((await simpleParser(relay.arrived[0]?.mail ?? '')).subject).toBe(subject);
  });

  it('contains our files as streams, and fetches others', async () => {
    const other = await useHttpServer((_request, response) => void response.end('from elsewhere'));
    const url = `${other.url}/b.txt`;
    const bytes = Buffer.alloc(300_000, 7);
    const media = [
      {
        url: 'https://parley.test/a',
        mimeType: 'application/pdf',
        filename: 'Menü.pdf',
        size: 300_000,
        read: () => Readable.from([bytes]),
      },
      { url, mimeType: 'text/plain', filename: 'b.txt', size: null },
    ];
    expect(await send({ type: 'document', media })).toMatchObject({ ok: true });
    await other.close();
    const { attachments } = await simpleParser(relay.arrived[0]?.mail ?? '');
    expect(
      attachments.map(({ filename, contentType, content }) => [filename, contentType, content.length]),
    ).toEqual([
      ['Menü.pdf', 'application/pdf', 300_000],
      ['b.txt', 'text/plain', 14],
    ]);
    expect(attachments[0]?.content.equals(bytes)).toBe(true);
    expect(await send({ media: [{ ...media[1], url } as never] })).toMatchObject({
      ok: false,
      error: { code: 'media_unavailable' },
      retry: 'backoff',
    });
    expect(await send({ media: [{ ...media[1], url: 'http://10.0.0.1/' } as never] })).toMatchObject({
      retry: 'never',
    });
  });

  it('has its own address for replies and bounces if the mailbox supports it', async () => {
    const tagged = channelOf({ plusAddressing: true });
    const message = mailTo();
    await smtp.send(message, tagged, context);
    const [arrived] = relay.arrived;
    expect(arrived?.from).toBe(`help+${message.id}@shop.test`);
    expect((await simpleParser(arrived?.mail ?? '')).replyTo?.text).toBe(`help+${message.id}@shop.test`);
    const long = `${'l'.repeat(30)}@shop.test`;
    await send({}, channelOf({ plusAddressing: true, from: long }, long));
    expect(relay.arrived[1]?.from).toBe(long);
  });

  it('has the channel’s address as Reply-To if it is sent from another', async () => {
    await send({}, channelOf({ from: 'noreply@shop.test' }));
    const parsed = await simpleParser(relay.arrived[0]?.mail ?? '');
    expect([parsed.from?.text, parsed.replyTo?.text]).toEqual(['noreply@shop.test', 'help@shop.test']);
  });

  it('of marketing can be unsubscribed from in one click', async () => {
    const unsubscribeUrl = `https://parley.example/unsubscribe/${'x'.repeat(200)}`;
    await send({ unsubscribeUrl });
    const { headerLines } = await simpleParser(relay.arrived[0]?.mail ?? '');
    const lineOf = (name: string): string =>
      (headerLines.find(({ key }) => key === name)?.line ?? '').replaceAll(/\r\n\s+/g, ' ');
    expect(lineOf('list-unsubscribe')).toBe(`List-Unsubscribe: <${unsubscribeUrl}>`);
    expect(lineOf('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  });

  it('cannot be injected with headers', async () => {
    await send({ content: { subject: 'a\r\nBcc: eve@example.com', cc: ['x@y\r\nBcc: eve@example.com'] } });
    expect(relay.arrived[0]?.to).toEqual(['ada@example.com']);
    expect((await simpleParser(relay.arrived[0]?.mail ?? '')).bcc).toBeUndefined();
  });

  it('has the relay’s id, if it returns one', async () => {
    relay.next({ reply: '2.0.0 OK <abc@mail.prod.outlook.com> [Hostname=x]' });
    expect(await send()).toMatchObject({ ok: true, vendorId: '<abc@mail.prod.outlook.com>' });
  });
});

describe('a mail that the relay does not accept', () => {
  it.each([
    [{ at: 'mail', code: 451 }, 'backoff'],
    [{ at: 'rcpt', code: 450 }, 'backoff'],
    [{ at: 'data', code: 452 }, 'backoff'],
    [{ at: 'rcpt', code: 553 }, 'never'],
    [{ at: 'rcpt', code: 552 }, 'never'],
    [{ at: 'rcpt', code: 550 }, 'never'],
    [{ at: 'data', code: 554 }, 'never'],
    [{ at: 'mail', code: 530 }, 'reauth'],
  ] as const)('with %j is tried again: %s', async (issue, retry) => {
    relay.next(issue);
    expect(await send()).toMatchObject({ ok: false, error: { code: String(issue.code) }, retry });
    expect(relay.arrived).toEqual([]);
    expect(await send()).toMatchObject({ ok: true });
  });

  it.each([
    [{ at: 'rcpt', code: 550, text: '5.1.1 no such user' }, '5.1.1'],
    [{ at: 'rcpt', code: 550, text: '5.7.1 blocked' }, '5.7.1'],
    [{ at: 'rcpt', code: 552, text: '5.2.2 mailbox full' }, '5.2.2'],
    [{ at: 'rcpt', code: 550, text: 'no such user here' }, '550'],
    [{ at: 'rcpt', code: 550, text: 'rejected as spam' }, '5.0.0'],
    [{ at: 'rcpt', code: 550, text: '4.2.2 mailbox full' }, '550'],
    [{ at: 'mail', code: 550, text: 'who are you?' }, '5.0.0'],
    [{ at: 'mail', code: 553, text: '5.1.3 bad sender' }, '5.0.0'],
    [{ at: 'data', code: 550, text: 'not with this link' }, '5.0.0'],
    [{ at: 'data', code: 550, text: '5.1.1 no such user' }, '5.1.1'],
  ] as const)('with %j has the code %s', async (issue, code) => {
    relay.next(issue);
    expect(await send()).toMatchObject({ ok: false, error: { code }, retry: 'never' });
  });

  it('for its recipient, but for those in copy, has failed', async () => {
    relay.next({ at: 'rcpt', code: 550, only: 'ada@example.com' });
    expect(await send({ content: { cc: ['bob@example.com'] } })).toMatchObject({
      ok: false,
      error: { code: '550' },
      retry: 'never',
    });
  });

  it.each([
    'greeting',
    'rcpt',
  ] as const)('because the connection breaks at the %s is tried again', async (cut) => {
    relay.next({ cut });
    expect(await send()).toMatchObject({ ok: false, retry: 'backoff' });
  });

  it('before its final dot is tried again', async () => {
    relay.next({ cut: 'within the mail' });
    const slow = new PassThrough();
    slow.write(Buffer.alloc(200_000, 65));
    const media = [
      { url: 'https://parley.test/a', mimeType: 'text/plain', filename: 'a', size: 1, read: () => slow },
    ];
    expect(await send({ media })).toMatchObject({ ok: false, retry: 'backoff' });
    expect(slow.destroyed).toBe(true);
    expect(relay.arrived).toEqual([]);
  });

  it('after its final dot may have been sent', async () => {
    relay.next({ cut: 'after the mail' });
    expect(await send()).toMatchObject({ ok: false, retry: 'unknown' });
  });

  it('because a file cannot be read is tried again, and is not sent', async () => {
    const read = () =>
      new Readable({
        read() {
          this.destroy(new Error('disk'));
        },
      });
    const media = [{ url: 'https://parley.test/a', mimeType: 'text/plain', filename: 'a', size: 1, read }];
    expect(await send({ media })).toMatchObject({ ok: false, retry: 'backoff' });
    expect(relay.arrived).toEqual([]);
  });

  it('because of an unreachable or forbidden relay has different results', async () => {
    const to = (host: string, port: number) => send({}, channelOf({ smtp: { host, port } }));
    expect(await to('127.0.0.1', 1)).toMatchObject({ ok: false, retry: 'backoff' });
    expect(await to('10.0.0.1', 25)).toMatchObject({
      ok: false,
      error: { code: 'connection_refused' },
      retry: 'never',
    });
  });
});

describe('a relay with a login', () => {
  it('gets the password, and a wrong one waits for a new one', async () => {
    const as = (password: string) =>
      channelOf({ smtp: { host: '127.0.0.1', port: relay.port, user: 'ada', password } });
    expect(await send({}, as('right'))).toMatchObject({ ok: true });
    expect(relay.arrived[0]?.user).toBe('ada');
    expect(await send({}, as('wrong'))).toMatchObject({ ok: false, error: { code: '535' }, retry: 'reauth' });
    expect(await smtp.check(as('right'), context)).toMatchObject([{ path: 'config' }]);
    expect(await smtp.check({ ...as('wrong'), address: 'x' }, context)).toMatchObject([
      { path: 'address' },
      { path: 'config' },
      { path: 'config.smtp', message: expect.stringContaining('Invalid login') },
    ]);
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.2', true],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['1.127.0.1', false],
    [undefined, false],
  ])('gets a password without TLS only on this machine: %s %s', (address, isAllowed) => {
    expect(mayBeUnencrypted(address)).toBe(isAllowed);
  });
});

describe.runIf(hasOpenssl)('a relay behind TLS', async () => {
  const { key, cert } = selfSigned('relay.test');
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const trusting = useAdapterContext({ lookup, ca: cert });
  const wary = useAdapterContext({ lookup });
  const secure = await useRelay({ secure: true, key, cert });
  const upgrading = await useRelay({ key, cert, disabledCommands: [] });
  const at = (port: number, more = {}) =>
    channelOf({ smtp: { host: 'relay.test', port, user: 'ada', password: 'right', ...more } });

  it('is used with TLS from the first byte', async () => {
    const result = await smtp.send(mailTo(), at(secure.port, { secure: true }), trusting);
    expect(result).toMatchObject({ ok: true });
    expect(secure.arrived[0]).toMatchObject({ secure: true, user: 'ada' });
  });

  it('with a certificate of another name is sent nothing', async () => {
    const result = await smtp.send(mailTo(), at(secure.port, { secure: true }), wary);
    expect(result).toMatchObject({ ok: false, error: { code: 'connection_tls' }, retry: 'backoff' });
    const upgraded = await smtp.send(mailTo(), at(upgrading.port), wary);
    expect(upgraded).toMatchObject({ ok: false, retry: 'backoff' });
    expect(upgrading.arrived).toEqual([]);
  });
});
