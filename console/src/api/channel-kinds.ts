export const CHANNEL_KINDS = ['whatsapp', 'sms', 'email', 'instagram'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** Kinds on which a person must have written before anything but a template is sent. */
export const hasReplyWindow = (kind: string | undefined): boolean =>
  kind === 'whatsapp' || kind === 'instagram';
/** Kinds on which the customer sees which message an answer belongs to. */
export const hasQuotes = (kind: string | undefined): boolean => kind === 'whatsapp' || kind === 'email';

const HANDLES: Readonly<Record<ChannelKind, readonly string[]>> = {
  whatsapp: ['phone_number', 'whatsapp_id'],
  sms: ['phone_number'],
  email: ['email'],
  instagram: ['instagram_id'],
};
/** Whether somebody can be reached on a kind of channel. */
export const isReachable = (handles: readonly { type: string }[], kind: ChannelKind): boolean =>
  handles.some(({ type }) => HANDLES[kind].includes(type));

export const isChannelKind = (text: string): text is ChannelKind =>
  CHANNEL_KINDS.some((kind) => kind === text);
