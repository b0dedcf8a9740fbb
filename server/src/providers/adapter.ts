import type { Readable } from 'node:stream';
import type { OutboundRequest, OutboundResponse } from '../outbound/exchange.ts';
import type { OutboundSockets } from '../outbound/sockets.ts';

/** The kinds of channel, by the medium that people write on. */
export const channelKinds = ['whatsapp', 'sms', 'email', 'instagram'] as const;
export type ChannelKind = (typeof channelKinds)[number];

export const messageTypes = [
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
  'story_reply',
  'story_mention',
  'unsupported',
] as const;
export type MessageType = (typeof messageTypes)[number];

export const handleTypes = ['phone_number', 'email', 'instagram_id', 'whatsapp_id'] as const;
export type HandleType = (typeof handleTypes)[number];

/** A vendor's request as it came over the wire. Signatures are over these bytes, so they are never re-serialized. */
export interface ProviderRequest {
  /** As the vendor called it, from the public base URL on: some sign the URL, too. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  /** When it reached us, known of every request that was stored: what vendors mean who tell no time. */
  receivedAt?: Date;
}

/** One name of a person on a medium. */
export interface Handle {
  type: HandleType;
  value: string;
}

/** The person on the other side, as the vendor names them: by the first handle above all, and by others it tells. */
export interface VendorContact extends Handle {
  /** The name in the person's own profile. */
  name: string | null;
  /** Further handles of the same person, such as WhatsApp's id beside a number. */
  others?: Handle[];
}

/** A file that came with a message: its bytes, or what the adapter needs to fetch them. */
export interface InboundMedia {
  mimeType: string | null;
  filename: string | null;
  size: number | null;
  bytes?: Buffer;
  ref?: Record<string, unknown>;
}

interface Reported {
  occurredAt: Date;
}

/** What was written, by a person (`message`) or by the business elsewhere, such as in the vendor's own app (`echo`). */
export interface InboundMessage extends Reported {
  kind: 'message' | 'echo';
  /** The vendor's id of the message: however often it arrives, it is one message. */
  vendorId: string;
  /** The customer, also where the business wrote. */
  contact: VendorContact;
  type: MessageType;
  text: string | null;
  media: InboundMedia[];
  /** By type, as docs/decisions.md says. What a reaction is about is named by `replyTo`. */
  content: Record<string, unknown>;
  /** What it answers, reacts to or quotes: the vendor's ids, the likeliest first. */
  replyTo?: string[];
  /** What it answers, where the vendor gave our own id back. */
  replyToMessageId?: string;
  /** The person asks not to be written to any more, or takes that back. */
  subscription?: 'stop' | 'start';
  /** Written by a machine, such as an out-of-office note: nothing may answer it by itself. */
  isAutomatic?: boolean;
}

export const vendorStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
export type VendorStatus = (typeof vendorStatuses)[number];

export interface VendorError {
  code: string;
  message: string;
}

/** How far a message of ours has come. */
export interface InboundStatus extends Reported {
  kind: 'status';
  vendorId: string;
  /** Our own id, where the vendor gives it back: it settles what became of a send whose answer was lost. */
  messageId?: string;
  status: VendorStatus;
  error?: VendorError;
}

/** The person has read everything up to a moment. */
export interface InboundReadReceipt extends Reported {
  kind: 'read_receipt';
  contact: VendorContact;
  until: Date;
}

/** A message that exists already was changed or taken back by whoever wrote it. */
export interface InboundMutation extends Reported {
  kind: 'mutation';
  vendorId: string;
  change: 'edit' | 'delete';
  text?: string | null;
}

/** A person goes by another handle now. */
export interface InboundIdentity extends Reported {
  kind: 'identity';
  vendorId: string;
  from: Handle;
  to: Handle;
}

export const templateStatuses = ['pending', 'approved', 'rejected', 'paused', 'disabled'] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

/** The vendor decided on a template. */
export interface InboundTemplateStatus extends Reported {
  kind: 'template_status';
  vendorId: string;
  name: string;
  language: string;
  status: TemplateStatus;
  reason: string | null;
}

/** Something a vendor told us, in the words of the house. */
export type InboundEvent =
  | InboundMessage
  | InboundStatus
  | InboundReadReceipt
  | InboundMutation
  | InboundIdentity
  | InboundTemplateStatus;

/** A channel's settings: the client's, and what the adapter keeps there for itself. Stored encrypted. */
export type ChannelConfig = Record<string, unknown>;

/** A channel as its adapter sees it. */
export interface AdapterChannel {
  id: string;
  tenantId: string;
  kind: ChannelKind;
  address: string;
  config: ChannelConfig;
}

