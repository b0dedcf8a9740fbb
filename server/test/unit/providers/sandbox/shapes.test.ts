import fc from 'fast-check';
import twilioSdk from 'twilio';
import { expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import type { SimulatedEvent } from '../../../../src/providers/inbound-event.ts';
import { mediaTypeOf } from '../../../../src/providers/media-kind.ts';
import type { ProviderRequest } from '../../../../src/providers/provider-request.ts';
import type { SandboxShape } from '../../../../src/providers/sandbox/shape.ts';
import { emailShape } from '../../../../src/providers/sandbox/shapes/email.ts';
import { smsShape } from '../../../../src/providers/sandbox/shapes/sms.ts';

const URL_OF_CHANNEL = 'https://parley.test/providers/sandbox/1';
const SECRET = 'what the sandbox signs with';
const channelOf = (kind: 'sms' | 'email', address: string): AdapterChannel => ({
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind,
  address,
  config: {},
});
const sms = channelOf('sms', '+15550009999');

async function expectSame(
  shape: SandboxShape,
  event: SimulatedEvent,
  channel: AdapterChannel,
): Promise<ProviderRequest> {
  const request = await shape.write(event, channel, URL_OF_CHANNEL, SECRET);
  expect(shape.verifySignature(request, channel, SECRET)).toBe(true);
  expect(shape.verifySignature(request, channel, 'another secret')).toBe(false);
  expect(await shape.parse(request, channel)).toEqual([event]);
  return request;
}

/** Text that is trimmed, not empty and storable. */
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 200 })
  .map((one) =>
    one
      .toWellFormed()
      .replaceAll(/[\0\r\uFEFF]/g, '')
      .trim(),
  )
  .filter((one) => one !== '');
const line = text
  .map((one) => one.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/gu, '').trim())
  .filter((one) => one !== '');
const word = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 1,
  maxLength: 20,
});
const occurredAt = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
const number = fc
  .string({ unit: fc.constantFrom(...'0123456789'), minLength: 4, maxLength: 15 })
  .map((digits) => `+${digits}`);
const uuid = fc.uuid({ version: 7 });
const mimeType = fc.constantFrom('image/png', 'video/mp4', 'audio/ogg', 'application/pdf', 'text/vcard');

const smsMessage = fc
  .record({
    vendorId: word.map((one) => `sandbox-${one}`),
    occurredAt,
    from: number,
    name: fc.option(line),
    text: fc.option(fc.oneof(text, fc.constantFrom('STOP', ' stop ', 'Start'))),
    media: fc.array(fc.record({ mimeType, url: fc.webUrl() }), { maxLength: 10 }),
    optOutType: fc.option(fc.constantFrom('stop' as const, 'start' as const)),
  })
  .map(({ from, name, media, optOutType, ...rest }): SimulatedEvent => {
    const subscription = optOutType ?? undefined;
    return {
      kind: 'message',
      ...rest,
      contact: { type: 'phone_number', value: from, name },
      type: media[0] ? mediaTypeOf(media[0].mimeType ?? '') : 'text',
      media: media.map(({ mimeType, url }) => ({ mimeType, filename: null, size: null, ref: { url } })),
      content: {},
      ...(subscription === undefined ? {} : { subscription }),
    };
  });
const error = fc.record({ code: fc.integer({ min: 10_000, max: 99_999 }).map(String), message: line });
const smsStatus = fc
  .record({
    vendorId: word,
    occurredAt,
    messageId: fc.option(uuid),
    status: fc.constantFrom('sent', 'delivered', 'read', 'failed'),
    error,
  })
  .map(
    ({ messageId, error, ...rest }): SimulatedEvent => ({
      kind: 'status',
      ...rest,
      ...(messageId === null ? {} : { messageId }),
      ...(rest.status === 'failed' ? { error } : {}),
    }),
  );

it('events of SMS in the sandbox are parsed as they were written, and Twilio’s own validator accepts them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(smsMessage, smsStatus), async (event) => {
      const { url, headers, body } = await expectSame(smsShape, event, sms);
      const params = Object.fromEntries(new URLSearchParams(body.toString()));
      const signature = headers['x-twilio-signature'] as string;
      expect(twilioSdk.validateRequest(SECRET, signature, url, params)).toBe(true);
      expect(twilioSdk.validateRequest('another', signature, url, params)).toBe(false);
    }),
    { numRuns: 100 },
  );
});

const address = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.example`);
const messageId = fc.tuple(word, word).map(([local, domain]) => `<${local}@${domain}.example>`);
const mail = fc
  .record({
    vendorId: messageId,
    occurredAt,
    from: address,
    name: fc.option(line),
    text: fc.option(text),
    subject: fc.option(line),
    html: fc.option(text.map((one) => `<p>${one}</p>`)),
    cc: fc.uniqueArray(address, { maxLength: 3 }),
    files: fc.array(
      fc.record({ mimeType, filename: fc.option(word), bytes: fc.uint8Array({ maxLength: 300 }) }),
      { maxLength: 3 },
    ),
    replyTo: fc.uniqueArray(messageId, { maxLength: 5 }),
    replyToMessageId: fc.option(uuid),
    isAutomatic: fc.boolean(),
  })
  .map(
    ({
      from,
      name,
      subject,
      html,
      cc,
      files,
      replyTo,
      replyToMessageId,
      isAutomatic,
      ...rest
    }): SimulatedEvent => ({
      kind: 'message',
      ...rest,
      contact: { type: 'email', value: from, name },
      type: 'email',
      media: [
        ...files.map(({ mimeType, filename, bytes }) => ({
          mimeType,
          filename,
          size: bytes.length,
          bytes: Buffer.from(bytes),
        })),
      ],
      // HTML without a text gets one when it is parsed.
      content: { subject, html: rest.text === null ? null : html, cc },
      ...(replyTo.length === 0 ? {} : { replyTo }),
      ...(replyToMessageId === null ? {} : { replyToMessageId }),
      ...(isAutomatic ? { isAutomatic } : {}),
    }),
  );
const report = fc
  .record({
    vendorId: messageId,
    occurredAt,
    messageId: fc.option(uuid),
    status: fc.constantFrom('delivered' as const, 'failed' as const),
    message: line,
  })
  .map(
    ({ messageId, message, ...rest }): SimulatedEvent => ({
      kind: 'status',
      ...rest,
      ...(messageId === null ? {} : { messageId }),
      ...(rest.status === 'failed' ? { error: { code: '5.1.1', message } } : {}),
    }),
  );

it('events of mail in the sandbox are parsed as they were written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(mail, report), fc.constantFrom('help@shop.test', '+15550009999'), (event, at) =>
      expectSame(emailShape, event, channelOf('email', at)).then(() => {}),
    ),
    { numRuns: 100 },
  );
});

it('events that a kind of channel does not have are refused', async () => {
  const at = new Date();
  const readReceipt: SimulatedEvent = {
    kind: 'read_receipt',
    occurredAt: at,
    until: at,
    contact: { type: 'email', value: 'a@b.c', name: null },
  };
  expect(() => smsShape.write(readReceipt, sms, URL_OF_CHANNEL, SECRET)).toThrow('read_receipt');
  await expect(emailShape.write(readReceipt, sms, URL_OF_CHANNEL, SECRET)).rejects.toThrow('read_receipt');
  const read: SimulatedEvent = { kind: 'status', vendorId: '<a@b>', occurredAt: at, status: 'read' };
  await expect(emailShape.write(read, sms, URL_OF_CHANNEL, SECRET)).rejects.toThrow('read');
});
