import { expect } from 'vitest';
import type { Adapter } from '../../src/providers/adapter.ts';
import type { AdapterChannel } from '../../src/providers/adapter-channel.ts';
import type { Adapters } from '../../src/providers/adapters.ts';
import type { OutgoingMessage, SendResult } from '../../src/providers/outgoing-message.ts';
import { sandbox } from '../../src/providers/sandbox/sandbox.ts';
import type { TestServer, TestTenant } from './server.ts';

/** A customer on each kind of channel. */
export const customers = {
  whatsapp: '+15550002345',
  sms: '+15550002345',
  email: 'ada@example.com',
  instagram: '17841400000002345',
} as const;
export type Kind = keyof typeof customers;

/** How long the sandbox takes to review a template, and between two statuses of a message. */
const REVIEW_MS = 200;

export interface TestChat {
  id: string;
  channelId: string;
  contactId: string;
}

/** A chat in which the customer has just written, so that everything may be sent. */
export async function openChat(
  server: TestServer,
  tenant: TestTenant,
  channel: { id: string },
  from: string = customers.whatsapp,
): Promise<TestChat> {
  const wrote = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'hello' });
  expect(wrote.status).toBe(200);
  await server.settle();
  const { rows } = await server.system.db.query(
    `select c.id, c.channel_id, c.contact_id from chats c join handles h on h.id = c.handle_id
      where c.channel_id = $1 and h.value = $2`,
    [channel.id, from],
  );
  expect(rows).toHaveLength(1);
  const [row] = rows as [Record<string, string>];
  return { id: row.id as string, channelId: row.channel_id as string, contactId: row.contact_id as string };
}

/** A template that can be sent: the sandbox has approved it, if it simulates a vendor that reviews templates. */
export async function approvedTemplate(
  server: TestServer,
  tenant: TestTenant,
  body: object,
): Promise<string> {
  const made = await tenant.post('/v3/message_templates', {
    name: 'hello',
    language: 'en',
    body: 'Hello',
    ...body,
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  await server.settle();
  server.clock.advance(REVIEW_MS);
  await server.settle();
  return made.body.data.id;
}

/** Sends a message in a chat and returns it. */
export async function send(tenant: TestTenant, chat: { id: string }, body: object) {
  const answer = await tenant.post(`/v3/chats/${chat.id}/messages`, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
}

export const messageOf = async (tenant: TestTenant, id: string) =>
  (await tenant.get(`/v3/messages/${id}`)).body.data;

/** The messages that the sandbox has accepted, the oldest first. */
export async function outboxOf(tenant: TestTenant, channel: { id: string }) {
  const answer = await tenant.get(`/v3/sandbox/${channel.id}/outbox?limit=10000`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

export interface TestVendor extends Adapter {
  /** Every message that was sent there, including repetitions. */
  readonly arrived: OutgoingMessage[];
  /** Removes the messages and the answers that were set. */
  forget(): void;
  /** Sets the answers of the next sends, each once; afterwards everything is accepted. */
  answerWith(
    ...answers: ((message: OutgoingMessage, channel: AdapterChannel) => Promise<SendResult>)[]
  ): void;
}

export const taken = (message: OutgoingMessage): SendResult => ({
  ok: true,
  vendorId: `vendor-${message.id}`,
  status: 'sent',
});

/** A vendor without `reconcile` whose answers a test sets, for what the sandbox cannot show. */
export function testVendor(more: Partial<Adapter> = {}): TestVendor {
  const arrived: OutgoingMessage[] = [];
  const answers: Parameters<TestVendor['answerWith']> = [];
  const { reconcile: _, fetchMedia: __, ...base } = sandbox;
  return {
    ...base,
    provider: 'pigeon',
    arrived,
    forget() {
      arrived.length = 0;
      answers.length = 0;
    },
    answerWith: (...given) => void answers.push(...given),
    async send(message, channel) {
      arrived.push(message);
      const answer = answers.shift();
      return answer ? answer(message, channel) : taken(message);
    },
    ...more,
  };
}

export const adaptersWith = (vendor: Adapter): Adapters =>
  new Map([sandbox, vendor].map((adapter) => [adapter.provider, adapter]));

/** A chat on a channel of the test vendor. */
export async function vendorChat(tenant: TestTenant, to = '+12025550123'): Promise<TestChat> {
  const made = await tenant.post('/v3/channels', {
    kind: 'sms',
    provider: 'pigeon',
    name: 'Test',
    address: '+15550009999',
  });
  expect(made.status).toBe(200);
  return chatWith(tenant, made.body.data.id, to);
}

/** A chat on a channel without a reply window. */
export async function chatWith(
  tenant: TestTenant,
  channelId: string,
  phoneNumber: string,
): Promise<TestChat> {
  const contact = await tenant.post('/v3/contacts', { phoneNumber });
  expect([contact.status, contact.body.error]).toEqual([200, undefined]);
  const contactId = contact.body.data.id;
  const chat = await tenant.post('/v3/chats', { contactId, channelId });
  return { id: chat.body.data.id, channelId, contactId };
}