/** What is to be put right with a channel, by its path in the channel's own words where there is one. */
export interface ChannelProblem {
  path?: string;
  message: string;
}

/** A file that is to be sent. Vendors take it by its public URL or as bytes. */
export interface OutgoingMedia {
  url: string;
  mimeType: string;
  filename: string;
  /** Null for what is at somebody else's URL. */
  size: number | null;
  /** The bytes, of a file of ours only. */
  read?: () => Readable;
}

/** A template with what it says this time. */
export interface OutgoingTemplate {
  name: string;
  language: string;
  vendorId: string | null;
  header: { type: string; text: string | null; url: string | null } | null;
  body: string;
  footer: string | null;
  buttons: { type: string; text: string; url: string | null; phoneNumber: string | null }[];
  /** One value for each variable of its texts. */
  variables: Record<string, string>;
}

/** A message on its way out. Everything that it refers to has been looked up. */
export interface OutgoingMessage {
  /** Ours, the same on every attempt. */
  id: string;
  to: Handle;
  type: MessageType;
  text: string | null;
  media: OutgoingMedia[];
  content: Record<string, unknown>;
  template: OutgoingTemplate | null;
  /** The vendor's id of the message that it answers or reacts to. */
  replyToVendorId: string | null;
  /** The vendor's ids of the messages before it in its conversation, the oldest first: a mail names them. */
  references: string[];
  /** The subject of the mail that it answers, where it says none of its own. */
  threadSubject?: string | null;
  /** Nobody wrote it: an automation or a campaign did. */
  isAutomatic: boolean;
}

/**
 * What a vendor said to a send. `retry`: never; after a while; once the credentials are mended; not unless as a
 * template; `unknown`: nobody can tell whether it was sent, because the answer was lost after bytes went out.
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

/** Where the sandbox keeps what it accepted, and what it will tell of it: committed together, once a message. */
export interface SandboxStore {
  accept(
    channel: AdapterChannel,
    accepted: {
      messageId: string;
      vendorId: string;
      to: string;
      type: MessageType;
      text: string | null;
      content: Record<string, unknown>;
    },
    /** Requests that the vendor will send, each at its time. */
    later: { at: Date; request: ProviderRequest }[],
  ): Promise<void>;
  find(messageId: string): Promise<{ vendorId: string } | undefined>;
  /** An uploaded file of the channel's own tenant: what a customer sends in the sandbox may be one. */
  readFile(
    channel: AdapterChannel,
    fileId: string,
  ): Promise<{ bytes: Buffer; mimeType: string; filename: string } | undefined>;
}

/** What adapters may use of the world: the guarded client and its sockets, the time, and nothing else. */
export interface AdapterContext extends OutboundSockets {
  /** The time that it is for whoever has the channel. */
  now(channel: Pick<AdapterChannel, 'tenantId'>): Date;
  /** The guarded client. Every failure is an `OutboundError` whose phase says how far it came. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Where the vendor is to call for this channel, such as `https://…/providers/twilio/{channelId}`. */
  callbackUrl(provider: string, channelId: string): string;
  sandbox: SandboxStore;
}

/** A template as the vendor has it. */
export interface VendorTemplate {
  vendorId: string;
  name: string;
  language: string;
  category: 'marketing' | 'utility' | 'authentication';
  status: TemplateStatus;
  reason: string | null;
  header: OutgoingTemplate['header'];
  body: string;
  footer: string | null;
  buttons: OutgoingTemplate['buttons'];
}

export type NewVendorTemplate = Omit<VendorTemplate, 'vendorId' | 'status' | 'reason'> & {
  /** A value for each variable, for whoever reviews it. */
  examples: Record<string, string>;
};

/** How far a mailbox has been read: ids of mails only grow, as long as its validity stays the same. */
export interface MailboxCursor {
  uidValidity: number;
  uid: number;
}

/** What the vendor refused, in its words; thrown by the template functions and by `fetchMedia`. */
export class VendorFailure extends Error {
  readonly code: string;
  /** Whether the same may succeed later. */
  readonly isPassing: boolean;
  constructor(code: string, message: string, isPassing = false) {
    super(message);
    this.code = code;
    this.isPassing = isPassing;
  }
}

