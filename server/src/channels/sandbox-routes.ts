import { Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { data, type Route, read, write, writeStatement } from '../http/route.ts';
import type { Adapter, AdapterContext } from '../providers/adapter.ts';
import { writeAsCustomer } from '../providers/sandbox/write.ts';
import type { ChannelCredentials } from './channel.ts';
import { exampleChannel } from './example.ts';
import { receiveRequest } from './receive-request.ts';
import { customerMessage, readOutbox, setFaults } from './sandbox.ts';
import {
  SandboxAccepted,
  SandboxFaults,
  SandboxFaultsInput,
  SandboxInbound,
  SandboxReceipt,
} from './schema.ts';

interface SandboxDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
  findCredentials: (channelId: string) => Promise<ChannelCredentials | undefined>;
}

const MOST_SHOWN = 10_000;
const SHOWN = 100;
const ChannelId = Type.Object({ channelId: Type.String() });
const at = { params: { channelId: exampleChannel.id } };

/** The vendor's side of the sandbox: writing as a customer, seeing what was accepted, and letting it go wrong. */
export function sandboxRoutes(deps: SandboxDeps): Route[] {
  const { db, clock, keys, adapters, context, findCredentials } = deps;
  return [
    writeStatement(
      {
        method: 'POST',
        path: '/v3/sandbox/:channelId/inbound',
        operationId: 'writeInSandbox',
        tag: 'Sandbox',
        summary: 'Write as a customer',
        description:
          'Sends a message to a sandbox channel as a customer would. It takes the way of every vendor request: signed, stored, and processed a moment later. Once answered, it cannot be lost.',
        access: 'channels:write',
        params: ChannelId,
        body: SandboxInbound,
        answer: data(SandboxReceipt),
        failures: ['channel_not_found'],
        example: {
          ...at,
          body: { from: '+15550001111', name: 'Ada Lovelace', text: 'Is this still available?' },
          answer: { vendorId: 'sandbox-019a82a0-0000-7000-8000-000000000014' },
        },
      },
      async ({ principal, params, body }, tx) => {
        const channel = await findCredentials(params.channelId);
        const adapter = adapters.get('sandbox');
        if (channel?.tenantId !== principal.tenantId || channel.provider !== adapter?.provider)
          throw new ApiError('channel_not_found');
        const bytesOf = async (fileId: string) => (await context.sandbox.readFile(channel, fileId))?.bytes;
        const message = await customerMessage(db, channel, body, bytesOf);
        const url = context.callbackUrl(adapter.provider, channel.id);
        const { vendorId, requests } = await writeAsCustomer(
          message,
          clock.now(principal.tenantId),
          channel,
          url,
        );
        for (const request of requests) await receiveRequest(tx, channel, adapter, request, deps);
        return { vendorId };
      },
    ),
    read(
      {
        method: 'GET',
        path: '/v3/sandbox/:channelId/outbox',
        operationId: 'readSandboxOutbox',
        tag: 'Sandbox',
        summary: 'See what the sandbox accepted',
        description: `What was sent over a sandbox channel and accepted there, each message once, the oldest first. Recipients whose number, id or mailbox ends in 0001 cannot be reached, 0002 take only templates, 0003 have opted out, 0004 are throttled twice; a mail to \`bounce@…\` comes back later. What is refused is not here. \`limit\` is ${SHOWN} unless given, and at most ${MOST_SHOWN}.`,
        access: 'channels:write',
        params: ChannelId,
        query: Type.Object({
          limit: Type.Optional(
            Type.String({ pattern: '^([1-9][0-9]{0,3}|10000)$', description: 'How many at most' }),
          ),
        }),
        answer: data(Type.Array(SandboxAccepted)),
        failures: ['channel_not_found'],
        example: {
          ...at,
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
      ({ principal, params, query }) =>
        readOutbox(db, principal.tenantId, params.channelId, Number(query.limit ?? SHOWN)),
    ),
    write(
      {
        method: 'POST',
        path: '/v3/sandbox/:channelId/faults',
        operationId: 'setSandboxFaults',
        tag: 'Sandbox',
        summary: 'Let the sandbox go wrong',
        description:
          'Switches on what vendors do wrong now and then, for messages that are sent from now on; what is left out is switched off, so an empty body ends it all. Answers what is on. What customers write follows within three seconds.',
        access: 'channels:write',
        params: ChannelId,
        body: SandboxFaultsInput,
        answer: data(SandboxFaults),
        failures: ['channel_not_found'],
        example: {
          ...at,
          body: { duplicate: true, failEvery: 10 },
          answer: { duplicate: true, reorder: false, failEvery: 10, delayMs: 0, echoBeforeResponse: false },
        },
      },
      ({ principal, params, body }, tx) => setFaults(tx, principal.tenantId, params.channelId, body, keys),
    ),
  ];
}
