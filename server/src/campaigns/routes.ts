import { Type } from 'typebox';
import { readerOf } from '../http/permissions.ts';
import { csv, data, type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import {
  campaignFields,
  campaignSource,
  presentCampaign,
  requireCampaign,
  requireCampaignId,
} from './campaign.ts';
import { changeCampaignStatus } from './change-status.ts';
import { createCampaign } from './create-campaign.ts';
import { exampleCampaign, exampleContacts, exampleResults, exampleWithCounts } from './example.ts';
import { addRecipients, presentRecipient, recipientFields, recipientSource } from './recipients.ts';
import { campaignResults } from './results.ts';
import {
  Campaign,
  CampaignStatusChange,
  CampaignWithCounts,
  MANY_CONTACTS,
  NewCampaign,
  NewRecipients,
  Recipient,
} from './schema.ts';

const CampaignId = Type.Object({ campaignId: Type.String() });
const exampleParams = { campaignId: exampleCampaign.id };
const campaigns = routeFamily({ tag: 'Campaigns', feature: 'campaigns', params: CampaignId, exampleParams });

export function campaignRoutes(): Route[] {
  return [
    campaigns.write(
      {
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v3/campaigns',
        operationId: 'createCampaign',
        summary: 'Create a campaign',
        description:
          'Runs an automation for many contacts. It starts at `scheduledAt`, or now. Without `contacts` and `audience` it is a draft. An `audience` needs `contacts:read`, too. If anything is invalid, nothing is stored.',
        access: 'campaigns:write',
        body: NewCampaign,
        answer: data(CampaignWithCounts),
        failures: ['conflict'],
        example: {
          body: {
            channelId: exampleCampaign.channelId,
            name: exampleCampaign.name,
            automationId: exampleCampaign.automationId,
            scheduledAt: exampleCampaign.scheduledAt,
            recurrenceRules: exampleCampaign.recurrenceRules,
            variables: exampleCampaign.variables,
            contacts: exampleContacts,
          },
          answer: exampleWithCounts,
        },
      },
      async ({ principal, body }, tx) => {
        const { id } = await createCampaign(tx, body, { canRead: readerOf(principal) });
        return requireCampaign(tx, id);
      },
    ),
    campaigns.read(
      {
        method: 'GET',
        path: '/v3/campaigns/:campaignId',
        operationId: 'getCampaign',
        summary: 'Get a campaign',
        description: 'Returns the campaign with the number of recipients in each status.',
        access: 'campaigns:read',
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found'],
        example: { answer: exampleWithCounts },
      },
      ({ params }, db) => requireCampaign(db, params.campaignId),
    ),
    searchRoute({
      tag: 'Campaigns',
      feature: 'campaigns',
      path: '/v3/campaigns/search',
      operationId: 'searchCampaigns',
      noun: 'campaigns',
      access: 'campaigns:read',
      searchable: campaignFields,
      source: campaignSource,
      schema: Campaign,
      present: presentCampaign,
      example: { query: 'eq(status,"scheduled")', item: exampleCampaign },
    }),
    campaigns.write(
      {
        method: 'POST',
        path: '/v3/campaigns/:campaignId/status',
        operationId: 'setCampaignStatus',
        summary: 'Start, pause or cancel a campaign',
        description:
          '`running` starts a draft or resumes a paused campaign: at its scheduled time if that is in the future, otherwise now. `paused` holds the campaign, its runs and its queued messages. `cancelled` ends them permanently. Setting the status that it already has is not an error.',
        access: 'campaigns:write',
        body: CampaignStatusChange,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: { body: { status: 'paused' }, answer: { ...exampleWithCounts, status: 'paused' } },
      },
      ({ params, body }, tx) => changeCampaignStatus(tx, params.campaignId, body.status),
    ),
    campaigns.write(
      {
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v3/campaigns/:campaignId/recipients',
        operationId: 'addRecipients',
        summary: 'Add recipients to a campaign',
        description:
          'Adds up to 5000 recipients in one call. You can add recipients until the campaign has ended. Existing recipients stay. A draft stays a draft until you start it.',
        access: 'campaigns:write',
        body: NewRecipients,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: { body: { contacts: exampleContacts }, answer: exampleWithCounts },
      },
      ({ params, body }, tx) => addRecipients(tx, params.campaignId, body.contacts),
    ),
    searchRoute({
      tag: 'Campaigns',
      feature: 'campaigns',
      path: '/v3/campaigns/:campaignId/recipients/search',
      operationId: 'searchRecipients',
      noun: "a campaign's recipients",
      access: 'campaigns:read',
      params: CampaignId,
      searchable: recipientFields,
      source: async (db, params) => recipientSource(await requireCampaignId(db, params.campaignId as string)),
      schema: Recipient,
      present: presentRecipient,
      failures: ['campaign_not_found'],
      example: {
        params: exampleParams,
        query: 'eq(status,"queued")',
        item: {
          contactId: '019a82a0-0000-7000-8000-000000000011',
          status: 'queued',
          skipReason: null,
          code: null,
          runId: '019a82a0-0000-7000-8000-000000000072',
          messageId: null,
          createdAt: exampleCampaign.createdAt,
          updatedAt: exampleCampaign.updatedAt,
        },
      },
    }),
    campaigns.read(
      {
        method: 'GET',
        path: '/v3/campaigns/:campaignId/results.csv',
        operationId: 'getCampaignResults',
        summary: 'Download the results of a campaign',
        description:
          'Returns a CSV file with a line for each recipient of the current or last occurrence, sorted by contact. A text that a spreadsheet could read as a formula is preceded by an apostrophe.',
        access: 'campaigns:read',
        answer: csv,
        failures: ['campaign_not_found'],
        example: { answer: exampleResults },
      },
      ({ params }, db) => campaignResults(db, params.campaignId),
    ),
  ];
}
