import { Type } from 'typebox';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { TenantTx } from '../db/tenant.ts';
import { data } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import type { ProviderRequest } from '../providers/provider-request.ts';
import { requestsFor, writeAsCustomer } from '../providers/sandbox/write.ts';
import type { ChannelCredentials } from './credentials.ts';
import { exampleChannel } from './example.ts';
import { createRequestReceiver, type ReceiveDeps, receiveRequest, requireSigned } from './receive-request.ts';
import { customerMessage, readOutbox, readSandbox, setFaults, unreadMessages } from './sandbox.ts';
import {
  SandboxAccepted,
  SandboxFaults,
  SandboxFaultsInput,
  SandboxInbound,
  SandboxRead,
  SandboxReadReceipt,
  SandboxReceipt,
  SandboxSettings,
} from './schema.ts';

interface SandboxDeps extends ReceiveDeps {
  db: Database;
  keys: Keys;
  adapters: Adapters;
  context: AdapterContext;
  findCredentials: (channelId: string) => Promise<ChannelCredentials | undefined>;
}

const MAX_LIMIT = 10_000;
const DEFAULT_LIMIT = 100;

const exampleFaults = {
  duplicate: true,
  reorder: false,
  failEvery: 10,
  delayMs: 0,
  echoBeforeResponse: false,
};

const sandbox = routeFamily({
  tag: 'Sandbox',
  params: Type.Object({ channelId: Type.String() }),
  exampleParams: { channelId: exampleChannel.id },
});

