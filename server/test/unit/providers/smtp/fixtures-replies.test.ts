import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { InboundMessage } from '../../../../src/providers/inbound-event.ts';
import { smtp } from '../../../../src/providers/smtp/smtp.ts';
import { NOW } from '../../../kit/adapter-context.ts';

const root = process.env.PARLEY_FIXTURES ?? '';
const folder = join(root, 'email', 'replies');
const channel = {
  id: newId(),
  tenantId: newId(),
  kind: 'email' as const,
  address: 'help@shop.test',
  config: smtp.configure({ from: 'help@shop.test', smtp: { host: 'a', port: 25 } }, {}),
};

/** The first and the last line of what a person would keep of each mail; one that is only a signature is kept whole. */
const kept: Record<string, [first: string | null, last?: string]> = {
  'replyparser-correct_sig.txt': ['this is an email with a correct -- signature.'],
  'replyparser-email_1_2.txt': ['Hi,', 'the keys in a bucket, you’ll need to delete them all individually."'],
  'replyparser-email_1_7.txt': [':+1:'],
  'replyparser-email_2_1.txt': ['Outlook with a reply'],
  'replyparser-email_2_2.txt': ['Outlook with a reply directly above line'],
  'replyparser-email_BlackBerry.txt': ['Here is another email'],
  'replyparser-email_multi_word_sent_from_my_mobile_device.txt': ['Here is another email'],
  'replyparser-email_one_is_not_on.txt': [
    'Thank, this is really helpful.',
    'Locally (on development), when I run...',
  ],
  'replyparser-pathological.txt': [
    "I think you're onto something. I will try to fix the problem as soon as I",
    'get back to a computer.',
  ],
  'talon-102682_R_S': [
    'I like the xxx a lot, but my heart belongs to the xxx...You can imagine',
    'doe@example.com',
  ],
  'talon-android.eml': ['Hello'],
  'talon-aol.eml': ['Hello'],
  'talon-apple_mail.eml': ['Hello'],
  'talon-camel_case_signature': [null],
  'talon-comcast.eml': ['Hello'],
  'talon-gmail.eml': ['Hello'],
  'talon-gmail.html': ['Hi. I am fine.', 'Alex'],
  'talon-iphone.eml': ['Hello'],
  'talon-iphone_reply_text': ['Hello'],
  'talon-long_signature': ['Gina Xxxxxxxxx', 'www.example.com'],
  'talon-ms_outlook_2007.html': ['Hi. I am fine.', 'Alex'],
  'talon-short_url_sender': ['Noam'],
  'talon-short_url_signature': ['Thank you,', 'Noam'],
  'talon-sparrow.eml': ['Hello'],
  'talon-sparrow_reply_text': ['Hello'],
  'talon-sparse_signature': ['----------------', 'http://www.example.com/in/xxx'],
  'talon-thunderbird.html': ['Hi. I am fine.', 'Alex'],
};

/** The samples are mails, HTML, or texts; one of them has headers and marks at its lines. */
function mailOf(name: string): Buffer {
  const bytes = readFileSync(join(folder, name));
  if (name.endsWith('.eml')) return bytes;
  const type = name.endsWith('.html') ? 'text/html' : 'text/plain';
  const text = bytes
    .toString('utf8')
    .replace(/^From: doe[\s\S]*?\n\n/, '')
    .replaceAll(/#(?:reply|sig)#/g, '');
  return Buffer.from(`From: ada@example.com\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${text}`);
}

describe.skipIf(root === '')('a recorded reply', () => {
  it('is expected of every file', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(kept).sort());
  });

  it.each(Object.entries(kept))('is trimmed: %s', async (name, [first, last = first]) => {
    const [event] = await smtp.parseInbound(
      { url: '', headers: {}, body: mailOf(name), receivedAt: NOW },
      channel,
    );
    const { text } = event as InboundMessage;
    const lines = text?.split('\n').map((line) => line.trim());
    expect([lines?.[0] ?? null, lines?.at(-1) ?? null]).toEqual([first, last]);
  });
});
