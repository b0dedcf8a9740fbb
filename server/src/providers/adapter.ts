import type { Readable } from 'node:stream';
import type { OutboundClient } from '../outbound/client.ts';

/** The kinds of channels. */
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
  'comment',
  'unsupported',
] as const;
export type MessageType = (typeof messageTypes)[number];

/** What the vendor shows a contact about its chat: that the last message was read, and that somebody types. */
const chatSignals = ['read', 'typing', 'stop_typing'] as const;
export type ChatSignal = (typeof chatSignals)[number];

export const handleTypes = ['phone_number', 'email', 'instagram_id', 'whatsapp_id'] as const;
export type HandleType = (typeof handleTypes)[number];

/** A vendor's request as it was received. Signatures are over these bytes, so they are never re-serialized. */
export interface ProviderRequest {
  /** The URL that the vendor called, with the public base URL: some vendors sign it. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  /** When it arrived; known for every stored request. The time of events whose vendor sends none. */
  receivedAt?: Date;
}

/** An address of a contact, such as a phone number. */
export interface Handle {
  type: HandleType;
  value: string;
}

/** The contact as the vendor names it: by one handle, and perhaps by others. */
export interface VendorContact extends Handle {
  /** The name in the contact's profile. */
  name: string | null;
  /** Further handles of the same contact, such as a WhatsApp id beside a number. */
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

/** A message of a customer (`message`), or of the business in another program such as the vendor's app (`echo`). */
export interface InboundMessage extends Reported {
  kind: 'message' | 'echo';
  /** The vendor's id of the message: requests with the same id are one message. */
  vendorId: string;
  /** The customer, also in an echo. */
  contact: VendorContact;
  type: MessageType;
  text: string | null;
  media: InboundMedia[];
  /** By type, see docs/develop/decisions.md. The message of a reaction is in `replyTo`. */
  content: Record<string, unknown>;
  /** The vendor's ids of the message that it replies to, reacts to or quotes, the most likely first. */
  replyTo?: string[];
  /** The message that it replies to, if the vendor returned our own id. */
  replyToMessageId?: string;
  /** An opt-out or opt-in. */
  subscription?: 'stop' | 'start';
  /** Sent automatically, such as an out-of-office reply: automations must not answer it. */
  isAutomatic?: boolean;
  /** Written before the channel was connected: nothing reacts to it. The status of one that the business wrote. */
  imported?: { status: VendorStatus };
  /** Another app answers the contact at the moment, so automations must not. */
  isStandby?: boolean;
}

const vendorStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
export type VendorStatus = (typeof vendorStatuses)[number];

export interface VendorError {
  code: string;
  message: string;
}

/** The status of a message that we sent. */
export interface InboundStatus extends Reported {
  kind: 'status';
  vendorId: string;
  /** Our own id, if the vendor returns it: it resolves a send whose answer was lost. */
  messageId?: string;
  /**
   * The addresses that the vendor names for the recipient that it could or could not reach, in lower case. A status of somebody in
   * copy does not concern the message.
   */
  recipients?: string[];
  status: VendorStatus;
  error?: VendorError;
  /** What the vendor charges for the message, in the vendor's words. */
  pricing?: Record<string, unknown>;
}

/** The contact has read everything up to a moment. */
export interface InboundReadReceipt extends Reported {
  kind: 'read_receipt';
  contact: VendorContact;
  until: Date;
}

/** An existing message was edited or deleted by its author. */
export interface InboundMutation extends Reported {
  kind: 'mutation';
  vendorId: string;
  change: 'edit' | 'delete';
  text?: string | null;
}

/** A contact has another handle now. */
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
  category?: VendorTemplate['category'] | undefined;
}

/** A contact opted out or in at the vendor, without a message. */
export interface InboundConsent extends Reported {
  kind: 'consent';
  handle: Handle;
  subscription: 'stop' | 'start';
  source: 'vendor' | 'complaint';
  proof: Record<string, unknown>;
}

/** What the vendor says about the whole channel. */
export interface InboundChannelHealth extends Reported {
  kind: 'channel_health';
  /** What it is about. That all is well again only concerns a problem with the same cause. */
  cause: string;
  health: 'healthy' | 'degraded' | 'failing';
  problem: string | null;
}

export const templateQualities = ['green', 'yellow', 'red'] as const;

/** The vendor changed what it says about a template. */
export interface InboundTemplateChange extends Reported {
  kind: 'template_change';
  vendorId: string;
  name: string;
  language: string;
  category?: VendorTemplate['category'] | undefined;
  quality?: (typeof templateQualities)[number] | null | undefined;
}

