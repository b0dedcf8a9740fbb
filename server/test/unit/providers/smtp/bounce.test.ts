import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import { smtp } from '../../../../src/providers/smtp/smtp.ts';
import { NOW } from '../../../kit/adapter-context.ts';

const channel = {
  id: newId(),
  tenantId: newId(),
  kind: 'email' as const,
  address: 'help@shop.test',
  config: smtp.configure({ from: 'help@shop.test', smtp: { host: 'a', port: 25 } }, {}),
};
const ours = newId();
const id = `<${ours}@shop.test>`;
const parse = async (...lines: string[]) =>
  smtp.parseInbound(
    { url: '', headers: {}, body: Buffer.from(lines.join('\r\n')), receivedAt: NOW },
    channel,
  );
const DAEMON = 'From: Mail Delivery System <MAILER-DAEMON@mx.example.com>';

/** A report in the format of RFC 3464 about these recipients. */
const report = (groups: string[][], original: string[] = [`Message-ID: ${id}`]) =>
  parse(
    DAEMON,
    'To: help@shop.test',
    'Content-Type: multipart/report; boundary=b; report-type=delivery-status',
    '',
    '--b',
    '',
    'It did not arrive.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.com',
    ...groups.flatMap((group) => ['', ...group]),
    '',
    '--b',
    'Content-Type: message/rfc822',
    'Content-Disposition: inline',
    '',
    'From: help@shop.test',
    ...original,
    '',
    'Hello',
    '--b--',
  );

describe('a report of RFC 3464', () => {
  const failed = (recipient: string, status = '5.1.1', diagnostic = 'smtp; 550 no such user') => [
    `Final-Recipient: rfc822; ${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: ${diagnostic}`,
  ];

  it('is about each of its recipients', async () => {
    expect(
      await report([
        [...failed('Bob@example.com'), 'Original-Recipient: rfc822;team@example.com'],
        ['Final-Recipient: rfc822; ada@example.com', 'Action: delivered', 'Status: 2.0.0'],
        ['Final-Recipient: rfc822; eve@example.com', 'Action: delayed', 'Status: 4.0.0'],
      ]),
    ).toMatchObject([
      {
        messageId: ours,
        status: 'failed',
        recipients: ['team@example.com', 'bob@example.com'],
        error: { code: '5.1.1', message: '550 no such user' },
      },
      { messageId: ours, status: 'delivered', recipients: ['ada@example.com'] },
    ]);
  });

  it('without blank lines between its recipients is about each of them, too', async () => {
    expect(await report([[...failed('ada@example.com'), ...failed('bob@example.com')]])).toMatchObject([
      { recipients: ['ada@example.com'] },
      { recipients: ['bob@example.com'] },
    ]);
  });

  it.each([
    ['5.0.0', 'smtp; 550 5.1.1 no such user', '5.1.1'],
    ['5.2.2', 'smtp; 550 5.1.1 no such user', '5.2.2'],
    ['', 'smtp; 550 no such user', '550'],
    ['', 'smtp; 550 Blocked, see spamhaus.org', '5.0.0'],
    ['5.0.0', 'smtp; 550 no such user', '5.0.0'],
    ['', 'x-unix; lost', 'bounced'],
    ['', 'smtp; 550 at 192.5.1.10', '550'],
  ])('with the status %j and %j has the code %s', async (status, diagnostic, code) => {
    expect(await report([failed('ada@example.com', status, diagnostic)])).toMatchObject([
      { error: { code } },
    ]);
  });

  it('is about the mail itself, not about earlier ones of its thread', async () => {
    const earlier = newId();
    const original = [`References: <${earlier}@shop.test>`, `Message-ID: ${id}`];
    expect(await report([failed('ada@example.com')], original)).toMatchObject([{ messageId: ours }]);
  });

  it('with an empty sender does not fail, also if it is about another mail', async () => {
    const lines = (to: string, original: string) =>
      parse(
        'From: <>',
        `To: ${to}`,
        'Content-Type: multipart/report; boundary=b; report-type=delivery-status',
        '',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Final-Recipient: rfc822; ada@example.com',
        'Action: failed',
        '',
        original,
        '--b--',
      );
    expect(await lines(`help+${ours}@shop.test`, '')).toMatchObject([{ messageId: ours, status: 'failed' }]);
    expect(await lines('help@shop.test', '')).toEqual([]);
  });
});

