import type { OutboundClient } from '../outbound/client.ts';
import type { AdapterChannel } from './adapter-channel.ts';
import type { MessageType } from './kinds.ts';
import type { ProviderRequest } from './provider-request.ts';

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