/** Routes that act as the vendor and its customers: write as a customer, read what was accepted, simulate failures. */
export function sandboxRoutes(deps: SandboxDeps): Route[] {
  const { db, keys, adapters, context, findCredentials } = deps;
  const receiveSigned = createRequestReceiver(db, deps);

  /**
   * Stores a request in the transaction that a call with an idempotency key has, else in one statement with others, as those of
   * vendors: with 64 connections, an inbound message takes 0.64 of the CPU time until its webhook is recorded.
   */
  const receive = async (
    tx: TenantTx,
    channel: ChannelCredentials,
    adapter: Adapter,
    request: ProviderRequest,
  ): Promise<void> =>
    tx.isAutocommit
      ? receiveSigned(await requireSigned([channel], adapter, request), request)
      : receiveRequest(tx, channel, adapter, request, deps);

  async function requireSandbox({ tenantId }: TenantTx, channelId: string) {
    const channel = await findCredentials(channelId);
    const adapter = adapters.get('sandbox');
    if (channel?.tenantId !== tenantId || channel.provider !== adapter?.provider)
      throw new ApiError('channel_not_found');
    return { channel, adapter };
  }

  return [
    sandbox.writeStatement(
      {
        method: 'POST',
        path: '/v3/sandbox/:channelId/inbound',
        operationId: 'writeInSandbox',
        summary: 'Write as a customer',
        description:
          'Sends a message to a sandbox channel as a customer would. It is handled like every vendor request: signed, stored, and processed shortly after. Once answered, it cannot be lost.',
        access: 'channels:write',
        body: SandboxInbound,
        answer: data(SandboxReceipt),
        failures: ['channel_not_found'],
        example: {
          body: { from: '+15550001111', name: 'Ada Lovelace', text: 'Is this still available?' },
          answer: { vendorId: 'sandbox-019a82a0-0000-7000-8000-000000000014' },
        },
      },
      async ({ params, body }, tx) => {
        const { channel, adapter } = await requireSandbox(tx, params.channelId);
        const readBytes = async (fileId: string) => (await context.sandbox.readFile(channel, fileId))?.bytes;
        const message = await customerMessage(tx, channel, body, readBytes);
        const url = context.callbackUrl(adapter.provider, channel.id);
        const { vendorId, requests } = await writeAsCustomer(message, tx.now, channel, url);
        for (const request of requests) await receive(tx, channel, adapter, request);
        return { vendorId };
      },
    ),
    sandbox.read(
      {
        method: 'GET',
        path: '/v3/sandbox/:channelId/outbox',
        operationId: 'readSandboxOutbox',
        summary: 'List accepted messages',
        description: `Returns the messages that were sent over a sandbox channel and accepted, each once, the oldest first. Recipients whose number, id or mailbox ends in 0001 cannot be reached, 0002 only accept templates, 0003 have opted out, 0004 are throttled twice; a mail to \`bounce@…\` bounces later. Refused messages are not listed. \`limit\` is ${DEFAULT_LIMIT} by default and at most ${MAX_LIMIT}. A simulated phone asks for what was sent \`to\` its number \`after\` the last message that it knows.`,
        access: 'channels:write',
        query: Type.Object({
          limit: Type.Optional(
            Type.String({ pattern: '^([1-9][0-9]{0,3}|10000)$', description: 'Maximum number of messages' }),
          ),
          to: Type.Optional(Type.String({ maxLength: 255, description: 'Only those to this customer' })),
          after: Type.Optional(
            Type.String({
              maxLength: 36,
              description: 'Only those after this message, by its id, or those after this time',
            }),
          ),
        }),
        answer: data(Type.Array(SandboxAccepted)),
        failures: ['channel_not_found'],
        example: {
          answer: [
            {
              messageId: '019a82a0-0000-7000-8000-000000000015',
              vendorId: 'sandbox-019a82a0-0000-7000-8000-000000000015',
              to: '+15550001111',
              type: 'text',
              text: 'It is. Shall I put it aside for you?',
              content: {},
              at: '2026-11-15T01:02:03.456Z',
            },
          ],
        },
      },
      ({ params, query: { limit, to, after } }, db) =>
        readOutbox(db, params.channelId, { limit: Number(limit ?? DEFAULT_LIMIT), to, after }),
    ),
    sandbox.writeStatement(
      {
        method: 'POST',
        path: '/v3/sandbox/:channelId/read',
        operationId: 'readInSandbox',
        summary: 'Read as a customer',
        description:
          'The customer opens the chat: what was sent to it and is not read yet is reported as read, by a request as the vendor sends it. The sandbox does that by itself for every message, unless the channel has `config.readsAutomatically: false`. Vendors of SMS and email report nothing, so nothing happens there.',
        access: 'channels:write',
        body: SandboxRead,
        answer: data(SandboxReadReceipt),
        failures: ['channel_not_found'],
        example: { body: { from: '+15550001111' }, answer: { messageIds: [] } },
      },
      async ({ params, body }, tx) => {
        const { channel, adapter } = await requireSandbox(tx, params.channelId);
        const messages = await unreadMessages(tx, channel, body.from);
        const url = context.callbackUrl(adapter.provider, channel.id);
        for (const message of messages) {
          const event = { kind: 'status', status: 'read', occurredAt: tx.now, ...message } as const;
          for (const request of await requestsFor(event, channel, url))
            await receive(tx, channel, adapter, request);
        }
        return { messageIds: messages.map(({ messageId }) => messageId) };
      },
    ),
    sandbox.read(
      {
        method: 'GET',
        path: '/v3/sandbox/:channelId',
        operationId: 'getSandbox',
        summary: 'Show what a sandbox simulates',
        description:
          'Returns the failures that are turned on, how fast statuses come, and whether customers read by themselves. `POST /v3/sandbox/{channelId}/faults` changes the first, `config` of the channel the others.',
        access: 'channels:write',
        answer: data(SandboxSettings),
        failures: ['channel_not_found'],
        example: { answer: { faults: exampleFaults, statusDelayMs: 200, readsAutomatically: true } },
      },
      ({ params }, db) => readSandbox(db, params.channelId, keys),
    ),
    sandbox.write(
      {
        method: 'POST',
        path: '/v3/sandbox/:channelId/faults',
        operationId: 'setSandboxFaults',
        summary: 'Simulate failures',
        description:
          'Turns on failures that real vendors show now and then, for messages that are sent from now on. What is left out is turned off, so an empty body ends the simulation. Returns the current setting. Messages of customers follow it within three seconds.',
        access: 'channels:write',
        body: SandboxFaultsInput,
        answer: data(SandboxFaults),
        failures: ['channel_not_found'],
        example: {
          body: { duplicate: true, failEvery: 10 },
          answer: exampleFaults,
        },
      },
      ({ params, body }, tx) => setFaults(tx, params.channelId, body, keys),
    ),
  ];
}
