import type { ChannelKind } from '../providers/adapter.ts';

const RECEIVED = ['message.received'];
const STATUS = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];

/** What a subscription can be made for through version 2: events of today's names, on channels of one kind. */
export const v2Types = {
  WHATSAPP_MESSAGE_RECEIVED: { kind: 'whatsapp', events: RECEIVED },
  WHATSAPP_MESSAGE_STATUS: { kind: 'whatsapp', events: STATUS },
  SMS_MESSAGE_RECEIVED: { kind: 'sms', events: RECEIVED },
  SMS_MESSAGE_STATUS: { kind: 'sms', events: STATUS },
  EMAIL_MESSAGE_RECEIVED: { kind: 'email', events: RECEIVED },
  EMAIL_MESSAGE_STATUS: { kind: 'email', events: STATUS },
  INSTAGRAM_MESSAGE_RECEIVED: { kind: 'instagram', events: RECEIVED },
  INSTAGRAM_MESSAGE_STATUS: { kind: 'instagram', events: STATUS },
  INSTAGRAM_MESSAGE_ECHO: { kind: 'instagram', events: ['message.echo'] },
} as const satisfies Record<string, { kind: ChannelKind; events: readonly string[] }>;

export type V2Type = keyof typeof v2Types;
export const v2TypeNames = Object.keys(v2Types) as V2Type[];

/** SQL for the kind of channel that a column with one of these types speaks of. */
export const kindOfV2Type = (column: string): string => `lower(split_part(${column}, '_', 1))`;
