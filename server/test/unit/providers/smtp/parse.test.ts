import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import type { InboundEvent, InboundMessage } from '../../../../src/providers/inbound-event.ts';
import { smtp } from '../../../../src/providers/smtp/smtp.ts';
import { NOW } from '../../../kit/adapter-context.ts';

const channel: AdapterChannel = {
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'email',
  address: 'help@shop.test',
  config: smtp.configure(
    {
      from: 'Support <noreply@mail.shop.test>',
      smtp: { host: 'a', port: 25 },
      inboundSecret: 'a secret of sixteen',
    },
    {},
  ),
};
const lines = (...all: string[]): Buffer => Buffer.from(all.join('\r\n'), 'latin1');
const parseBytes = async (body: Buffer): Promise<InboundEvent[]> =>
  smtp.parseInbound({ url: '', headers: {}, body, receivedAt: NOW }, channel);
const parse = (...all: string[]) => parseBytes(lines(...all));
/** A mail with these headers beside the usual ones. */
const mailWith = async (...headers: string[]): Promise<InboundMessage> => {
  const [event] = await parse(
    'From: ada@example.com',
    'Message-ID: <1@example.com>',
    ...headers,
    '',
    'Hello',
  );
  return event as InboundMessage;
};
const ours = newId();

describe('a mail', () => {
  it('becomes a message of its sender', async () => {
    expect(
      await parse(
        'From: "Lovelace, Ada" <Ada@Example.com>',
        'To: help@shop.test',
        'Cc: Bob <BOB@example.com>, team: carol@example.com, dan@example.com;',
        'Message-ID: <1@example.com>',
        'Date: Sun, 15 Nov 2026 00:59:00 +0100',
        'Subject: =?iso-8859-1?Q?Gr=FC=DFe?=',
        'Content-Type: text/plain; charset=iso-8859-1',
        '',
        'Sch\xf6n',
        '',
      ),
    ).toEqual([
      {
        kind: 'message',
        vendorId: '<1@example.com>',
        occurredAt: new Date('2026-11-14T23:59:00.000Z'),
        contact: { type: 'email', value: 'ada@example.com', name: 'Lovelace, Ada' },
        type: 'email',
        text: 'Schön',
        media: [],
        content: {
          subject: 'Grüße',
          html: null,
          cc: ['bob@example.com', 'carol@example.com', 'dan@example.com'],
        },
      },
    ]);
  });

  it.each([
    ['iso-2022-jp', '\x1b$B$3$s$K$A$O\x1b(B', 'こんにちは'],
    ['koi8-r', '\xf0\xd2\xc9\xd7\xc5\xd4', 'Привет'],
    ['windows-1252', '10 \x80', '10 €'],
    ['unheard-of', 'plain', 'plain'],
  ])('in %s is decoded', async (charset, written, meant) => {
    const mail = await parse('From: a@b.c', `Content-Type: text/plain; charset=${charset}`, '', written);
    expect(mail).toMatchObject([{ text: meant }]);
  });

  it.each([
    ['none', []],
    ['nonsense', ['Date: whenever']],
    ['an empty one', ['Date:']],
    ['one in the future', ['Date: Sun, 15 Nov 2026 02:00:00 +0000']],
    ['the very second', ['Date: Sun, 15 Nov 2026 01:02:03 +0000']],
  ])('with %s as its date has the time of its arrival', async (_, headers) => {
    expect((await mailWith(...headers)).occurredAt).toEqual(NOW);
  });

  it('without an id gets one from its bytes, always the same', async () => {
    const mail = lines('From: a@b.c', '', 'Hello');
    const idOf = async (bytes: Buffer) => ((await parseBytes(bytes))[0] as InboundMessage).vendorId;
    const id = await idOf(mail);
    expect(id).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(await idOf(mail)).toBe(id);
    expect(await idOf(lines('From: a@b.c', '', 'Hello!'))).not.toBe(id);
  });

  it('is of the sender in From, and keeps where answers go', async () => {
    const { contact, content } = await mailWith('Reply-To: "Ada" <Private@example.com>');
    expect([contact, content.replyTo]).toEqual([
      { type: 'email', value: 'ada@example.com', name: null },
      'private@example.com',
    ]);
    for (const same of ['ada@example.com', 'help@shop.test', 'nobody'])
      expect((await mailWith(`Reply-To: ${same}`)).content).not.toHaveProperty('replyTo');
  });

  it('has only what was written now as its text, and keeps the rest', async () => {
    const [event] = await parse(
      'From: a@b.c',
      '',
      'Yes.',
      '',
      'On 6 May 2024, at 10:12, Ada wrote:',
      '> How?',
    );
    expect(event).toMatchObject({
      text: 'Yes.',
      content: {
        quotedText: 'On 6 May 2024, at 10:12, Ada wrote:\n> How?',
        fullText: 'Yes.\n\nOn 6 May 2024, at 10:12, Ada wrote:\n> How?',
      },
    });
    const inline =
      '<div class="gmail_quote">On 6 May 2024, at 10:12, Ada wrote:<blockquote class="gmail_quote">How?</blockquote></div>' +
      '<div>By train.</div><blockquote class="gmail_quote">When?</blockquote><div>Today.</div>';
    expect(await parse('From: a@b.c', 'Content-Type: text/html', '', inline)).toMatchObject([
      { text: 'By train.\n\nToday.' },
    ]);
    const html =
      '<div>Yes.</div><div class="gmail_quote">Le 6 mai 2024 à 10:12, Ada a écrit :<blockquote>How?</blockquote></div>';
    expect(await parse('From: a@b.c', 'Content-Type: text/html; charset=iso-8859-1', '', html)).toMatchObject(
      [{ text: 'Yes.', content: { quotedText: expect.stringContaining('> How?'), html } }],
    );
  });

  it('says how its sender was authenticated', async () => {
    const { content } = await mailWith('Authentication-Results: mx.shop.test; spf=pass; dkim=fail');
    expect(content.authentication).toEqual({ spf: 'pass', dkim: 'fail', dmarc: null });
  });

  it('that is attached to another has its subject as its name', async () => {
    const [event] = await parse(
      'From: a@b.c',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'Subject: Order 1/2',
      '',
      'Hello',
      '--b',
      'Content-Type: message/rfc822; name="given.eml"',
      '',
      'From: x@y.z',
      '',
      'Hello',
      '--b--',
    );
    expect((event as InboundMessage).media).toMatchObject([
      { mimeType: 'message/rfc822', filename: 'Order 1 2.eml' },
      { mimeType: 'message/rfc822', filename: 'given.eml' },
    ]);
  });

  it('without a sender is ignored, and one of our own, too', async () => {
    expect(await parse('Subject: a', '', 'Hello')).toEqual([]);
    expect(await parse('From: not an address', '', 'Hello')).toEqual([]);
    expect(await parse('From: not an address', 'Sender: ada@example.com', '', 'Hello')).toMatchObject([
      { contact: { value: 'ada@example.com' } },
    ]);
    expect(await parse('From: HELP@shop.test', '', 'Hello')).toEqual([]);
    expect(await parse('From: noreply@mail.shop.test', '', 'Hello')).toEqual([]);
  });

  it('may be any bytes', async () => {
    const [event] = await parse('From: a@b.c', 'Subject: a\0b', 'Content-Type: text/html', '', 'x\0y<p>z');
    expect(event).toMatchObject({ text: expect.stringContaining('z'), content: { subject: 'a\uFFFDb' } });
    expect(JSON.stringify(event)).not.toContain('\\u0000');
  });
});