/** A contact in the address book of the business. */
export interface InboundContact extends Reported {
  kind: 'contact';
  contact: VendorContact;
}

/** A part of a request that is valid, but that the channel does not want. */
interface InboundIgnored {
  kind: 'ignored';
  reason: 'history';
}

/** A part of a request that makes no sense. The other parts are applied; the request is listed as failed. */
export interface InboundInvalid {
  kind: 'invalid';
  error: string;
}

/** An event that the sandbox can simulate. */
export type SimulatedEvent =
  | InboundMessage
  | InboundStatus
  | InboundReadReceipt
  | InboundMutation
  | InboundIdentity
  | InboundConsent
  | InboundTemplateStatus;

/** An event of a vendor in Parley's own terms. */
export type InboundEvent =
  | SimulatedEvent
  | InboundChannelHealth
  | InboundTemplateChange
  | InboundContact
  | InboundIgnored
  | InboundInvalid;

/** The settings of a channel: the client's, and those of the adapter itself. Stored encrypted. */
export type ChannelConfig = Record<string, unknown>;

/** A channel as its adapter sees it. */
export interface AdapterChannel {
  id: string;
  tenantId: string;
  kind: ChannelKind;
  address: string;
  config: ChannelConfig;
}

/** A problem of a channel. `path` is the setting that causes it, if there is one. */
export interface ChannelProblem {
  path?: string;
  message: string;
}

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

/** A button of a template. What is optional belongs to one type. */
export interface VendorTemplateButton {
  type: string;
  text: string;
  url: string | null;
  phoneNumber: string | null;
  /** Of `copy_code`: an example of the code. */
  code?: string;
  /** Of `otp`: how the one-time password gets into the app. */
  otp?: {
    type: 'copy_code' | 'one_tap' | 'zero_tap';
    autofillText?: string;
    apps?: { packageName: string; signatureHash: string }[];
  };
  /** Of `flow`. */
  flow?: { flowId: string; action?: 'navigate' | 'data_exchange'; screen?: string };
}

/** A card of a carousel. Its variables are its own. */
export interface VendorTemplateCard {
  header: { type: 'image' | 'video'; url: string | null };
  body: string | null;
  buttons: VendorTemplateButton[];
}

/** What only some templates of WhatsApp have. */
interface SpecialTemplateParts {
  cards?: VendorTemplateCard[] | null;
  /** An offer, with a countdown if it ends. */
  offer?: { text: string; hasExpiration: boolean } | null;
  /** The texts that WhatsApp writes around a one-time password. */
  authentication?: { hasSecurityRecommendation: boolean; codeExpirationMinutes: number | null } | null;
}

/** A template with the values of its variables. */
export interface OutgoingTemplate extends SpecialTemplateParts {
  name: string;
  language: string;
  vendorId: string | null;
  header: { type: string; text: string | null; url: string | null } | null;
  body: string;
  footer: string | null;
  buttons: VendorTemplateButton[];
  /** A value for each variable of its texts. */
  variables: Record<string, string>;
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

/** Stores what the sandbox accepts and the requests that it will send, in one transaction, once per message. */
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
    /** Requests that the vendor will send, with their times. */
    later: { at: Date; request: ProviderRequest }[],
  ): Promise<void>;
  find(messageId: string): Promise<{ vendorId: string } | undefined>;
  /** Reads an uploaded file of the channel's tenant, which a customer sends in the sandbox. */
  readFile(
    channel: AdapterChannel,
    fileId: string,
  ): Promise<{ bytes: Buffer; mimeType: string; filename: string } | undefined>;
}

/** What a vendor answers to a refresh token. */
export interface FetchedToken {
  accessToken: string;
  lifeMs: number;
  /** Replaces the one that was used. */
  refreshToken?: string;
}

export interface TokenRequest {
  /** The refresh token in the channel's settings. A later one of the vendor is used instead. */
  refreshToken: string;
  /** Everything else that the token depends on. */
  settings: string;
  /** An access token that a server has refused. */
  refused?: string;
  fetch(refreshToken: string): Promise<FetchedToken>;
}

