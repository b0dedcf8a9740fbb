import { isUuid } from '../../base/ids.ts';
import {
  type InboundEvent,
  type InboundMedia,
  type InboundMessage,
  type InboundStatus,
  type MessageType,
  type ProviderRequest,
  receiptOf,
  type VendorStatus,
} from '../adapter.ts';
import { clean } from '../clean.ts';
import { describeError } from './errors.ts';

/** Under which the callback URL carries our own id. */
export const MESSAGE_ID = 'messageId';

const stopWords = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];
const startWords = ['START', 'UNSTOP'];

/** What a text as a whole asks for. Within a sentence these words mean nothing. */
export function subscriptionOf(text: string | null): 'stop' | 'start' | undefined {
  const word = text?.trim().toUpperCase() ?? '';
  return stopWords.includes(word) ? 'stop' : startWords.includes(word) ? 'start' : undefined;
}

// Whatever is left out says only that the message is still with Twilio.
const statuses: Record<string, VendorStatus> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};

const MEDIA_MOST = 10;

export const mediaType = (mimeType: string | null): MessageType => {
  const kind = mimeType?.split('/')[0] ?? '';
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'document';
};

/** What a request of Twilio's says: one message, or the status of one. */
export function parseTwilio(request: ProviderRequest): InboundEvent[] {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const field = (name: string): string | null => {
    const value = form.get(name);
    return value === null || value === '' ? null : clean(value);
  };
  const vendorId = field('MessageSid') ?? field('SmsSid');
  if (vendorId === null) throw new Error('The form names no message.');
  const occurredAt = receiptOf(request);
  const told = field('MessageStatus');
  if (told !== null && told !== 'received') return statusOf(vendorId, told, occurredAt);
  const from = field('From');
  if (from === null) throw new Error('The form does not say who wrote.');

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
    type: media[0] ? mediaType(media[0].mimeType) : 'text',
    text,
    media,
    content: {},
    ...(subscription === undefined ? {} : { subscription }),
  };
  return [message];

  function mediaOf(): InboundMedia[] {
    const count = Math.min(Number(field('NumMedia')) || 0, MEDIA_MOST);
    return Array.from({ length: count }, (_, number) => number).flatMap((number) => {
      const url = field(`MediaUrl${number}`);
      const mimeType = field(`MediaContentType${number}`);
      return url === null ? [] : [{ mimeType, filename: null, size: null, ref: { url } }];
    });
  }

  function statusOf(vendorId: string, told: string, occurredAt: Date): InboundStatus[] {
    const status = statuses[told];
    if (status === undefined) return [];
    const messageId = URL.canParse(request.url) ? new URL(request.url).searchParams.get(MESSAGE_ID) : null;
    const code = field('ErrorCode') ?? told;
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
