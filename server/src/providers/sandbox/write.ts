import { newId } from '../../base/ids.ts';
import type {
  AdapterChannel,
  ChannelKind,
  InboundEvent,
  InboundMessage,
  ProviderRequest,
} from '../adapter.ts';
import { handleTypeOf, spelled } from './customer.ts';
import { faultsOf } from './faults.ts';
import { shapes } from './shapes.ts';

/** The sandbox's own id of a message: the same however often it is asked for. Mails have ids of another form. */
export const vendorIdOf = (kind: ChannelKind, id: string): string =>
  kind === 'email' ? `<sandbox-${id}@sandbox.invalid>` : `sandbox-${id}`;

/** The request by which this vendor tells of something; more than one where it makes mistakes. */
export async function requestsFor(
  event: InboundEvent,
  channel: AdapterChannel,
  url: string,
): Promise<ProviderRequest[]> {
  const request = await shapes[channel.kind].write(event, channel, url, String(channel.config.signingSecret));
  return faultsOf(channel.config).duplicate ? [request, request] : [request];
}

/** What a person does in the sandbox. */
export type WrittenAsCustomer = Pick<InboundMessage, 'type' | 'text' | 'media' | 'content' | 'replyTo'> & {
  from: string;
  name: string | null;
};

/** The requests that this vendor sends when a person writes. */
export async function writeAsCustomer(
  { from, name, ...message }: WrittenAsCustomer,
  at: Date,
  channel: AdapterChannel,
  url: string,
): Promise<{ vendorId: string; requests: ProviderRequest[] }> {
  const vendorId = vendorIdOf(channel.kind, newId());
  const type = handleTypeOf(channel.kind);
  const event: InboundMessage = {
    kind: 'message',
    vendorId,
    occurredAt: at,
    contact: { type, value: spelled(type, from), name },
    ...message,
  };
  return { vendorId, requests: await requestsFor(event, channel, url) };
}