describe('a mail of HTML only', () => {
  it.each([
    ['<p>Dear Ada,</p><p>it is <b>open</b> &amp; warm.</p>', 'Dear Ada,\n\nit is open & warm.'],
    ['a<br>b<div>c</div>d', 'a\nb\nc\nd'],
    ['<head><title>x</title></head><STYLE>p{}</STYLE><!-- no --><p>yes', 'yes'],
    ['<ul><li>one<li>two</ul>', 'one\ntwo'],
    ['<a href="https://x.test/?a=b">link</a>  \n  and   more', 'link (https://x.test/?a=b) and more'],
    ['1 < 2 &lt; 3 &#233; &#xE9; &nbsp;&unknown; &#0; &#9999999;', '1 < 2 < 3 é é &unknown; \uFFFD \uFFFD'],
    ['<!doctype html><html><body>hi</body></html>', 'hi'],
    ['text <style>never ends', 'text'],
  ])('%j gets a text', async (html, text) => {
    const [event] = await parse('From: a@b.c', 'Content-Type: text/html', '', html);
    expect((event as InboundMessage).text).toBe(text);
  });
});

describe('the message that a mail replies to', () => {
  it('is found by In-Reply-To, then References from the right', async () => {
    const mail = await mailWith('In-Reply-To: <b@x>\r\n <a@x>', 'References: <z@x> <y@x>\r\n\t<b@x>');
    expect(mail.replyTo).toEqual(['<b@x>', '<a@x>', '<y@x>', '<z@x>']);
    expect((await mailWith('In-Reply-To: a@x, b@x')).replyTo).toEqual(['<a@x>', '<b@x>']);
    expect(await mailWith('In-Reply-To:', 'References: Your mail of Monday')).not.toHaveProperty('replyTo');
  });

  it('is our message if it contains our id', async () => {
    const own = await mailWith(`In-Reply-To: <x@y>`, `References: <${ours}@mail.shop.test>`);
    expect(own.replyToMessageId).toBe(ours);
    const foreign = await mailWith(`In-Reply-To: <${ours}@elsewhere.test>`);
    expect(foreign).not.toHaveProperty('replyToMessageId');
  });

  it.each([
    'To',
    'Cc',
    'Delivered-To',
    'X-Original-To',
    'Envelope-To',
  ])('is found by the address in %s', async (header) => {
    expect(
      (await mailWith(`${header}: Support <HELP+${ours.toUpperCase()}@shop.test>`)).replyToMessageId,
    ).toBe(ours);
    expect(await mailWith(`${header}: other+${ours}@shop.test`)).not.toHaveProperty('replyToMessageId');
    expect(await mailWith(`${header}: help+${'x'.repeat(36)}@shop.test`)).not.toHaveProperty(
      'replyToMessageId',
    );
  });
});

