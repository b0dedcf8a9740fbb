import type { ChannelKind } from '../providers/kinds.ts';

/** What a webhook of version 2 is for: one type of event, on all channels of a kind. They outlive the API of version 2. */
export const v2TypeNames = [
  'WHATSAPP_MESSAGE_RECEIVED',
  'WHATSAPP_MESSAGE_STATUS',
  'SMS_MESSAGE_RECEIVED',
  'SMS_MESSAGE_STATUS',
  'EMAIL_MESSAGE_RECEIVED',
  'EMAIL_MESSAGE_STATUS',
  'INSTAGRAM_MESSAGE_RECEIVED',
  'INSTAGRAM_MESSAGE_STATUS',
  'INSTAGRAM_MESSAGE_ECHO',
] as const satisfies `${Uppercase<ChannelKind>}_${string}`[];

export type V2Type = (typeof v2TypeNames)[number];

/** The kind of channel that a type is for: its first word. */
export const kindOf = (type: V2Type): ChannelKind => type.split('_', 1)[0]?.toLowerCase() as ChannelKind;
