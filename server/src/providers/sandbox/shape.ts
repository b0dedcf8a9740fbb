import type { AdapterChannel } from '../adapter-channel.ts';
import type { InboundEvent, SimulatedEvent } from '../inbound-event.ts';
import type { ProviderRequest } from '../provider-request.ts';

/**
 * The requests of one vendor. Events of the sandbox are written and signed as that vendor does, and parsed by the
 * vendor's own parser: `parse(write(event))` is the event.
 */
export interface SandboxShape {
  /** The request that reports an event. `url` is where it is sent to; `secret` is what the vendor signs with. */
  write(
    event: SimulatedEvent,
    channel: AdapterChannel,
    url: string,
    secret: string,
  ): ProviderRequest | Promise<ProviderRequest>;
  verifySignature(
    request: ProviderRequest,
    channel: AdapterChannel,
    secret: string,
  ): boolean | Promise<boolean>;
  parse(request: ProviderRequest, channel: AdapterChannel): InboundEvent[] | Promise<InboundEvent[]>;
}