describe('an automatic mail', () => {
  it.each([
    'Auto-Submitted: auto-replied',
    'Auto-Submitted: Auto-Generated; owner=x',
    'Return-Path: <>',
    'List-Id: <news.example.com>',
    'Precedence: bulk',
    'Precedence: list',
    'Precedence: Junk',
    'Precedence: auto_reply',
    'List-Unsubscribe: <https://example.com>',
    'X-Autoreply: yes',
    'X-Autorespond: Away',
    'X-Auto-Response-Suppress: All',
    'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
    'Content-Type: text/calendar; method=REPLY',
  ])('is recognized by %s', async (header) => {
    expect((await mailWith(header)).isAutomatic).toBe(true);
  });
  it.each([
    'Auto-Submitted: no',
    'Return-Path: <ada@example.com>',
    'Precedence: first-class',
    'X-Auto-Response-Suppress: None',
    'Subject: Out of office',
    'Content-Type: text/calendar; method=REQUEST',
    'X: y',
  ])('is not recognized by %s', async (header) =>
    expect(await mailWith(header)).not.toHaveProperty('isAutomatic'));

  it('is one of a daemon, or an answer to an invitation', async () => {
    expect(await parse('From: postmaster@example.com', '', 'Hello')).toMatchObject([{ isAutomatic: true }]);
    const [person] = await parse('From: "The Post Master" <joe@postmaster.example>', '', 'Hello');
    expect(person).not.toHaveProperty('isAutomatic');
    const calendar = ['--b', 'Content-Type: text/calendar', '', 'BEGIN:VCALENDAR', 'METHOD:REPLY', '--b--'];
    expect(
      await parse('From: a@b.c', 'Content-Type: multipart/mixed; boundary=b', '', ...calendar),
    ).toMatchObject([{ isAutomatic: true }]);
  });
});

