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

/** One vendor. Knows no database and no HTTP framework: bytes in, words of the house out. */
export interface Adapter {
  readonly provider: string;
  readonly kinds: readonly ChannelKind[];
  /** What a new channel of this provider keeps, made from what the client gave; complaints go by path below `config`. */
  configure(given: ChannelConfig): ChannelConfig;
  verifySignature(request: ProviderRequest, config: ChannelConfig): boolean;
  /** Pure. Throws when the request makes no sense; it is then kept and listed as failed. */
  parseInbound(request: ProviderRequest, kind: ChannelKind): InboundMessage[];
}

/** How long after an inbound message a free-form reply is allowed, by kind; null where there is no such window. */
export const replyWindowMs: Record<ChannelKind, number | null> = {
  whatsapp: 24 * 3600_000,
  instagram: 24 * 3600_000,
  sms: null,
  email: null,
};
