import { newId } from '../../base/ids.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { InboundMessage, SimulatedEvent } from '../inbound-event.ts';
import type { ChannelKind } from '../kinds.ts';
import type { ProviderRequest } from '../provider-request.ts';
import { handleTypeOf, normalizeHandle } from './customer.ts';
import { sandboxFaultsOf } from './faults.ts';
import { shapes } from './shapes.ts';

/** The sandbox's id of a message, derived from ours. Mails have another format. */
export const vendorIdOf = (kind: ChannelKind, id: string): string =>
  kind === 'email' ? `<sandbox-${id}@sandbox.invalid>` : `sandbox-${id}`;

/** The request that reports an event; two if duplicates are simulated. */
export async function requestsFor(
  event: SimulatedEvent,
  channel: AdapterChannel,
  url: string,
): Promise<ProviderRequest[]> {
  const request = await shapes[channel.kind].write(event, channel, url, String(channel.config.signingSecret));
  return sandboxFaultsOf(channel.config).duplicate ? [request, request] : [request];
}

/** A message that a customer writes in the sandbox. */
export type CustomerMessage = Pick<InboundMessage, 'type' | 'text' | 'media' | 'content' | 'replyTo'> & {
  from: string;
  name: string | null;
};

/** The requests that the vendor sends when a customer writes. */
export async function writeAsCustomer(
  { from, name, ...message }: CustomerMessage,
  writtenAt: Date,
  channel: AdapterChannel,
  url: string,
): Promise<{ vendorId: string; requests: ProviderRequest[] }> {
  const vendorId = vendorIdOf(channel.kind, newId());
  const type = handleTypeOf(channel.kind);
  const event: InboundMessage = {
    kind: 'message',
    vendorId,
    occurredAt: writtenAt,
    contact: { type, value: normalizeHandle(type, from), name },
    ...message,
  };
  return { vendorId, requests: await requestsFor(event, channel, url) };
}
