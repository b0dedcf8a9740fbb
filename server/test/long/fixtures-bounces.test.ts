import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { InboundEvent } from '../../src/providers/inbound-event.ts';
import { smtp } from '../../src/providers/smtp/smtp.ts';
import { NOW } from '../kit/adapter-context.ts';

const root = process.env.PARLEY_FIXTURES ?? '';
const ours = newId();
const channel = {
  id: newId(),
  tenantId: newId(),
  kind: 'email' as const,
  address: 'help@shop.test',
  config: smtp.configure({ from: 'help@shop.test', smtp: { host: 'a', port: 25 }, plusAddressing: true }, {}),
};
const parse = (mail: string): Promise<InboundEvent[]> | InboundEvent[] =>
  smtp.parseInbound({ url: '', headers: {}, body: Buffer.from(mail, 'latin1'), receivedAt: NOW }, channel);
const namesIn = (folder: string): string[] => (root === '' ? [] : readdirSync(join(root, 'email', folder)));
const read = (folder: string, name: string): string =>
  readFileSync(join(root, 'email', folder, name), 'latin1');

/** The same report about a mail of ours. */
const aboutOurs = (mail: string): string => {
  const end = mail.search(/\r?\n\r?\n/);
  const id = `<${ours}@shop.test>`;
  const head = mail.slice(0, end);
  const body = mail.slice(end);
  const withOurs = (text: string): string =>
    text.replaceAll(/^([> \t]*message-id:\s*)<?[^<>\s]+>?/gim, `$1${id}`);
  const isEncoded = /^content-transfer-encoding:\s*base64/im.test(head);
  return (
    head.replaceAll(/^((?:in-reply-to|references):\s*)<?[^<>\s]+>?/gim, `$1${id}`) +
    (isEncoded
      ? `\n\n${Buffer.from(withOurs(Buffer.from(body, 'base64').toString('latin1')), 'latin1').toString('base64')}`
      : withOurs(body))
  );
};
/** The same report, sent to the address of one message. */
const toOurs = (mail: string): string =>
  `Delivered-To: help+${ours}@shop.test\n${mail.replace(/^From .*\n/, '')}`;

const isOurs = (events: InboundEvent[]): boolean =>
  events.length > 0 && events.every((event) => event.kind === 'status' && event.messageId === ours);

/** Reports that the mail is late; everything else in the folder did not arrive, is a complaint, or is a vacation note. */
const delayed = [
  'lhost-gmail-08.eml',
  'lhost-opensmtpd-06.eml',
  'lhost-opensmtpd-12.eml',
  'lhost-opensmtpd-13.eml',
  'lhost-opensmtpd-15.eml',
  'lhost-sendmail-55.eml',
  'lhost-x1-04.eml',
  'rhost-gsuite-06.eml',
];
const isComplaint = (name: string): boolean => name.startsWith('arf-') && name !== 'arf-26.eml';
const isVacation = (name: string): boolean => name.startsWith('rfc3834-') || name === 'arf-26.eml';
const bounces = namesIn('bounces').filter(
  (name) => !delayed.includes(name) && !isComplaint(name) && !isVacation(name),
);

/** The share of bounces that fail our message. */
async function shareOf(change: (mail: string) => string): Promise<number> {
  let count = 0;
  for (const name of bounces) if (isOurs(await parse(change(read('bounces', name))))) count++;
  process.stdout.write(`${count} of ${bounces.length} recorded bounces are recognized\n`);
  return count / bounces.length;
}

describe.skipIf(root === '')('recorded bounces', () => {
  it('of our mails are recognized by the Message-ID that they quote', async () => {
    // Nearly all of the others quote none.
    expect(await shareOf(aboutOurs)).toBeGreaterThanOrEqual(0.9);
  });

  it('of our mails are recognized by the address of the message', async () => {
    expect(await shareOf(toOurs)).toBeGreaterThanOrEqual(0.97);
  });

  it('of delays have no event', async () => {
    for (const name of delayed)
      expect([name, await parse(toOurs(read('bounces', name)))]).toEqual([name, []]);
  });

  it('have a code that is an enhanced status code, or that of SMTP', async () => {
    let count = 0;
    for (const name of bounces) {
      const [event] = await parse(toOurs(read('bounces', name)));
      if (event?.kind !== 'status') continue;
      expect(event.error?.code).toMatch(/^(?:[45]\.\d{1,3}\.\d{1,3}|[45]\d\d|bounced)$/);
      expect(event.error?.message).toMatch(/\S/);
      if (event.error?.code !== 'bounced') count++;
    }
    expect(count / bounces.length).toBeGreaterThan(0.8);
  });

  it('that are complaints unsubscribe the recipient, and are never messages', async () => {
    const found: Record<string, unknown> = {};
    for (const name of namesIn('bounces').filter(isComplaint))
      found[name] = (await parse(toOurs(read('bounces', name)))).map((event) =>
        event.kind === 'consent' ? [event.source, event.subscription, event.handles[0]?.value] : event.kind,
      );
    expect(found).toEqual({
      'arf-01.eml': [['complaint', 'stop', 'redacted@example.net']],
      'arf-11.eml': [],
      'arf-12.eml': [['complaint', 'stop', 'user@example.com']],
      'arf-15.eml': [],
      'arf-18.eml': [],
      'arf-21.eml': [['complaint', 'stop', 'kijitora@example.org']],
      'arf-24.eml': [['complaint', 'stop', 'kijitora@example.com']],
      'arf-25.eml': [['complaint', 'stop', 'hashed@example.com']],
    });
  });

  it('that are vacation notes are automatic messages', async () => {
    for (const name of namesIn('bounces').filter(isVacation))
      expect([name, await parse(toOurs(read('bounces', name)))]).toMatchObject([
        name,
        [{ kind: 'message', isAutomatic: true }],
      ]);
  });
});

describe.skipIf(root === '')('recorded mails that are no bounces', () => {
  const changes = [(mail: string) => mail, aboutOurs, toOurs];
  const statusesOf = async (folder: string): Promise<string[]> => {
    const found = new Set<string>();
    for (const name of namesIn(folder))
      for (const change of changes)
        for (const event of await parse(change(read(folder, name))))
          if (event.kind === 'status') found.add(name);
    return [...found];
  };

  it('are not taken for bounces', async () => {
    // The corpus has this one for another reason: a mail server says in it that a mailbox is full.
    expect(await statusesOf('not-bounces')).toEqual(['rb-issue-368-bug.eml']);
    expect(await statusesOf('replies')).toEqual([]);
  });

  it('are parsed, every one, and those that are reports are known', async () => {
    expect(await statusesOf('mails')).toEqual([
      'chatwoot-bounced_with_no_from.eml',
      'mikel-multi_address_bounce2.eml',
      'mikel-multipart_report_multiple_status.eml',
      'mimekit-delivery-status-multiple-blank-lines.txt',
      'mimekit-delivery-status-no-blank-line.txt',
      'mimekit-delivery-status.txt',
    ]);
  });
});
