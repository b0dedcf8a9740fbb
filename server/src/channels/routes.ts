import { Type } from 'typebox';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import type { BeforeChatRemoval } from '../chats/remove-chats.ts';
import { data, RemovalResult, removed } from '../http/answer.ts';
import { hasScope } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import { adapters as allAdapters } from '../providers/adapters.ts';
import { channelKinds } from '../providers/kinds.ts';
import { type ConfigDeps, changeChannel, checkChannel, removeChannel } from './change-channel.ts';
import { CHANNEL_COLUMNS, presentChannel, requireChannel } from './channel.ts';
import { createChannel } from './create-channel.ts';
import { exampleChannel } from './example.ts';
import { Channel, ChannelChange, ChannelCheck, channelHealths, NewChannel } from './schema.ts';
import { ChannelKindInfo, ChannelSetupStep, listChannelKinds, readSetup } from './setup.ts';

export interface ChannelDeps extends ConfigDeps {
  context: AdapterContext;
  beforeRemoval: BeforeChatRemoval;
}

const channels = routeFamily({
  tag: 'Channels',
  params: Type.Object({ channelId: Type.String() }),
  exampleParams: { channelId: exampleChannel.id },
});

const exampleKind = listChannelKinds(allAdapters).find(
  ({ provider }) => provider === 'whatsapp_cloud',
) as ChannelKindInfo;

export function channelRoutes(deps: ChannelDeps): Route[] {
  const { adapters, beforeRemoval } = deps;
  return [
    channels.write(
      {
        method: 'POST',
        path: '/v3/channels',
        operationId: 'createChannel',
        summary: 'Create a channel',
        description:
          'A channel is a number, mailbox or account that customers write to. The provider `sandbox` simulates any vendor and needs no account.',
        access: 'channels:write',
        body: NewChannel([...adapters.keys()]),
        answer: data(Channel),
        failures: [],
        example: {
          body: { kind: 'whatsapp', provider: 'sandbox', name: 'Support', address: '+15550009999' },
          answer: exampleChannel,
        },
      },
      ({ body }, tx) => createChannel(tx, body, adapters.get(body.provider) as Adapter, deps),
    ),
    channels.read(
      {
        method: 'GET',
        path: '/v3/channel_kinds',
        operationId: 'listChannelKinds',
        summary: 'List the kinds of channels',
        description:
          'What a channel of each kind and provider needs: the settings of `config` as a JSON schema, which of them are secrets, the steps to connect it, and where the guide is.',
        access: 'channels:read',
        answer: data(Type.Array(ChannelKindInfo)),
        failures: [],
        example: { answer: [exampleKind] },
      },
      () => listChannelKinds(adapters),
    ),
    channels.read(
      {
        method: 'GET',
        path: '/v3/channels/:channelId/setup',
        operationId: 'getChannelSetup',
        summary: 'Get how to connect a channel',
        description:
          'The steps, with the URL and the verify token to enter at the vendor, and what has been seen so far. The verify token is a secret: it is null without `channels:write`.',
        access: 'channels:read',
        answer: data(Type.Array(ChannelSetupStep)),
        failures: ['channel_not_found'],
        example: {
          answer: [
            {
              step: exampleKind.steps[3] as string,
              status: 'done',
              message: 'A message has come in.',
              kind: 'webhook',
              seenAt: '2026-11-15T01:02:03.456Z',
              webhookUrl: 'https://parley.example.com/providers/whatsapp_cloud',
              verifyToken: 'a-text-that-you-chose',
              isReachable: true,
            },
          ],
        },
      },
      ({ principal, params }, db) =>
        readSetup(db.byKey, params.channelId, {
          ...deps,
          canSeeSecrets: hasScope(principal, 'channels:write'),
        }),
    ),
    channels.read(
      {
        method: 'GET',
        path: '/v3/channels/:channelId',
        operationId: 'getChannel',
        summary: 'Get a channel',
        description: 'Returns the channel without its configuration, which may contain credentials.',
        access: 'channels:read',
        answer: data(Channel),
        failures: ['channel_not_found'],
        example: { answer: exampleChannel },
      },
      ({ params }, db) => requireChannel(db.byKey, params.channelId),
    ),
    searchRoute({
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
          optOutConfirmation: { type: 'string', sql: `c.consent->>'optOutConfirmation'`, nullable: true },
          health: { type: 'enum', sql: 'c.health', values: channelHealths },
          problem: { type: 'string', sql: 'c.problem', nullable: true, isLong: true },
          createdAt: { type: 'time', sql: 'c.created_at' },
          updatedAt: { type: 'time', sql: 'c.updated_at' },
        },
        names: ['c.name', 'c.address'],
        id: 'c.id',
      },
      source: {
        select: CHANNEL_COLUMNS,
        from: 'visible_channels c',
        tenantColumn: 'c.tenant_id',
        inChannels: (ids) => `c.id = any (${ids})`,
      },
      schema: Channel,
      present: presentChannel,
      example: { query: 'eq(kind,"whatsapp")', item: exampleChannel },
    }),
    channels.write(
      {
        method: 'PUT',
        path: '/v3/channels/:channelId',
        operationId: 'updateChannel',
        summary: 'Update a channel',
        description:
          'Changes the given fields. `config` is merged into the stored settings, so that one credential can be changed without knowing the others. Kind and provider cannot be changed.',
        access: 'channels:write',
        body: ChannelChange,
        answer: data(Channel),
        failures: ['channel_not_found'],
        example: { body: { name: 'Support', config: { statusDelayMs: 200 } }, answer: exampleChannel },
      },
      ({ params, body }, tx) => changeChannel(tx, params.channelId, body, deps),
    ),
    channels.write(
      {
        method: 'DELETE',
        path: '/v3/channels/:channelId',
        operationId: 'deleteChannel',
        summary: 'Delete a channel',
        description:
          'Deletes the channel permanently, with its chats, their messages, and its message templates. Contacts stay. Webhooks that are limited to this channel receive nothing instead. A large channel is hidden at once and deleted by a job.',
        access: 'channels:write',
        query: Force,
        answer: data(RemovalResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleChannel.id], notFoundIds: [], jobId: null } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'channel', params.channelId, query);
        return removed(params.channelId, await removeChannel(tx, params.channelId, beforeRemoval));
      },
    ),
    channels.call(
      {
        method: 'POST',
        path: '/v3/channels/:channelId/check',
        operationId: 'checkChannel',
        summary: 'Check a channel',
        description:
          'Returns everything that would keep the channel from working: each invalid setting by its path, and what the vendor answers when it is called with these credentials. Sends no message. A channel that was `unchecked` is `healthy` if there is no problem; any other `health` only depends on messages that are really sent. If the vendor accepts the credentials, its number or account belongs to this channel, and no other channel can be created for it.',
        access: 'channels:read',
        answer: data(ChannelCheck),
        failures: ['channel_not_found'],
        example: { answer: { ok: true, problems: [] } },
      },
      async ({ params }, db) => {
        const result = await checkChannel(db, params.channelId, deps);
        return async () => result;
      },
    ),
  ];
}
