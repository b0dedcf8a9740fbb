import { Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import type { EndingDeps } from '../chats/remove-chats.ts';
import type { Database } from '../db/database.ts';
import { call, DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { type Adapter, type AdapterContext, channelKinds } from '../providers/adapter.ts';
import { changeChannel, checkChannel, removeChannel } from './change-channel.ts';
import { CHANNEL_COLUMNS, createChannel, presentChannel, requireChannel } from './channel.ts';
import { exampleChannel } from './example.ts';
import { Channel, ChannelChange, ChannelCheck, channelHealths, NewChannel } from './schema.ts';

export interface ChannelDeps extends EndingDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
}

const ChannelId = Type.Object({ channelId: Type.String() });
const at = { params: { channelId: exampleChannel.id } };

export function channelRoutes(deps: ChannelDeps): Route[] {
  const { db, clock, keys, adapters } = deps;
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
          clock.now(principal.tenantId),
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
        changeChannel(tx, principal.tenantId, params.channelId, body, deps, clock.now(principal.tenantId)),
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
        deleted(params.channelId, await removeChannel(tx, principal.tenantId, params.channelId, deps)),
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
        const result = await checkChannel(db.byKey, principal.tenantId, params.channelId, deps);
        return async () => result;
      },
    ),
  ];
}