/** Everything that adapters may use: the guarded client and its sockets, the time, access tokens, and the sandbox's store. */
export interface AdapterContext extends Pick<OutboundClient, 'request' | 'connect' | 'resolve'> {
  /** The time of the channel's tenant. */
  now(channel: Pick<AdapterChannel, 'tenantId'>): Date;
  /** The URL that the vendor must call for this channel, such as `https://…/providers/twilio/{channelId}`. */
  callbackUrl(provider: string, channelId: string): string;
  /**
   * The access token of a channel: the stored one until shortly before it ends, or one that is fetched now. However many
   * ask, in all processes, one is fetched at a time. `isNew`: fetched after the call began.
   */
  accessToken(channel: AdapterChannel, request: TokenRequest): Promise<{ token: string; isNew: boolean }>;
  sandbox: SandboxStore;
}

/** A template at the vendor. */
export interface VendorTemplate extends SpecialTemplateParts {
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

/** The templates at a vendor, and those that have something that we do not support. */
export interface VendorTemplateList {
  templates: VendorTemplate[];
  leftOut: { name: string; language: string; reason: string }[];
}

export type NewVendorTemplate = Omit<VendorTemplate, 'vendorId' | 'status' | 'reason'> & {
  /** An example value for each variable, for the reviewers. */
  examples: Record<string, string>;
};

/** How far a mailbox has been read: ids of mails only grow as long as `uidValidity` stays the same. */
export interface MailboxCursor {
  uidValidity: number;
  uid: number;
}

export interface ReceivedMails {
  requests: ProviderRequest[];
  cursor: MailboxCursor;
  /** Whether there are further mails. */
  more: boolean;
}

/** A connection to a mailbox. After an error it is closed. */
export interface OpenMailbox {
  /** Whether the server announces new mail, so that it is worth keeping the connection. */
  readonly canWait: boolean;
  /** Whether the connection is in order, as far as this side can see. */
  isUsable(): boolean;
  /**
   * The mails after the cursor, as requests that are stored like those of other vendors. Without a cursor it returns no
   * mails, only the cursor to start from.
   */
  read(cursor: MailboxCursor | null): Promise<ReceivedMails>;
  /** Resolves when the server announces new mail; rejected when the connection is lost or closed. Ends with the next read. */
  waitForMail(): Promise<void>;
  close(): Promise<void>;
}

/** A refusal of the vendor with its own message; thrown by the template functions and by `fetchMedia`. */
export class VendorFailure extends Error {
  readonly code: string;
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;
  constructor(code: string, message: string, isTemporary = false) {
    super(message);
    this.code = code;
    this.isTemporary = isTemporary;
  }
}

/** A refusal of a channel's credentials. Its message says what somebody must do; until then every retry fails. */
export class CredentialFailure extends VendorFailure {
  /** The setting to correct. */
  readonly path: string;
  constructor(code: string, message: string, path: string) {
    super(code, message, true);
    this.path = path;
  }
}

/** One vendor. It knows no database and no HTTP framework: it turns requests into events, and messages into calls. */
export interface Adapter {
  readonly provider: string;
  readonly kinds: readonly ChannelKind[];
  /** There is no vendor that could refuse the settings: a new channel is healthy at once. */
  readonly startsHealthy?: true;
  /** How many messages a channel may send per second; null if the vendor has no limit. */
  readonly perSecond: number | null;
  /** The minimum time between two messages to the same contact. */
  readonly perContactMs: number;
  /** How long one attempt to send may take; 30 seconds by default. */
  readonly sendMs?: number;
  /** How large a request of the vendor may be; 1 MiB by default. */
  readonly bodyBytes?: number;
  /** The headers that may contain a signature. A request without any of them is refused before its body is read. */
  readonly signatureHeaders: readonly string[];
  /** The answer that the vendor expects when its request is stored. */
  readonly reply: { contentType: string; body: string };
  /**
   * The settings that a channel stores: the given ones merged into the stored ones, and those of the adapter itself,
   * which clients cannot set. Throws the issues of invalid settings with their paths below `config`.
   */
  configure(given: ChannelConfig, stored: ChannelConfig): ChannelConfig;
  /** The servers that the settings name, each a URL or a host, by their paths below `config`. */
  servers?(config: ChannelConfig): Record<string, string | undefined>;
  /** The key of the channel in requests without a channel id, such as Meta's phone number id. */
  vendorKey?(config: ChannelConfig): string;
  /** Whether calls with these settings go to the vendor, and not to another server that the client has named. */
  isVendorItself?(config: ChannelConfig): boolean;
  /**
   * The key of the channel in requests about a whole account, such as the WhatsApp business account of a reviewed
   * template. Several channels may have the same key; each gets the request.
   */
  accountKey?(config: ChannelConfig): string;
  /**
   * The secret that the vendor signs with, for a vendor with one URL for all channels: it decides whether a request that
   * names no channel is the vendor's.
   */
  signingSecret?(config: ChannelConfig): string;
  /** The verify token in the vendor's first call, if the vendor makes one. */
  verifyToken?(config: ChannelConfig): string;
  /** Finds what keeps the channel from working. May call the vendor, so it is never called in a transaction. */
  check(channel: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]>;

