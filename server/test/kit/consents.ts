import { outboxOf } from './sending.ts';
import type { TestTenant } from './server.ts';

export const contactOf = async (tenant: TestTenant, id: string) =>
  (await tenant.get(`/v3/contacts/${id}`)).body.data;

/** What a contact has decided, the oldest first. */
export const historyOf = async (tenant: TestTenant, id: string) =>
  (await tenant.post(`/v3/contacts/${id}/consents/search`, { sortBy: 'asc(createdAt)' })).body.data;

/** The texts that were sent from a channel. */
export const textsOf = async (tenant: TestTenant, channel: { id: string }): Promise<string[]> =>
  (await outboxOf(tenant, channel)).map(({ text }: { text: string }) => text);