describe('a bounce', () => {
  const bounce = (action: string, bounced: string[], to = 'help@shop.test', more: string[] = []) =>
    parse(
      'From: mailer-daemon@example.com',
      `To: ${to}`,
      'Content-Type: multipart/report; boundary=b;',
      ' report-type=delivery-status',
      ...more,
      '',
      '--b',
      '',
      'It did not arrive.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      `Action: ${action}`,
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 no such',
      '  user here',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      ...bounced,
      '--b--',
    );

  it('fails its message', async () => {
    expect(await bounce('failed', ['Subject: x', `Message-ID: <${ours}@mail.shop.test>`])).toEqual([
      {
        kind: 'status',
        vendorId: `<${ours}@mail.shop.test>`,
        messageId: ours,
        occurredAt: NOW,
        recipients: ['ada@example.com'],
        status: 'failed',
        error: { code: '5.1.1', message: '550 5.1.1 no such user here' },
      },
    ]);
  });

  it('is matched by its recipient if it has no id', async () => {
    expect(await bounce('failed', [], `help+${ours}@shop.test`)).toMatchObject([
      { vendorId: `<${ours}@mail.shop.test>`, messageId: ours, status: 'failed' },
    ]);
    expect(
      await bounce('failed', ['Message-ID: <ses@amazonses.com>'], `help+${ours}@shop.test`),
    ).toMatchObject([{ vendorId: '<ses@amazonses.com>', messageId: ours }]);
  });

  it('of a delay has no event, and one of a success is delivered', async () => {
    expect(await bounce('delayed', ['Message-ID: <1@x>'])).toEqual([]);
    expect(await bounce('delivered', ['Message-ID: <1@x>'])).toMatchObject([{ status: 'delivered' }]);
  });

  it('without a known message is an automatic message', async () => {
    expect(await bounce('failed', [], 'help@shop.test', ['Return-Path: <>'])).toMatchObject([
      { kind: 'message', contact: { value: 'mailer-daemon@example.com' }, isAutomatic: true },
    ]);
  });
});

describe('a posted mail', () => {
  const body = lines('From: a@b.c', '', 'Hello');
  const signed = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const verify = (signature: string | undefined, at = channel) =>
    smtp.verifySignature(
      { url: '', headers: signature === undefined ? {} : { 'x-parley-signature': signature }, body },
      at,
    );
  it('is signed with the channel’s secret, over its bytes', () => {
    expect(verify(signed('a secret of sixteen'))).toBe(true);
    expect(verify(signed('another secret'))).toBe(false);
    expect(verify('')).toBe(false);
    expect(verify(undefined)).toBe(false);
  });
  it('is refused if there is no secret', () => {
    const { inboundSecret, ...config } = channel.config;
    expect(verify(signed(String(inboundSecret)), { ...channel, config })).toBe(false);
    expect(verify(signed('undefined'), { ...channel, config })).toBe(false);
  });
});

describe('settings for mail', () => {
  const issues = (config: object): unknown => {
    try {
      return smtp.configure(config as Record<string, unknown>, {});
    } catch (error) {
      return Object.keys((error as { invalidParams: object }).invalidParams).sort();
    }
  };
  it('are refused with all issues at once', () => {
    expect(issues({})).toEqual(['config.from', 'config.smtp']);
    expect(
      issues({
        from: 'nobody',
        smtp: { host: 'a b', port: 0, secure: 'yes', user: 'u' },
        imap: { host: 7, port: 993, mailbox: '' },
        inboundSecret: 'short',
        plusAddressing: 1,
      }),
    ).toEqual(
      [
        'from',
        'imap.host',
        'imap.mailbox',
        'imap.password',
        'imap.user',
        'inboundSecret',
        'plusAddressing',
        'smtp.host',
        'smtp.password',
        'smtp.port',
        'smtp.secure',
      ].map((name) => `config.${name}`),
    );
    expect(issues({ from: 'a@b.c', smtp: [], imap: null })).toEqual(['config.smtp']);
    const relay = { host: 'h', port: 465 };
    expect(issues({ from: 'a@b.c', fron: 'x', smtp: { ...relay, hots: 'h' } })).toEqual([
      'config.fron',
      'config.smtp.hots',
    ]);
  });
  it('use TLS by the port, and keep what is not given', () => {
    const config = smtp.configure(
      {
        from: 'a@b.c',
        smtp: { host: 'h', port: 465 },
        imap: { host: 'h', port: 993, user: 'u', password: 'p' },
      },
      {},
    );
    expect(config).toEqual({
      from: 'a@b.c',
      smtp: { host: 'h', port: 465, secure: true },
      imap: { host: 'h', port: 993, secure: true, user: 'u', password: 'p', mailbox: 'INBOX' },
    });
    expect(smtp.configure({ imap: { password: 'new' } }, config)).toEqual({
      ...config,
      imap: { ...(config.imap as object), password: 'new' },
    });
    expect(smtp.configure({ imap: null }, config)).not.toHaveProperty('imap');
  });
});