  /**
   * For a vendor with one URL for all channels: every text of the body that may be a vendor key, by a linear search and
   * without parsing it. The request is not verified: the keys only select the channels whose secrets are tried.
   */
  findKeys?(body: Buffer): string[];
  /** Whether a request names a channel beyond doubt, without parsing it: parsing takes 8 % of the throughput. */
  namesChannel?(request: ProviderRequest, config: ChannelConfig): boolean;
  /** The vendor keys that a verified request is for. */
  route?(request: ProviderRequest): string[];
  /** The token and the challenge in a vendor's first call; undefined for other calls. */
  handshake?(query: Record<string, string>): { token: string; challenge: string } | undefined;
  verifySignature(request: ProviderRequest, channel: AdapterChannel): boolean | Promise<boolean>;
  /**
   * The events of a request for this channel, from every element of every array. Pure. Throws if the request is invalid;
   * it is then stored and listed as failed. An element that is invalid is an event too. Events that we do not use are
   * left out.
   */
  parseInbound(request: ProviderRequest, channel: AdapterChannel): InboundEvent[] | Promise<InboundEvent[]>;
  /**
   * Which requests are parsed in a worker thread: all, if the format can keep a parser busy for any time, as mails do; or
   * large ones, if parsing takes time in proportion to the size. Only adapters of adapters.ts can have it.
   */
  inThread?(kind: ChannelKind): 'always' | 'large';
  fetchMedia?(
    ref: Record<string, unknown>,
    channel: AdapterChannel,
    context: AdapterContext,
  ): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }>;

  send(message: OutgoingMessage, channel: AdapterChannel, context: AdapterContext): Promise<SendResult>;
  /** Whether a message was sent whose answer was lost. Missing if the vendor cannot be asked. */
  reconcile?(message: OutgoingMessage, channel: AdapterChannel, context: AdapterContext): Promise<Reconciled>;

  /**
   * Shows the contact something about the chat. `vendorId` is the vendor's id of the contact's last message. Throws if the vendor
   * refuses; it is not tried again.
   */
  signal?(
    signal: ChatSignal,
    about: { to: Handle; vendorId: string },
    channel: AdapterChannel,
    context: AdapterContext,
  ): Promise<void>;
  /** The profile of a contact, for vendors that send no name with a message; undefined if there is none. */
  fetchProfile?(
    contact: Handle,
    channel: AdapterChannel,
    context: AdapterContext,
  ): Promise<ContactProfile | undefined>;

  /** For vendors that are polled: a key of the mailbox in these settings. */
  mailboxOf?(config: ChannelConfig): string | undefined;
  /** Opens the mailbox of a channel; the caller must close it. */
  openMailbox?(channel: AdapterChannel, context: AdapterContext): Promise<OpenMailbox>;

  /** Templates that the vendor stores and reviews. Missing if the vendor has none. */
  readonly templates?: {
    list(channel: AdapterChannel, context: AdapterContext): Promise<VendorTemplateList>;
    create(
      template: NewVendorTemplate,
      channel: AdapterChannel,
      context: AdapterContext,
    ): Promise<{ vendorId: string; status: TemplateStatus }>;
    /** Changes the content, not name and language. Missing if the vendor allows no changes. */
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
  /** For a provider that simulates the review of templates. */
  readonly review?: {
    readonly kinds: readonly ChannelKind[];
    decide(name: string, config: ChannelConfig): TemplateDecision;
  };
}

/** What a vendor tells about a contact. The URL of the picture may end. */
export interface ContactProfile {
  name: string | null;
  username: string | null;
  pictureUrl: string | null;
}

interface TemplateDecision {
  /** How long the review takes. */
  afterMs: number;
  status: TemplateStatus;
  reason: string | null;
}

/** When a stored request was received. */
export function receivedAtOf(request: ProviderRequest): Date {
  if (!request.receivedAt) throw new Error('The request has no receivedAt.');
  return request.receivedAt;
}

const isPlainObject = (value: unknown): value is ChannelConfig =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Merges the given settings into the stored ones, at any depth, so that one credential can be changed without knowing
 * the others; null removes a setting.
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
