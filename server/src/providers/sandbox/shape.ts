import type { AdapterChannel, InboundEvent, ProviderRequest } from '../adapter.ts';

/**
 * How one vendor's requests look. What happens in the sandbox is written as that vendor would write it, signed as it
 * would sign, and then read by the same code that reads the vendor's own: `parse(write(event))` is the event.
 */
export interface SandboxShape {
  /** The request for something that happened. `url` is where it is sent to; `secret` is what the vendor signs with. */
  write(
    event: InboundEvent,
    channel: AdapterChannel,
    url: string,
    secret: string,
  ): ProviderRequest | Promise<ProviderRequest>;
  verifySignature(request: ProviderRequest, channel: AdapterChannel, secret: string): boolean;
  parse(request: ProviderRequest, channel: AdapterChannel): InboundEvent[] | Promise<InboundEvent[]>;
}
