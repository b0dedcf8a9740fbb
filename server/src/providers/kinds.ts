/** The kinds of channels. */
export const channelKinds = ['whatsapp', 'sms', 'email', 'instagram'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The types of messages that can be sent; the others are only received. */
export const sendableTypes = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'reaction',
  'template',
  'email',
] as const;
export const messageTypes = [
  ...sendableTypes,
  'story_reply',
  'story_mention',
  'comment',
  'unsupported',
] as const;
export type MessageType = (typeof messageTypes)[number];

export const handleTypes = ['phone_number', 'email', 'instagram_id', 'whatsapp_id'] as const;
export type HandleType = (typeof handleTypes)[number];

/** An address of a contact, such as a phone number. */
export interface Handle {
  type: HandleType;
  value: string;
}
