import { type Static, Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import type { EndingNeeds } from '../chats/remove-chats.ts';
import type { Database } from '../db/database.ts';
import type { Hints } from '../engine/hints.ts';
import { call, DeleteResult, data, deleted, type Route, read, write, writeStatement } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { type Adapter, type AdapterContext, channelKinds } from '../providers/adapter.ts';
import { faultOfPerson, writeAsPerson } from '../providers/sandbox/sandbox.ts';
import { changeChannel, checkChannel, removeChannel } from './change-channel.ts';
import {
  CHANNEL_COLUMNS,
  type ChannelGate,
  createChannel,
  presentChannel,
  requireChannel,
} from './channel.ts';
import { receiveRequest } from './receive-request.ts';
import {
  Channel,
  ChannelChange,
  ChannelCheck,
  channelHealths,
  NewChannel,
  SandboxInbound,
  SandboxReceipt,
} from './schema.ts';

export interface ChannelNeeds extends EndingNeeds {
  db: Database;
  clock: Clock;
  keys: Keys;
  hints: Hints;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
  findGate: (channelId: string) => Promise<ChannelGate | undefined>;
}

const exampleChannel: Static<typeof Channel> = {
  id: '019a82a0-0000-7000-8000-000000000020',
  kind: 'whatsapp',
  provider: 'sandbox',
  name: 'Support',
  address: '+15550009999',
  health: 'healthy',
  problem: null,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const ChannelId = Type.Object({ channelId: Type.String() });
const at = { params: { channelId: exampleChannel.id } };

export function channelRoutes(needs: ChannelNeeds): Route[] {
  const { db, clock, keys, adapters, findGate } = needs;
  return [
    write(
      {
        method: 'POST',
        path: '/v3/channels',
        operationId: 'createChannel',
        tag: 'Channels',
        summary: 'Connect a channel',
        description:
          'A channel is a number, mailbox or account that people write to. The provider `sandbox` stands in for any vendor, without an account there.',
        access: 'channels:write',
        body: NewChannel([...adapters.keys()]),
        answer: data(Channel),
        failures: [],
        example: {
          body: { kind: 'whatsapp', provider: 'sandbox', name: 'Support', address: '+15550009999' },
          answer: exampleChannel,
        },
      },
      ({ principal, body }, tx) =>
        createChannel(
          tx,
          principal.tenantId,
          body,
          adapters.get(body.provider) as Adapter,
          keys,
          clock.now(),
        ),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/channels/:channelId',
        operationId: 'getChannel',
        tag: 'Channels',
        summary: 'Read a channel',
        description: 'Without its configuration, which may hold credentials.',
        access: 'channels:read',
        params: ChannelId,
        answer: data(Channel),
        failures: ['channel_not_found'],
        example: { ...at, answer: exampleChannel },
      },
      ({ principal, params }) => requireChannel(db.byKey, principal.tenantId, params.channelId),
    ),
    searchRoute(db, {
      path: '/v3/channels/search',
      operationId: 'searchChannels',
      tag: 'Channels',
      noun: 'channels',
      access: 'channels:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'c.id' },
          kind: { type: 'enum', sql: 'c.kind', values: channelKinds },
          provider: { type: 'string', sql: 'c.provider' },
          name: { type: 'string', sql: 'c.name' },
          address: { type: 'string', sql: 'c.address' },
          health: { type: 'enum', sql: 'c.health', values: channelHealths },
          createdAt: { type: 'time', sql: 'c.created_at' },
          updatedAt: { type: 'time', sql: 'c.updated_at' },
        },
        names: ['c.name', 'c.address'],
        id: 'c.id',
      },
      source: { select: CHANNEL_COLUMNS, from: 'channels c', tenantColumn: 'c.tenant_id' },
      schema: Channel,
      present: presentChannel,
      example: { query: 'eq(kind,"whatsapp")', item: exampleChannel },
    }),
    write(
      {
        method: 'PUT',
        path: '/v3/channels/:channelId',
        operationId: 'updateChannel',
        tag: 'Channels',
        summary: 'Change a channel',
        description:
          'Changes what is given. `config` is put over the stored settings, so that one credential can be changed without knowing the others. Kind and provider stay.',
        access: 'channels:write',
        params: ChannelId,
        body: ChannelChange,
        answer: data(Channel),
        failures: ['channel_not_found'],
        example: { ...at, body: { name: 'Support', config: { statusDelayMs: 200 } }, answer: exampleChannel },
      },
      ({ principal, params, body }, tx) =>
        changeChannel(tx, principal.tenantId, params.channelId, body, needs, clock.now()),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/channels/:channelId',
        operationId: 'deleteChannel',
        tag: 'Channels',
        summary: 'Delete a channel',
        description:
          'Permanent, with its chats, their messages, and its message templates. Contacts stay. Subscriptions that name it hear of no other channel instead.',
        access: 'channels:write',
        params: ChannelId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleChannel.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.channelId, await removeChannel(tx, principal.tenantId, params.channelId, needs)),
    ),
    call(
      {
        method: 'POST',
        path: '/v3/channels/:channelId/check',
        operationId: 'checkChannel',
        tag: 'Channels',
        summary: 'Check a channel',
        description:
          'Says all that would keep the channel from working: each setting that makes no sense, by its path, and whatever the vendor says when it is asked with these credentials. Writes to nobody and changes nothing, `health` included: that follows from what really goes out.',
        access: 'channels:read',
        params: ChannelId,
        answer: data(ChannelCheck),
        failures: ['channel_not_found'],
        example: { ...at, answer: { ok: true, problems: [] } },
      },
      async ({ principal, params }) => {
        const result = await checkChannel(db.byKey, principal.tenantId, params.channelId, needs);
        return async () => result;
      },
    ),
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
        const channel = await findGate(params.channelId);
        const adapter = adapters.get('sandbox');
        if (channel?.tenantId !== principal.tenantId || channel.provider !== adapter?.provider)
          throw new ApiError('channel_not_found');
        const fault = faultOfPerson(body.from, channel.kind);
        if (fault) throw invalidParam('from', 'invalid_string', fault);
        const { from, text, name = null } = body;
        const { vendorId, request } = writeAsPerson({ from, text, name }, clock.now(), channel.config);
        await receiveRequest(tx, channel, adapter, request, needs);
        return { vendorId };
      },
    ),
  ];
}
