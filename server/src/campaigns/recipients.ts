import { findAttributes } from '../attributes/find-attributes.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Issues } from '../base/issues.ts';
import { requireChannel } from '../channels/channel.ts';
import { reachedBy } from '../chats/start-chat.ts';
import { upsertContacts } from '../contacts/import/upsert-contacts.ts';
import { validateContacts } from '../contacts/import/validate-contacts.ts';
import type { ContactItem } from '../contacts/schema.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { ChannelKind, HandleType } from '../providers/kinds.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { requireCampaign } from './campaign.ts';
import { RECIPIENT_CODE, RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';
import {
  type CampaignStatus,
  type CampaignWithCounts,
  type Recipient,
  recipientStatuses,
  skipReasons,
} from './schema.ts';

const insertRecipients = statement<[campaignId: string, contactIds: string[], now: Date]>(
  'recipients.insert',
  // Always in the order of contacts, so that two calls that add the same contacts never deadlock.
  `insert into recipients (campaign_id, contact_id, tenant_id, created_at, updated_at)
   select distinct $1::uuid, n.contact_id, $tenant::uuid, $3::timestamptz, $3::timestamptz
     from unnest($2::uuid[]) as n (contact_id) order by n.contact_id
   on conflict (campaign_id, contact_id) do nothing`,
);
const findCampaign = statement<[id: string], { id: string; channel_id: string; status: CampaignStatus }>(
  'campaigns.status_by_id',
  'select id, channel_id, status from visible_campaigns where id = $1 and tenant_id = $tenant',
);
const OPEN: readonly CampaignStatus[] = ['draft', 'scheduled', 'running', 'paused'];
const keepOpen = statement<[id: string, now: Date]>(
  'campaigns.keep_open',
  // A running campaign checks for recipients without a run; any other does so when it starts.
  `update visible_campaigns set updated_at = $2, due_at = case when status = 'running' then $2 else due_at end
    where id = $1 and tenant_id = $tenant and status in (${OPEN.map((status) => `'${status}'`).join(', ')})`,
);

/** The handle by which contacts are reached on a channel of the kind. */
const handleOf = (kind: ChannelKind): HandleType => reachedBy[kind][0] as HandleType;

/** Validates contacts without storing any of them. */
export async function validateRecipients(
  tx: TenantTx,
  contacts: readonly ContactItem[],
  kind: ChannelKind,
  issues: Issues,
): Promise<void> {
  const externalIds = contacts.flatMap((one) => (one.attributes ?? []).map(({ externalId }) => externalId));
  const attributes = await findAttributes(tx, { externalIds });
  await validateContacts(contacts, handleOf(kind), attributes, issues.at('contacts'));
}

/** Creates or updates the contacts and adds them as recipients. */
export async function storeRecipients(
  tx: TenantTx,
  campaignId: string,
  contacts: readonly ContactItem[],
  kind: ChannelKind,
): Promise<void> {
  if (contacts.length === 0) return;
  const contactIds = await upsertContacts(tx, contacts, { matchBy: handleOf(kind) });
  await tx.run(insertRecipients, [campaignId, contactIds, tx.now]);
}

/** Adds contacts that exist as recipients. */
export async function addContactIds(tx: TenantTx, campaignId: string, contactIds: string[]): Promise<void> {
  await tx.run(insertRecipients, [campaignId, contactIds, tx.now]);
}

const ended = (status: string): ApiError =>
  new ApiError('conflict', { detail: `the campaign is ${status} and takes no recipients` });

/**
 * Adds contacts to a campaign that has not ended. Existing recipients stay. The campaign's row is locked last, so that
 * several calls can add contacts at the same time.
 */
export async function addRecipients(
  tx: TenantTx,
  campaignId: string,
  contacts: readonly ContactItem[],
): Promise<CampaignWithCounts> {
  const campaign = isUuid(campaignId) ? await tx.find(findCampaign, [campaignId]) : undefined;
  if (!campaign) throw new ApiError('campaign_not_found');
  if (!OPEN.includes(campaign.status)) throw ended(campaign.status);
  const { kind } = await requireChannel(tx, campaign.channel_id);
  await storeRecipients(tx, campaign.id, contacts, kind);
  if ((await tx.run(keepOpen, [campaign.id, tx.now])) === 0) throw ended('over');
  return requireCampaign(tx, campaign.id);
}

export interface RecipientRow {
  contact_id: string;
  status: Recipient['status'];
  code: string | null;
  run_id: string | null;
  message_id: string | null;
  created_at: Date;
  updated_at: Date;
}

export const presentRecipient = (row: RecipientRow): Recipient => ({
  contactId: row.contact_id,
  status: row.status,
  skipReason: row.status === 'skipped' ? (row.code as Recipient['skipReason']) : null,
  code: row.code,
  runId: row.run_id,
  messageId: row.message_id,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const UPDATED_AT = 'greatest(r.updated_at, a.updated_at, m.updated_at)';

export const recipientFields: Searchable = {
  fields: {
    contactId: { type: 'uuid', sql: 'r.contact_id' },
    status: { type: 'enum', sql: RECIPIENT_STATUS, values: recipientStatuses },
    skipReason: {
      type: 'enum',
      sql: `case when ${RECIPIENT_STATUS} = 'skipped' then ${RECIPIENT_CODE} end`,
      values: skipReasons,
      nullable: true,
    },
    code: { type: 'string', sql: RECIPIENT_CODE, nullable: true },
    createdAt: { type: 'time', sql: 'r.created_at' },
    updatedAt: { type: 'time', sql: UPDATED_AT },
  },
  names: [],
  id: 'r.contact_id',
};
const COUNT_CAP = 10_000;
/** Each recipient is joined with its run and message. */
const WINDOW = 5_000;

/** The recipients of one campaign. */
export const recipientSource = (campaignId: string): SearchSource => ({
  select: `r.contact_id, ${RECIPIENT_STATUS} as status, ${RECIPIENT_CODE} as code, a.id as run_id, m.id as message_id,
    r.created_at, ${UPDATED_AT} as updated_at`,
  from: RECIPIENTS,
  tenantColumn: 'r.tenant_id',
  where: (bind) => `r.campaign_id = ${bind(campaignId)}`,
  countCap: COUNT_CAP,
  window: WINDOW,
});
