import { Type } from 'typebox';
import type { Database } from '../db/database.ts';
import { csv, data, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import {
  campaignFields,
  campaignSource,
  presentCampaign,
  requireCampaign,
  requireCampaignId,
} from './campaign.ts';
import { changeCampaignStatus, type StatusDeps } from './change-status.ts';
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
const at = { params: { campaignId: exampleCampaign.id } };

export function campaignRoutes(deps: StatusDeps & { db: Database }): Route[] {
  const { db } = deps;
  const shared = { tag: 'Campaigns', feature: 'campaigns' } as const;
  return [
    write(
      {
        ...shared,
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v3/campaigns',
        operationId: 'createCampaign',
        summary: 'Make a campaign',
        description:
          'An automation for many contacts. It starts at `scheduledAt`, or now; without `contacts` and `audience` it is a draft. If anything is wrong, nothing is stored.',
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
        const { id } = await createCampaign(tx, principal.tenantId, body, deps);
        return requireCampaign(tx, principal.tenantId, id);
      },
    ),
    read(
      {
        ...shared,
        method: 'GET',
        path: '/v3/campaigns/:campaignId',
        operationId: 'getCampaign',
        summary: 'Read a campaign',
        description: 'With how many recipients have which status, as of this moment.',
        access: 'campaigns:read',
        params: CampaignId,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found'],
        example: { ...at, answer: exampleWithCounts },
      },
      ({ principal, params }) => requireCampaign(db, principal.tenantId, params.campaignId),
    ),
    searchRoute(db, {
      ...shared,
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
    write(
      {
        ...shared,
        method: 'POST',
        path: '/v3/campaigns/:campaignId/status',
        operationId: 'setCampaignStatus',
        summary: 'Start, pause or cancel a campaign',
        description:
          '`running` lets a draft or a paused campaign go on as planned: at its time if that is yet to come, else now. `paused` holds it back, its runs and those of its messages that wait to be sent; `cancelled` ends them for good. The status it has already is no error.',
        access: 'campaigns:write',
        params: CampaignId,
        body: CampaignStatusChange,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: { ...at, body: { status: 'paused' }, answer: { ...exampleWithCounts, status: 'paused' } },
      },
      ({ principal, params, body }, tx) =>
        changeCampaignStatus(tx, principal.tenantId, params.campaignId, body.status, deps),
    ),
    write(
      {
        ...shared,
        ...MANY_CONTACTS,
        method: 'POST',
        path: '/v3/campaigns/:campaignId/recipients',
        operationId: 'addRecipients',
        summary: 'Add recipients to a campaign',
        description:
          'Up to 5000 in one call, as often as you like, until the campaign is over. Whoever is a recipient already stays one. A draft stays a draft until it is started.',
        access: 'campaigns:write',
        params: CampaignId,
        body: NewRecipients,
        answer: data(CampaignWithCounts),
        failures: ['campaign_not_found', 'conflict'],
        example: { ...at, body: { contacts: exampleContacts }, answer: exampleWithCounts },
      },
      ({ principal, params, body }, tx) =>
        addRecipients(tx, principal.tenantId, params.campaignId, body.contacts, deps),
    ),
    searchRoute(db, {
      ...shared,
      path: '/v3/campaigns/:campaignId/recipients/search',
      operationId: 'searchRecipients',
      noun: "a campaign's recipients",
      access: 'campaigns:read',
      params: CampaignId,
      searchable: recipientFields,
      source: async ({ tenantId }, params) =>
        recipientSource(await requireCampaignId(db.byKey, tenantId, params.campaignId as string)),
      schema: Recipient,
      present: presentRecipient,
      failures: ['campaign_not_found'],
      example: {
        ...at,
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
    read(
      {
        ...shared,
        method: 'GET',
        path: '/v3/campaigns/:campaignId/results.csv',
        operationId: 'getCampaignResults',
        summary: 'Download what became of the recipients',
        description:
          'A line for each recipient of the occurrence that is under way or was last, by contact, as a file for spreadsheets. A text that a spreadsheet could take for a formula has an apostrophe before it.',
        access: 'campaigns:read',
        params: CampaignId,
        answer: csv,
        failures: ['campaign_not_found'],
        example: { ...at, answer: exampleResults },
      },
      ({ principal, params }) => campaignResults(db, principal.tenantId, params.campaignId),
    ),
  ];
}
