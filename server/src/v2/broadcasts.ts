import { type Static, Type } from 'typebox';
import { allOfChannel, type CampaignRow } from '../campaigns/campaign.ts';
import type { StatusDeps } from '../campaigns/change-status.ts';
import { createCampaign } from '../campaigns/create-campaign.ts';
import { campaignStatuses, MANY_CONTACTS, NewCampaign } from '../campaigns/schema.ts';
import { requireChannel } from '../channels/channel.ts';
import type { Database } from '../db/database.ts';
import { data, type Route, read, write } from '../http/route.ts';
import { OneOf, Timestamp, timestamp, Uuid } from '../http/schema.ts';
import { inV2Words } from './words.ts';

const { channelId: _channelId, automationId, audience: _audience, ...fields } = NewCampaign.properties;
const NewBroadcast = Type.Object({ ...fields, workflowId: automationId });

const Notifier = Type.Object(
  {
    id: Uuid('Also the id of the campaign that it is in v3'),
    name: Type.String(),
    workflowId: Uuid(),
    isScheduled: Type.Boolean(),
    isReoccurring: Type.Boolean(),
    scheduledAt: Type.Optional(Timestamp('Left out where it starts at once')),
    recurrenceRules: Type.Optional(Type.Array(Type.String(), { description: 'As they were sent' })),
    variables: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
        description: 'As they were sent',
      }),
    ),
    status: OneOf(campaignStatuses),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Broadcast' },
);
type Notifier = Static<typeof Notifier>;

const ChannelId = Type.Object({ channelId: Type.String() });
const at = { params: { channelId: '019a82a0-0000-7000-8000-000000000020' } };

const example: Notifier = {
  id: '019a82a0-0000-7000-8000-000000000080',
  name: 'Winter sale',
  workflowId: '019a82a0-0000-7000-8000-000000000070',
  isScheduled: true,
  isReoccurring: false,
  scheduledAt: '2027-01-02T09:00:00.000Z',
  variables: [{ name: 'discount', value: '20' }],
  status: 'scheduled',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

const present = (row: CampaignRow): Notifier => ({
  id: row.id,
  name: row.name,
  workflowId: row.automation_id,
  isScheduled: row.scheduled_at !== null,
  isReoccurring: row.is_reoccurring,
  ...(row.scheduled_at === null ? {} : { scheduledAt: timestamp(row.scheduled_at) }),
  ...(row.recurrence_rules === null ? {} : { recurrenceRules: row.recurrence_rules }),
  ...(row.variables === null ? {} : { variables: row.variables }),
  status: row.status,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export function v2BroadcastRoutes(deps: StatusDeps & { db: Database }): Route[] {
  const { db } = deps;
  const shared = {
    tag: 'Broadcasts',
    feature: 'campaigns',
    path: '/v2/:channelId/broadcasts',
    params: ChannelId,
  } as const;
  return [
    read(
      {
        ...shared,
        method: 'GET',
        operationId: 'listBroadcastsV2',
        summary: "List a channel's broadcasts",
        description: 'All of them, the oldest first, those made as campaigns in v3 too.',
        access: 'campaigns:read',
        answer: data(Type.Object({ broadcasts: Type.Array(Notifier) })),
        failures: ['api_version_sunset', 'channel_not_found'],
        example: { ...at, answer: { broadcasts: [example] } },
        successor: 'POST /v3/campaigns/search',
      },
      async ({ principal, params }) => {
        const { id } = await requireChannel(db.byKey, principal.tenantId, params.channelId);
        return { broadcasts: (await allOfChannel(db, principal.tenantId, id)).map(present) };
      },
    ),
    write(
      {
        ...shared,
        ...MANY_CONTACTS,
        method: 'POST',
        operationId: 'createBroadcastV2',
        summary: 'Make a broadcast',
        description:
          'A workflow for up to 5000 contacts. It starts at `scheduledAt`, or now; without `contacts` it is a draft, which v3 can fill and start. If anything is wrong, nothing is stored.',
        access: 'campaigns:write',
        body: NewBroadcast,
        answer: data(Notifier),
        failures: ['api_version_sunset', 'channel_not_found', 'conflict'],
        example: {
          ...at,
          body: {
            name: example.name,
            workflowId: example.workflowId,
            isScheduled: true,
            scheduledAt: example.scheduledAt,
            variables: example.variables,
            contacts: [
              {
                firstName: 'Ada',
                lastName: 'Lovelace',
                phoneNumber: '+15550001111',
                labels: [{ name: 'VIP' }],
              },
            ],
          },
          answer: example,
        },
        successor: 'POST /v3/campaigns',
      },
      async ({ principal, params, body: { workflowId, ...body } }, tx) => {
        const channel = await requireChannel(tx, principal.tenantId, params.channelId);
        // A body may hold more than version 2 knows, and an audience would be taken for one.
        const { audience: _, ...input } = body as typeof body & { audience?: unknown };
        return present(
          await inV2Words(
            createCampaign(
              tx,
              principal.tenantId,
              { ...input, channelId: channel.id, automationId: workflowId },
              deps,
            ),
            { automationId: 'workflowId' },
          ),
        );
      },
    ),
  ];
}