/** One vendor. Knows no database and no HTTP framework: bytes in, words of the house out. */
export interface Adapter {
  readonly provider: string;
  readonly kinds: readonly ChannelKind[];
  /** How many messages a second one channel may send; null where the vendor sets no limit. */
  readonly perSecond: number | null;
  /** How long to leave between two messages to one person. */
  readonly perContactMs: number;
  /** How long one attempt at sending may take, where half a minute is not enough. */
  readonly sendMs?: number;
  /** How large a request of the vendor may be, where that is more than other requests to the server may have. */
  readonly bodyBytes?: number;
  /** What the vendor wants to hear when its request is stored. */
  readonly reply: { contentType: string; body: string };
  /**
   * What a channel of this provider keeps: what the client gives now over what is stored, and what the adapter has
   * there for itself, which no client sets. Settings that make no sense are refused by their path below `config`.
   */
  configure(given: ChannelConfig, stored: ChannelConfig): ChannelConfig;
  /** What a request without a channel's id names the channel by, such as Meta's phone number id. */
  vendorKey?(config: ChannelConfig): string;
  /**
   * What a request names the channel by that is about a whole account, such as WhatsApp's business account whose
   * templates were reviewed. Several channels may have the same, and each is told.
   */
  accountKey?(config: ChannelConfig): string;
  /** The token that the vendor shows when it first calls, for vendors that do. */
  verifyToken?(config: ChannelConfig): string;
  /** Whatever would keep the channel from working. May ask the vendor, so it is never called within a transaction. */
  check(channel: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]>;

  /** The vendor keys that a request speaks of. Untrusted: they only pick the channels whose secrets are tried. */
  route?(request: ProviderRequest): string[];
  /** The token and the challenge of a vendor's first call, where this is one. */
  handshake?(query: Record<string, string>): { token: string; challenge: string } | undefined;
  verifySignature(request: ProviderRequest, channel: AdapterChannel): boolean;
  /**
   * What the request says to this channel, every element of every array. Pure. Throws when the request makes no sense;
   * it is then kept and listed as failed. What is understood and means nothing to us is simply not in the list.
   */
  parseInbound(request: ProviderRequest, channel: AdapterChannel): InboundEvent[] | Promise<InboundEvent[]>;
  fetchMedia?(
    ref: Record<string, unknown>,
    channel: AdapterChannel,
    context: AdapterContext,
  ): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }>;

  send(message: OutgoingMessage, channel: AdapterChannel, context: AdapterContext): Promise<SendResult>;
  /** What became of a send whose answer was never seen. Left out where the vendor cannot be asked. */
  reconcile?(message: OutgoingMessage, channel: AdapterChannel, context: AdapterContext): Promise<Reconciled>;

  /** For vendors that are asked: the mailbox that a channel of these settings is to be asked for, named as a whole. */
  mailboxOf?(config: ChannelConfig): string | undefined;
  /**
   * What came into the mailbox since it was read up to the cursor, as requests that are stored like those that vendors
   * send. Without a cursor there is no past: it only says where to begin.
   */
  receive?(
    channel: AdapterChannel,
    cursor: MailboxCursor | null,
    context: AdapterContext,
  ): Promise<{ requests: ProviderRequest[]; cursor: MailboxCursor; more: boolean }>;

  /** Templates that the vendor reviews. Left out where they are ours alone. */
  readonly templates?: {
    list(channel: AdapterChannel, context: AdapterContext): Promise<VendorTemplate[]>;
    create(
      template: NewVendorTemplate,
      channel: AdapterChannel,
      context: AdapterContext,
    ): Promise<{ vendorId: string; status: TemplateStatus }>;
    /** Changes what it says. Name and language stay. Left out where the vendor lets nothing be changed. */
    update?(
      template: NewVendorTemplate & { vendorId: string },
      channel: AdapterChannel,
      context: AdapterContext,
    ): Promise<{ status: TemplateStatus }>;
    remove(
      template: { vendorId: string | null; name: string },
      channel: AdapterChannel,
      context: AdapterContext,
    ): Promise<void>;
  };
  /** How templates are decided on, where the provider stands in for a vendor that reviews them. */
  readonly review?: {
    readonly kinds: readonly ChannelKind[];
    decide(name: string, config: ChannelConfig): TemplateDecision;
  };
}

export interface TemplateDecision {
  /** How long the review takes. */
  afterMs: number;
  status: TemplateStatus;
  reason: string | null;
}

/** When a stored request reached us. */
export function receiptOf(request: ProviderRequest): Date {
  if (!request.receivedAt) throw new Error('The request does not say when it was received.');
  return request.receivedAt;
}

const isPlainObject = (value: unknown): value is ChannelConfig =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The stored settings with those that are given put over them, at any depth, so that one credential can be changed by
 * someone who does not know the others; null takes a setting away.
 */
export function mergeConfig(stored: ChannelConfig, given: ChannelConfig): ChannelConfig {
  const merged = new Map(Object.entries(stored));
  for (const [name, value] of Object.entries(given))
    if (value === null) merged.delete(name);
    else if (!isPlainObject(value)) merged.set(name, value);
    else {
      const before = merged.get(name);
      merged.set(name, mergeConfig(isPlainObject(before) ? before : {}, value));
    }
  return Object.fromEntries(merged);
}
