import type { ChatSignal } from './adapter.ts';
import type { ChannelConfig } from './adapter-channel.ts';
import type { ChannelKind, HandleType, MessageType } from './kinds.ts';

/** What can be sent over a kind of channel, through any vendor. */
export interface Capabilities {
  /** The types of handles that messages are sent to, the usual one first. */
  handles: readonly HandleType[];
  types: readonly MessageType[];
  text: { max: number; unit: 'characters' | 'bytes' };
  /** The limit of texts beside media. */
  maxCaption: number;
  media: Partial<Record<MessageType, { maxBytes: number; mimeTypes: readonly string[] }>>;
  maxMedia: number;
  /** Over all files of a message. */
  maxMediaBytes: number;
  /** What the contact can be shown about the chat. */
  signals: readonly ChatSignal[];
}

const MB = 1024 * 1024;
const any = ['*/*'];

export const capabilities: Record<ChannelKind, Capabilities> = {
  // https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media
  whatsapp: {
    handles: ['phone_number', 'whatsapp_id'],
    types: [
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
    ],
    text: { max: 4096, unit: 'characters' },
    maxCaption: 1024,
    media: {
      image: { maxBytes: 5 * MB, mimeTypes: ['image/jpeg', 'image/png'] },
      video: { maxBytes: 16 * MB, mimeTypes: ['video/mp4', 'video/3gpp'] },
      audio: {
        maxBytes: 16 * MB,
        mimeTypes: ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg', 'audio/opus'],
      },
      document: { maxBytes: 100 * MB, mimeTypes: any },
      sticker: { maxBytes: MB / 2, mimeTypes: ['image/webp'] },
    },
    maxMedia: 1,
    maxMediaBytes: 100 * MB,
    // A typing indicator ends by itself after 25 seconds.
    signals: ['read', 'typing'],
  },
  instagram: {
    handles: ['instagram_id'],
    types: ['text', 'image', 'video', 'audio', 'interactive', 'template'],
    text: { max: 1000, unit: 'bytes' },
    maxCaption: 0,
    media: {
      image: { maxBytes: 8 * MB, mimeTypes: ['image/jpeg', 'image/png'] },
      video: { maxBytes: 25 * MB, mimeTypes: ['video/*'] },
      audio: { maxBytes: 25 * MB, mimeTypes: ['audio/*'] },
    },
    maxMedia: 1,
    maxMediaBytes: 25 * MB,
    signals: ['read', 'typing', 'stop_typing'],
  },
  sms: {
    handles: ['phone_number'],
    types: ['text', 'image', 'video', 'audio', 'document', 'template'],
    text: { max: 1600, unit: 'characters' },
    maxCaption: 1600,
    media: {
      image: { maxBytes: 5 * MB, mimeTypes: ['image/*'] },
      video: { maxBytes: 5 * MB, mimeTypes: ['video/*'] },
      audio: { maxBytes: 5 * MB, mimeTypes: ['audio/*'] },
      document: { maxBytes: 5 * MB, mimeTypes: any },
    },
    maxMedia: 10,
    maxMediaBytes: 5 * MB,
    signals: [],
  },
  email: {
    handles: ['email'],
    types: ['text', 'email', 'image', 'video', 'audio', 'document', 'template'],
    text: { max: 500_000, unit: 'characters' },
    maxCaption: 500_000,
    media: {
      email: { maxBytes: 25 * MB, mimeTypes: any },
      image: { maxBytes: 25 * MB, mimeTypes: ['image/*'] },
      video: { maxBytes: 25 * MB, mimeTypes: ['video/*'] },
      audio: { maxBytes: 25 * MB, mimeTypes: ['audio/*'] },
      document: { maxBytes: 25 * MB, mimeTypes: any },
    },
    maxMedia: 20,
    maxMediaBytes: 25 * MB,
    signals: [],
  },
};

/**
 * What errors say about the recipient, through any vendor: it has opted out there, or it does not exist. Others, such as
 * WhatsApp's 131026, have several causes and say nothing for sure. Twilio: https://www.twilio.com/docs/api/errors; mail:
 * RFC 3463, and 550, 551 and 553 as the answer to an address.
 */
export const recipientErrors: Record<
  ChannelKind,
  { optedOut: readonly string[]; invalid: readonly string[] }
> = {
  whatsapp: { optedOut: ['131050'], invalid: [] },
  instagram: { optedOut: [], invalid: [] },
  sms: { optedOut: ['21610'], invalid: ['21211', '21614', '30005', '30006'] },
  email: {
    optedOut: [],
    invalid: ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1', '550', '551', '553'],
  },
};

const DAY_MS = 24 * 3600_000;

/** How long after an inbound message a free-form reply is allowed; null if there is no reply window. */
export function replyWindowMs(kind: ChannelKind, config: ChannelConfig): number | null {
  if (kind === 'whatsapp') return DAY_MS;
  if (kind === 'instagram') return config.humanAgent === true ? 7 * DAY_MS : DAY_MS;
  return null;
}

/** Whether free-form messages are allowed only for a while after an inbound one. */
export const hasReplyWindow = (kind: ChannelKind): boolean => replyWindowMs(kind, {}) !== null;

/** How long after a public comment its author may be sent one message, whatever the reply window says. */
export const PRIVATE_REPLY_MS = 7 * DAY_MS;
