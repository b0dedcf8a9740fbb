import type { AdapterChannel, ChannelConfig, ChannelProblem } from './adapter-channel.ts';
import type { AdapterContext } from './adapter-context.ts';
import type { InboundEvent } from './inbound-event.ts';
import type { ChannelKind, Handle } from './kinds.ts';
import type { OpenMailbox } from './mailbox.ts';
import type { OutgoingMessage, Reconciled, SendResult } from './outgoing-message.ts';
import type { ProviderRequest } from './provider-request.ts';
import type {
  NewVendorTemplate,
  TemplateDecision,
  TemplateStatus,
  VendorTemplateList,
} from './vendor-template.ts';

/** What the vendor shows a contact about its chat: that the last message was read, and that somebody types. */
export type ChatSignal = 'read' | 'typing' | 'stop_typing';

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