describe('a report in another format', () => {
  it.each([
    [
      'qmail',
      'failure notice',
      [
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        '',
        '<ada@example.com>:',
        '550 5.1.1 Unknown user',
        '',
        '--- Below this line is a copy of the message.',
        '',
        `Message-ID: ${id}`,
      ],
    ],
    [
      'Exim',
      'Mail delivery failed: returning message to sender',
      [
        'A message that you sent could not be delivered to all of its recipients.',
        '',
        '  ada@example.com',
        '    550 5.1.1 unknown',
        '',
        '------ This is a copy of the message ------',
        '',
        `Message-ID: ${id}`,
      ],
    ],
    [
      'Exchange',
      'Undeliverable: Order',
      [
        'Delivery has failed to these recipients: ada@example.com',
        '#550 5.1.1 RESOLVER.ADR.RecipNotFound ##',
        '',
        'Original message headers:',
        '',
        `Message-ID:`,
        ` ${id}`,
      ],
    ],
    [
      'an unknown server',
      'Sorry',
      ['Your mail was rejected: 550 5.1.1 no such user ada@example.com', '', `> Message-Id: ${id}`],
    ],
  ])('of %s fails its message', async (_, subject, text) => {
    expect(await parse(DAEMON, 'Return-Path: <>', `Subject: ${subject}`, '', ...text)).toEqual([
      {
        kind: 'status',
        vendorId: id,
        messageId: ours,
        occurredAt: NOW,
        status: 'failed',
        recipients: ['ada@example.com'],
        error: { code: '5.1.1', message: expect.stringContaining('5.1.1') },
      },
    ]);
  });

  it('names its recipient in X-Failed-Recipients, or none if there are several', async () => {
    const text = ['a@example.com and b@example.com could not be reached', '', `Message-ID: ${id}`];
    expect(await parse(DAEMON, 'X-Failed-Recipients: B@example.com', '', ...text)).toMatchObject([
      { recipients: ['b@example.com'] },
    ]);
    const [event] = await parse(DAEMON, 'Subject: Undelivered', '', ...text);
    expect(event).not.toHaveProperty('recipients');
  });

  it('of a delay has no event', async () => {
    expect(
      await parse(
        DAEMON,
        'Subject: Warning: could not send message for past 4 hours',
        '',
        'Will keep trying until message is 5 days old',
        `Message-ID: ${id}`,
      ),
    ).toEqual([]);
  });

  it('is matched by the address of the message, and by In-Reply-To', async () => {
    const text = ['Subject: Undelivered Mail', '', 'It could not be delivered.'];
    expect(await parse(DAEMON, `To: help+${ours}@shop.test`, ...text)).toMatchObject([{ messageId: ours }]);
    expect(await parse(DAEMON, `In-Reply-To: ${id}`, ...text)).toMatchObject([{ messageId: ours }]);
  });

  it.each([
    ['a person', ['From: ada@example.com', 'Return-Path: <ada@example.com>', 'Subject: Undeliverable?']],
    ['a vacation note', ['From: ada@example.com', 'Return-Path: <>', 'Subject: Out of office']],
    ['a person at postmaster', ['From: postmaster@example.com', 'Subject: Re: Order']],
  ])('of %s is a message', async (_, headers) => {
    expect(
      await parse(
        ...headers,
        `In-Reply-To: ${id}`,
        `To: help+${ours}@shop.test`,
        '',
        'I am away until Monday.',
      ),
    ).toMatchObject([{ kind: 'message', replyToMessageId: ours }]);
  });
});

describe('a complaint', () => {
  const complaint = (feedback: string[], original: string[] = []) =>
    parse(
      'From: fbl@provider.example',
      'To: help@shop.test',
      'Content-Type: multipart/report; boundary=b; report-type=feedback-report',
      '',
      '--b',
      '',
      'A complaint.',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      ...feedback,
      '--b',
      'Content-Type: message/rfc822',
      '',
      ...original,
      '',
      'Hello',
      '--b--',
    );

  it('unsubscribes the recipient', async () => {
    expect(
      await complaint(['Feedback-Type: abuse', 'Original-Rcpt-To: <Ada@example.com>'], [`Message-ID: ${id}`]),
    ).toEqual([
      {
        kind: 'consent',
        handles: [{ type: 'email', value: 'ada@example.com' }],
        subscription: 'stop',
        source: 'complaint',
        occurredAt: NOW,
        proof: { feedbackType: 'abuse', reporter: 'fbl@provider.example', messageId: id },
      },
    ]);
    expect(await complaint(['Feedback-Type: abuse'], ['To: Ada <ada@example.com>'])).toMatchObject([
      { handles: [{ value: 'ada@example.com' }] },
    ]);
  });

  it('without a recipient, of another type, or about our own address has no event', async () => {
    expect(await complaint(['Feedback-Type: abuse'], ['To: undisclosed'])).toEqual([]);
    expect(await complaint(['Feedback-Type: not-spam', 'Original-Rcpt-To: ada@example.com'])).toEqual([]);
    expect(await complaint(['Feedback-Type: abuse'], ['To: help@shop.test'])).toEqual([]);
  });
});
