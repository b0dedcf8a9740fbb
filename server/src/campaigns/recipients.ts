import { findAttributes } from '../attributes/find-attributes.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { requireChannel } from '../channels/channel.ts';
import { reachedBy } from '../chats/start-chat.ts';
import type { ContactDeps } from '../contacts/contact-labels.ts';
import { upsertContacts } from '../contacts/import/upsert-contacts.ts';
import { validateContacts } from '../contacts/import/validate-contacts.ts';
import type { ContactItem } from '../contacts/schema.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { ChannelKind, HandleType } from '../providers/adapter.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/run-search.ts';
import { requireCampaign } from './campaign.ts';
import { RECIPIENT_CODE, RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';
import {
  type CampaignStatus,
  type CampaignWithCounts,
  type Recipient,
  recipientStatuses,
  skipReasons,
} from './schema.ts';

const insertRecipients = statement<[campaignId: string, tenantId: string, contactIds: string[], now: Date]>(
  'recipients.insert',
  // Always in the order of contacts, so that two who add the same people never wait for each other.
  `insert into recipients (campaign_id, contact_id, tenant_id, created_at, updated_at)
   select distinct $1::uuid, n.contact_id, $2::uuid, $4::timestamptz, $4::timestamptz
     from unnest($3::uuid[]) as n (contact_id) order by n.contact_id
   on conflict (campaign_id, contact_id) do nothing`,
);
const findCampaign = statement<
  [id: string, tenantId: string],
  { id: string; channel_id: string; status: CampaignStatus }
>('campaigns.status_by_id', 'select id, channel_id, status from campaigns where id = $1 and tenant_id = $2');
const OPEN: readonly CampaignStatus[] = ['draft', 'scheduled', 'running', 'paused'];
const keepOpen = statement<[id: string, tenantId: string, now: Date]>(
  'campaigns.keep_open',
  // One that is running looks again for whom it has not served; any other does so when it starts.
  `update campaigns set updated_at = $3, due_at = case when status = 'running' then $3 else due_at end
    where id = $1 and tenant_id = $2 and status in (${OPEN.map((status) => `'${status}'`).join(', ')})`,
);

/** What people are known by on a channel of the kind. */
const handleOf = (kind: ChannelKind): HandleType => reachedBy[kind][0] as HandleType;

/** What is wrong with people, without storing any of them. */
export async function validateRecipients(
  tx: Tx,
  tenantId: string,
  people: readonly ContactItem[],
  kind: ChannelKind,
): Promise<InvalidParams> {
  const externalIds = people.flatMap((one) => (one.attributes ?? []).map(({ externalId }) => externalId));
  const attributes = await findAttributes(tx, tenantId, { externalIds });
  try {
    validateContacts(people, handleOf(kind), attributes, 'contacts');
    return {};
  } catch (error) {
    if (error instanceof ApiError && error.invalidParams) return error.invalidParams;
    throw error;
  }
}

/** Merges people into the contacts and makes each of them a recipient, once. */
export async function storeRecipients(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  people: readonly ContactItem[],
  kind: ChannelKind,
  deps: ContactDeps,
): Promise<void> {
  if (people.length === 0) return;
  const contactIds = await upsertContacts(tx, tenantId, people, { matchBy: handleOf(kind) }, deps);
  await tx.run(insertRecipients, [campaignId, tenantId, contactIds, deps.clock.now(tenantId)]);
}

const over = (status: string): ApiError =>
  new ApiError('conflict', { detail: `the campaign is ${status} and takes no recipients` });

/**
 * Adds people to a campaign that is not over. Who is a recipient already stays one. The campaign's row is locked last and
 * shortly, so that several calls can bring their people at once.
 */
export async function addRecipients(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  people: readonly ContactItem[],
  deps: ContactDeps,
): Promise<CampaignWithCounts> {
  const campaign = isUuid(campaignId) ? await tx.find(findCampaign, [campaignId, tenantId]) : undefined;
  if (!campaign) throw new ApiError('campaign_not_found');
  if (!OPEN.includes(campaign.status)) throw over(campaign.status);
  const { kind } = await requireChannel(tx, tenantId, campaign.channel_id);
  await storeRecipients(tx, tenantId, campaign.id, people, kind, deps);
  if ((await tx.run(keepOpen, [campaign.id, tenantId, deps.clock.now(tenantId)])) === 0) throw over('over');
  return requireCampaign(tx, tenantId, campaign.id);
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

const CHANGED = 'greatest(r.updated_at, a.updated_at, m.updated_at)';

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
    updatedAt: { type: 'time', sql: CHANGED },
  },
  names: [],
  id: 'r.contact_id',
};
const COUNT_CAP = 10_000;
/** Each is looked up with its run and message. */
const WINDOW = 5_000;

/** The recipients of one campaign. */
export const recipientSource = (campaignId: string): SearchSource => ({
  select: `r.contact_id, ${RECIPIENT_STATUS} as status, ${RECIPIENT_CODE} as code, a.id as run_id, m.id as message_id,
    r.created_at, ${CHANGED} as updated_at`,
  from: RECIPIENTS,
  tenantColumn: 'r.tenant_id',
  where: (bind) => `r.campaign_id = ${bind(campaignId)}`,
  countCap: COUNT_CAP,
  window: WINDOW,
});
