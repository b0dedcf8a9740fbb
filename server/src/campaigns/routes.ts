import { Type } from 'typebox';
import type { SaveDeps } from '../automations/automation.ts';
import { csv, DeleteResult, data, deleted } from '../http/answer.ts';
import { type Principal, readerOf } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import {
  campaignFields,
  campaignSource,
  presentCampaign,
  requireCampaign,
  requireCampaignId,
} from './campaign.ts';
import { changeCampaign, removeCampaign } from './change-campaign.ts';
import { changeCampaignStatus } from './change-status.ts';
import { createCampaign } from './create-campaign.ts';
import {
  exampleCampaign,
  exampleContacts,
  examplePreview,
  exampleResults,
  exampleWithCounts,
} from './example.ts';
import { type PreviewDeps, previewCampaign } from './preview.ts';
import { CampaignPreview, CampaignToPreview } from './preview-schema.ts';
import { addRecipients, presentRecipient, recipientFields, recipientSource } from './recipients.ts';
import { campaignResults } from './results.ts';
import {
  Campaign,
  CampaignChange,
  CampaignStatusChange,
  CampaignWithCounts,
  MANY_CONTACTS,
  NewCampaign,
  NewRecipients,
  Recipient,
  TestOfCampaign,
} from './schema.ts';
import { sendTest } from './send-test.ts';

const CampaignId = Type.Object({ campaignId: Type.String() });
const exampleParams = { campaignId: exampleCampaign.id };
const campaigns = routeFamily({ tag: 'Campaigns', feature: 'campaigns', params: CampaignId, exampleParams });

export function campaignRoutes(deps: PreviewDeps): Route[] {
  const saving = (principal: Principal): SaveDeps => ({
    canRead: readerOf(principal),
    policy: deps.policy,
  });
  return [
    campaigns.write(
      {
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v3/campaigns',
        operationId: 'createCampaign',
        summary: 'Create a campaign',
        description:
          'Runs an automation for many contacts, or sends them a `message`. It starts at `scheduledAt`, or now. Without `contacts` and `audience` it is a draft. An `audience` needs `contacts:read`, too. If anything is invalid, nothing is stored.',
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
        const { id } = await createCampaign(tx, body, saving(principal));
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
    campaigns.read(
      {
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v3/campaigns/preview',
        operationId: 'previewCampaign',
        summary: 'Preview a campaign',
        description:
          'Returns whom a campaign would reach, whom it would skip and why, and the messages as they would be sent, all as of now. Takes the body of `POST /v3/campaigns`, which is checked in the same way. An `audience`, and samples of contacts that exist, need `contacts:read`, too. Nothing is stored and nothing is sent. What a step calls on other servers is not called.',
        access: 'campaigns:read',
        body: CampaignToPreview,
        answer: data(CampaignPreview),
        failures: ['conflict', 'search_too_slow'],
        example: {
          body: {
            channelId: exampleCampaign.channelId,
            automationId: exampleCampaign.automationId,
            variables: exampleCampaign.variables,
            contacts: exampleContacts,
          },
          answer: examplePreview,
        },
      },
      ({ principal, body }, db) => previewCampaign(db, body, deps, principal),
    ),
    campaigns.write(
      {
        method: 'PUT',
        path: '/v3/campaigns/:campaignId',
        operationId: 'updateCampaign',
        summary: 'Update a campaign',
        description:
          'Changes the given fields of a campaign that is a draft or scheduled; the whole is checked as if it were created now. Recipients that were given stay. Of a recurring campaign between two occurrences, everything but `scheduledAt` can be changed.',
        access: 'campaigns:write',
        body: CampaignChange,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: { body: { name: exampleCampaign.name }, answer: exampleWithCounts },
      },
      ({ principal, params, body }, tx) => changeCampaign(tx, params.campaignId, body, saving(principal)),
    ),
    campaigns.write(
      {
        method: 'DELETE',
        path: '/v3/campaigns/:campaignId',
        operationId: 'deleteCampaign',
        summary: 'Delete a campaign',
        description:
          'Deletes a draft, or a scheduled campaign that has not run yet, with its recipients. Any other is cancelled instead, so that what was sent stays known. Contacts stay.',
        access: 'campaigns:write',
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleCampaign.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.campaignId, await removeCampaign(tx, params.campaignId)),
    ),
    campaigns.write(
      {
        method: 'POST',
        path: '/v3/campaigns/:campaignId/test',
        operationId: 'testCampaign',
        summary: 'Send a campaign to one person',
        description:
          'Tries a campaign out: starts one that is marked with `isTest`, with the same content, for one person alone, now: a user, an address, or a contact. The campaign itself is not changed.',
        access: 'campaigns:write',
        body: TestOfCampaign,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: {
          body: { to: '+15550001111' },
          answer: {
            ...exampleWithCounts,
            id: '019a82a0-0000-7000-8000-000000000089',
            name: `Test: ${exampleCampaign.name}`,
            status: 'running',
            isTest: true,
            isReoccurring: false,
            recurrenceRules: [],
          },
        },
      },
      ({ principal, params, body }, tx) => sendTest(tx, params.campaignId, body, saving(principal)),
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
          '`running` starts a draft or resumes a paused campaign: at its scheduled time if that is in the future, otherwise now. `paused` holds the campaign, its runs and its queued messages. `cancelled` ends them permanently. Setting the status that it already has is not an error. With `baseUpdatedAt` nothing happens if somebody has changed the campaign since.',
        access: 'campaigns:write',
        body: CampaignStatusChange,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: { body: { status: 'paused' }, answer: { ...exampleWithCounts, status: 'paused' } },
      },
      ({ principal, params, body }, tx) =>
        changeCampaignStatus(tx, params.campaignId, body, saving(principal)),
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
