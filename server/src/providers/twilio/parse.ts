import { isUuid } from '../../base/ids.ts';
import { storable } from '../../base/storable.ts';
import {
  type InboundEvent,
  type InboundMedia,
  type InboundMessage,
  type InboundStatus,
  type ProviderRequest,
  receivedAtOf,
  type VendorStatus,
} from '../adapter.ts';
import { mediaTypeOf } from '../media-kind.ts';
import { describeError } from './errors.ts';

/** The query parameter of the callback URL with our own message id. */
export const MESSAGE_ID = 'messageId';

const stopWords = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];
const startWords = ['START', 'UNSTOP'];

/** The opt-out or opt-in that a text consists of. Within a sentence these words are ignored. */
export function subscriptionOf(text: string | null): 'stop' | 'start' | undefined {
  const word = text?.trim().toUpperCase() ?? '';
  return stopWords.includes(word) ? 'stop' : startWords.includes(word) ? 'start' : undefined;
}

// The other statuses mean that the message is still at Twilio.
const statuses: Record<string, VendorStatus> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};

const MAX_MEDIA = 10;

/** The event in a request of Twilio: a message, or the status of one. */
export function parseTwilio(request: ProviderRequest): InboundEvent[] {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const field = (name: string): string | null => {
    const value = form.get(name);
    return value === null || value === '' ? null : storable(value);
  };
  const vendorId = field('MessageSid') ?? field('SmsSid');
  if (vendorId === null) throw new Error('The form has no MessageSid.');
  const occurredAt = receivedAtOf(request);
  const messageStatus = field('MessageStatus');
  if (messageStatus !== null && messageStatus !== 'received')
    return statusOf(vendorId, messageStatus, occurredAt);
  const from = field('From');
  if (from === null) throw new Error('The form has no From.');

  const text = field('Body');
  const media = mediaOf();
  const optOut = field('OptOutType')?.toLowerCase();
  const subscription = optOut === 'stop' || optOut === 'start' ? optOut : subscriptionOf(text);
  const message: InboundMessage = {
    kind: 'message',
    vendorId,
    occurredAt,
    contact: {
      type: 'phone_number',
      value: /^[0-9]+$/.test(from) ? `+${from}` : from,
      name: field('ProfileName'),
    },
    type: media[0] ? mediaTypeOf(media[0].mimeType ?? '') : 'text',
    text,
    media,
    content: {},
    ...(subscription === undefined ? {} : { subscription }),
  };
  return [message];

  function mediaOf(): InboundMedia[] {
    const count = Math.min(Number(field('NumMedia')) || 0, MAX_MEDIA);
    return Array.from({ length: count }, (_, number) => number).flatMap((number) => {
      const url = field(`MediaUrl${number}`);
      const mimeType = field(`MediaContentType${number}`);
      return url === null ? [] : [{ mimeType, filename: null, size: null, ref: { url } }];
    });
  }

  function statusOf(vendorId: string, messageStatus: string, occurredAt: Date): InboundStatus[] {
    const status = statuses[messageStatus];
    if (status === undefined) return [];
    const messageId = URL.canParse(request.url) ? new URL(request.url).searchParams.get(MESSAGE_ID) : null;
    const code = field('ErrorCode') ?? messageStatus;
    return [
      {
        kind: 'status',
        vendorId,
        occurredAt,
        status,
        ...(messageId !== null && isUuid(messageId) ? { messageId: messageId.toLowerCase() } : {}),
        ...(status === 'failed'
          ? { error: { code, message: field('ErrorMessage') ?? describeError(code) } }
          : {}),
      },
    ];
  }
}
