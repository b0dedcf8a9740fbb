import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import { smtp } from '../../../../src/providers/smtp/smtp.ts';
import { NOW } from '../../../kit/adapter-context.ts';

const folder = process.env.PARLEY_FIXTURES;
if (!folder)
  process.stdout.write('PARLEY_FIXTURES is not set: recorded mails are not held against the parser\n');

const REPLY = '6bdc3f4d-0bec-4515-a284-5d916fdde489';

async function read(name: string) {
  const body = readFileSync(join(String(folder), 'email', `${name}.eml`));
  const channel = {
    id: newId(),
    tenantId: newId(),
    kind: 'email' as const,
    address: 'reply@example.com',
    config: smtp.configure({ from: 'reply@example.com', smtp: { host: 'a', port: 25 } }, {}),
  };
  const events = await smtp.parseInbound({ url: '', headers: {}, body, receivedAt: NOW }, channel);
  expect(events).toHaveLength(1);
  return events[0];
}

describe.skipIf(!folder)('a recorded mail', () => {
  it('that only has text', async () => {
    expect(await read('only_text')).toEqual({
      kind: 'message',
      vendorId: '<6215e5ca3e3b2_10bc6197e4224d1@tejaswinis-MacBook-Pro.local.mail>',
      occurredAt: new Date('2022-02-23T07:44:10.000Z'),
      contact: { type: 'email', value: 'text@example.com', name: null },
      type: 'email',
      text: 'text only mail',
      media: [],
      content: { subject: 'test text only mail', html: null, cc: [] },
    });
  });

  it('that only has HTML', async () => {
    expect(await read('only_html')).toMatchObject({
      text: 'This is html only mail',
      content: { html: expect.stringContaining('<h1>\nThis is html only mail\n</h1>') },
    });
  });

  it('without a date', async () => {
    expect(await read('mail_with_no_date')).toMatchObject({ occurredAt: NOW, text: 'text only mail' });
  });

  it('that was sent automatically, with pictures', async () => {
    expect(await read('auto_reply_with_auto_submitted')).toMatchObject({
      isAutomatic: true,
      replyTo: ['<4e6e35f5a38b4_479f13bb90078178@small-app-01.mail>'],
      contact: { value: 'sony@chatwoot.com', name: 'Sony Mathew' },
      text: "Let's talk about these images:",
      media: [
        { mimeType: 'image/jpg', filename: 'avatar1.jpeg', size: 20535, bytes: expect.any(Buffer) },
        { mimeType: 'image/jpg', filename: 'avatar2.jpg', size: 12686 },
      ],
    });
  });

  it('that bounced', async () => {
    expect(await read('bounced_gmail')).toEqual({
      kind: 'status',
      vendorId: '<conversation/93775311-9416-4428-964b-862001f8a8b2/messages/27855337@gmail.com>',
      occurredAt: new Date('2025-07-03T22:44:25.000Z'),
      recipients: ['alex.jones@fictionalcorp.com'],
      status: 'failed',
      error: { code: '5.1.1', message: expect.stringMatching(/^550 5\.1\.1 The email account/) },
    });
  });

  it('with pictures that only its HTML references', async () => {
    expect(await read('cid_inline_images_without_disposition')).toMatchObject({
      text: 'This is a plain text version of the message.',
      media: [{ mimeType: 'image/jpeg', size: 102 }],
      content: { html: expect.stringContaining('src="cid:image001.jpg@test"') },
    });
  });

  it('that quotes a message, and was sent to its own address', async () => {
    expect(await read('mail_with_quote')).toMatchObject({
      replyTo: [
        '<0100017b5d8efc70-c7f18809-aa55-48f6-91fd-b626092ed8b3-000000@email.amazonses.com>',
        '<CAFkiBVxGoURoqdkY-O_25F-8b41kb-GWBc6hh4Djd5ynwOikXA@mail.gmail.com>',
      ],
      replyToMessageId: REPLY,
      text: 'Yes, I am providing you step how to reproduce this issue',
      content: {
        quotedText: expect.stringContaining('> Any update on this?'),
        fullText: expect.stringContaining('> Any update on this?'),
      },
    });
  });

  it.each(['mail_with_references', 'references'])('with references: %s', async (name) => {
    expect(await read(name)).toMatchObject({
      vendorId: '<0CB459E0-0336-41DA-BC88-E6E28C697DDBF@chatwoot.com>',
      replyTo: ['<4e6e35f5a38b4_479f13bb90078178@small-app-01.mail>', '<test-reference-id>'],
    });
  });

  it('with thirty files', async () => {
    const event = await read('multiple_attachments');
    expect(event).toMatchObject({ media: Array.from({ length: 30 }, () => ({ mimeType: 'image/png' })) });
  });

  it('that replies to several', async () => {
    expect(await read('multiple_in_reply_to')).toMatchObject({
      replyTo: [
        '<4e6e35f5a38b4_479f13bb90078171@small-app-01.mail>',
        '<4e6e35f5a38b4_479f13bb90078131@small-app-01.mail>',
        '<4e6e35f5a38b4_479f13bb90078178@small-app-01.mail>',
      ],
    });
  });

  it('in Arabic', async () => {
    expect(await read('non_utf_encoded_mail')).toMatchObject({
      contact: { value: 'example@gmail.com', name: 'متجر سوق نت' },
      text: 'أنظروا، أنا أحتاجها فقط لتقوم بالتدقيق في مقالتي الشخصية',
      content: { subject: expect.stringContaining('أهلين عميلنا الكريم') },
      replyTo: ['<4e6e35f5a38b4_479f13bb90078178@small-app-01.mail>'],
      replyToMessageId: REPLY,
      isAutomatic: true,
    });
  });

  it('with others in copy', async () => {
    expect(await read('reply_cc')).toMatchObject({
      contact: { value: 'sony@chatwoot.com' },
      content: { cc: ['test@example.com'] },
    });
  });
});
