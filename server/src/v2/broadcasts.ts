import { type Static, Type } from 'typebox';
import type { SaveDeps } from '../automations/automation.ts';
import { type CampaignRow, campaignsOfChannel } from '../campaigns/campaign.ts';
import { createCampaign } from '../campaigns/create-campaign.ts';
import { campaignStatuses, MANY_CONTACTS, NewCampaign } from '../campaigns/schema.ts';
import { validateReach } from '../campaigns/validate-reach.ts';
import { requireChannel } from '../channels/channel.ts';
import { data } from '../http/answer.ts';
import { readerOf } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { OneOf, Timestamp, timestamp, Uuid } from '../http/schema.ts';
import { withV2ParamNames } from './param-names.ts';

const { properties } = NewCampaign;
const NewBroadcast = Type.Object({
  name: properties.name,
  workflowId: Uuid('The automation that runs for each recipient; it must be active'),
  isScheduled: properties.isScheduled,
  scheduledAt: properties.scheduledAt,
  isReoccurring: properties.isReoccurring,
  recurrenceRules: properties.recurrenceRules,
  messageTemplateId: properties.messageTemplateId,
  variables: properties.variables,
  contacts: properties.contacts,
});
type NewBroadcast = Static<typeof NewBroadcast>;

/** Other keys are ignored, also those that a campaign of version 3 has. */
const knownOf = (body: NewBroadcast): NewBroadcast =>
  Object.fromEntries(
    Object.entries(body).filter(([key]) => Object.hasOwn(NewBroadcast.properties, key)),
  ) as NewBroadcast;

const Broadcast = Type.Object(
  {
    id: Uuid('Also the id of the campaign in v3'),
    name: Type.String(),
    workflowId: Uuid(),
    isScheduled: Type.Boolean(),
    isReoccurring: Type.Boolean(),
    scheduledAt: Type.Optional(Timestamp('Left out if it starts at once')),
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
type Broadcast = Static<typeof Broadcast>;

const broadcasts = routeFamily({
  tag: 'Broadcasts',
  feature: 'campaigns',
  params: Type.Object({ channelId: Type.String() }),
  exampleParams: { channelId: '019a82a0-0000-7000-8000-000000000020' },
});

const example: Broadcast = {
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

const present = (row: CampaignRow): Broadcast => ({
  id: row.id,
  name: row.name,
  workflowId: row.automation_id as string,
  isScheduled: row.scheduled_at !== null,
  isReoccurring: row.is_reoccurring,
  ...(row.scheduled_at === null ? {} : { scheduledAt: timestamp(row.scheduled_at) }),
  ...(row.recurrence_rules === null ? {} : { recurrenceRules: row.recurrence_rules }),
  ...(row.variables === null ? {} : { variables: row.variables }),
  status: row.status,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export function v2BroadcastRoutes({ policy }: Pick<SaveDeps, 'policy'>): Route[] {
  return [
    broadcasts.read(
      {
        method: 'GET',
        path: '/v2/:channelId/broadcasts',
        operationId: 'listBroadcastsV2',
        summary: "List a channel's broadcasts",
        description: 'All of them, the oldest first, including campaigns created through v3.',
        access: 'campaigns:read',
        answer: data(Type.Object({ broadcasts: Type.Array(Broadcast) })),
        failures: ['api_version_sunset', 'channel_not_found'],
        example: { answer: { broadcasts: [example] } },
        successor: 'POST /v3/campaigns/search',
      },
      async ({ params }, tenant) => {
        const { id } = await requireChannel(tenant.byKey, params.channelId);
        return { broadcasts: (await campaignsOfChannel(tenant, id)).map(present) };
      },
    ),
    broadcasts.write(
      {
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v2/:channelId/broadcasts',
        operationId: 'createBroadcastV2',
        summary: 'Create a broadcast',
        description:
          'Runs a workflow for up to 5000 contacts. It starts at `scheduledAt`, or now; without `contacts` and `scheduledAt` it is a draft, which can be completed and started through v3. If any parameter is invalid, nothing is stored.',
        access: 'campaigns:write',
        body: NewBroadcast,
        answer: data(Broadcast),
        failures: ['api_version_sunset', 'channel_not_found', 'conflict'],
        example: {
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
      async ({ principal, params, body }, tx) => {
        const channel = await requireChannel(tx, params.channelId);
        const { workflowId, ...input } = knownOf(body);
        return present(
          await withV2ParamNames(
            createCampaign(
              tx,
              { ...input, channelId: channel.id, automationId: workflowId },
              {
                canRead: readerOf(principal),
                policy,
                validateMore: (...found) => validateReach(tx, input, ...found),
              },
            ),
            { automationId: 'workflowId' },
          ),
        );
      },
    ),
  ];
}
