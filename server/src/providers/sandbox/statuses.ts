import type { AdapterChannel } from '../adapter-channel.ts';
import type { VendorStatus } from '../inbound-event.ts';
import type { ChannelKind } from '../kinds.ts';

/** The statuses that vendors of each kind report for an accepted message. */
const statuses: Record<ChannelKind, readonly VendorStatus[]> = {
  whatsapp: ['delivered', 'read'],
  instagram: ['read'],
  sms: ['delivered'],
  email: [],
};

/** Whether vendors of this kind report that a customer has read a message. */
export const reportsReading = (kind: ChannelKind): boolean => statuses[kind].includes('read');

/** What the sandbox reports by itself: with `readsAutomatically: false`, not that the customer has read the message. */
export const reportedStatuses = ({ kind, config }: Pick<AdapterChannel, 'kind' | 'config'>): VendorStatus[] =>
  statuses[kind].filter((status) => status !== 'read' || config.readsAutomatically !== false);
