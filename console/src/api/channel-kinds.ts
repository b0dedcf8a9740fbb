export const CHANNEL_KINDS = ['whatsapp', 'sms', 'email', 'instagram'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const isChannelKind = (text: string): text is ChannelKind =>
  CHANNEL_KINDS.some((kind) => kind === text);
