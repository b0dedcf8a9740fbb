/** The kinds of channel, by the medium that people write on. */
export const channelKinds = ['whatsapp', 'sms', 'email', 'instagram'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** A vendor's request as it came over the wire. Signatures are over these bytes, so they are never re-serialized. */
export interface ProviderRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/** The person on the other side, as the vendor names them. */
export interface Peer {
  type: 'phone_number' | 'email' | 'instagram_id' | 'whatsapp_id';
  value: string;
  /** The name in the person's own profile. */
  name: string | null;
}

/** Something a vendor told us, in the words of the house. */
export interface InboundMessage {
  kind: 'message';
  /** The vendor's id of the message: however often it arrives, it is one message. */
  vendorId: string;
  occurredAt: Date;
  peer: Peer;
  type: 'text';
  text: string;
}

/** A channel's settings: the client's, and what the adapter keeps there for itself. Stored encrypted. */
export type ChannelConfig = Record<string, unknown>;

/** What is to be put right with a channel, by its path in the channel's own words where there is one. */
export interface ChannelProblem {
  path?: string;
  message: string;
}

/** One vendor. Knows no database and no HTTP framework: bytes in, words of the house out. */
export interface Adapter {
  readonly provider: string;
  readonly kinds: readonly ChannelKind[];
  /**
   * What a channel of this provider keeps: what the client gives now over what is stored, and what the adapter has
   * there for itself, which no client sets. Settings that make no sense are refused by their path below `config`.
   */
  configure(given: ChannelConfig, stored: ChannelConfig): ChannelConfig;
  /** Whatever would keep the channel from working. May ask the vendor, so it is never called within a transaction. */
  check(
    channel: { kind: ChannelKind; address: string },
    config: ChannelConfig,
  ): ChannelProblem[] | Promise<ChannelProblem[]>;
  verifySignature(request: ProviderRequest, config: ChannelConfig): boolean;
  /** Pure. Throws when the request makes no sense; it is then kept and listed as failed. */
  parseInbound(request: ProviderRequest, kind: ChannelKind): InboundMessage[];
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

/** How long after an inbound message a free-form reply is allowed, by kind; null where there is no such window. */
export const replyWindowMs: Record<ChannelKind, number | null> = {
  whatsapp: 24 * 3600_000,
  instagram: 24 * 3600_000,
  sms: null,
  email: null,
};
