import { isUuid } from '../../base/ids.ts';
import { storable } from '../../base/storable.ts';
import type {
  InboundEvent,
  InboundMedia,
  InboundMessage,
  InboundStatus,
  VendorContact,
  VendorStatus,
} from '../inbound-event.ts';
import { mediaTypeOf } from '../media-kind.ts';
import { type ProviderRequest, receivedAtOf } from '../provider-request.ts';
import { describeError } from './errors.ts';
import { splitAddress } from './transport.ts';

/** The query parameter of the callback URL with our own message id. */
export const MESSAGE_ID = 'messageId';

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

  const { transport, value } = splitAddress(from);
  // People on Facebook Messenger have ids that are no handles here.
  if (transport === 'messenger') return [];
  const choice = choiceOf();
  const location = locationOf();
  const text = field('Body') ?? choice?.title ?? null;
  const media = mediaOf();
  const optOut = field('OptOutType')?.toLowerCase();
  const subscription = optOut === 'stop' || optOut === 'start' ? optOut : undefined;
  const message: InboundMessage = {
    kind: 'message',
    vendorId,
    occurredAt,
    contact: contactOf(),
    type: media[0]
      ? mediaTypeOf(media[0].mimeType ?? '')
      : choice
        ? 'interactive'
        : location
          ? 'location'
          : 'text',
    text,
    media,
    content: { ...location, ...choice, ...(transport === null ? {} : { transport }) },
    ...(subscription === undefined ? {} : { subscription }),
  };
  return [message];

  /** WhatsApp's own ids of people, such as `US.…`, are no numbers. */
  function contactOf(): VendorContact {
    const name = field('ProfileName');
    if (transport === 'whatsapp' && !/^\+?[0-9]+$/.test(value)) return { type: 'whatsapp_id', value, name };
    return { type: 'phone_number', value: /^[0-9]+$/.test(value) ? `+${value}` : value, name };
  }

  /** The button that the customer has chosen. */
  function choiceOf(): { id: string; title: string | null } | undefined {
    const id = field('ButtonPayload') ?? field('ListId');
    const title = field('ButtonText') ?? field('ListTitle');
    return id === null && title === null ? undefined : { id: id ?? '', title };
  }

  function locationOf(): Record<string, unknown> | undefined {
    const [latitude, longitude] = [numberIn('Latitude'), numberIn('Longitude')];
    if (latitude === null || longitude === null) return undefined;
    return { latitude, longitude, name: field('Label'), address: field('Address') };
  }

  function numberIn(name: string): number | null {
    const text = field(name);
    return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
  }

  function mediaOf(): InboundMedia[] {
    const count = Math.min(Number(field('NumMedia')) || 0, MAX_MEDIA);
    return Array.from({ length: count }, (_, number) => number).flatMap((number) => {
      const url = field(`MediaUrl${number}`);
      const mimeType = field(`MediaContentType${number}`);
      return url === null ? [] : [{ mimeType, filename: null, size: null, ref: { url } }];
    });
  }

  function statusOf(vendorId: string, messageStatus: string, occurredAt: Date): InboundStatus[] {
    const status = Object.hasOwn(statuses, messageStatus) ? statuses[messageStatus] : undefined;
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
