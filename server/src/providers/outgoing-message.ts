import type { Readable } from 'node:stream';
import type { Handle, MessageType } from './kinds.ts';
import type { VendorError } from './vendor-failure.ts';
import type { OutgoingTemplate } from './vendor-template.ts';

/** A file to be sent, by its public URL or as bytes. */
export interface OutgoingMedia {
  url: string;
  mimeType: string;
  filename: string;
  /** Null if the file is not ours. */
  size: number | null;
  /** Reads the bytes; only of our own files. */
  read?: () => Readable;
}

/** A message to be sent, with everything that it refers to. */
export interface OutgoingMessage {
  /** Our own id, the same in every attempt. */
  id: string;
  to: Handle;
  type: MessageType;
  text: string | null;
  media: OutgoingMedia[];
  content: Record<string, unknown>;
  template: OutgoingTemplate | null;
  /** The vendor's id of the message that it replies or reacts to. */
  replyToVendorId: string | null;
  /** The type of that message. */
  replyToType?: MessageType | null;
  /** The vendor's ids of the messages before it in the chat, the oldest first, for the References header of mails. */
  references: string[];
  /** The subject of the mail that it replies to. */
  threadSubject?: string | null;
  /** Where the sender of the latest mail wants the answer, if that is another address. */
  threadReplyTo?: string;
  /** Sent by an automation or a campaign. */
  isAutomatic: boolean;
  /** Where the recipient unsubscribes; only of marketing mails. */
  unsubscribeUrl?: string;
}

/**
 * The result of a send. `retry`: `never`; `backoff`: later; `reauth`: with new credentials; `needs_template`: only as a
 * template; `unknown`: the answer was lost after bytes were sent, so it is unknown whether the message was sent.
 */
export type SendResult =
  | { ok: true; vendorId: string; status: 'sent' | 'queued'; contact?: Handle[] }
  | {
      ok: false;
      error: VendorError;
      retry: 'never' | 'backoff' | 'reauth' | 'needs_template' | 'unknown';
      retryAfterMs?: number;
    };

export type Reconciled =
  | { outcome: 'sent'; vendorId: string }
  | { outcome: 'not_sent' }
  | { outcome: 'unknown' };
