import type { SaveDeps } from '../automations/automation.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { requireContact } from '../contacts/contact.ts';
import type { TenantTx } from '../db/tenant.ts';
import { mergeChange } from './change-campaign.ts';
import { changeCampaignStatus, lockCampaign } from './change-status.ts';
import { createCampaign } from './create-campaign.ts';
import { addContactIds } from './recipients.ts';
import type { CampaignWithCounts } from './schema.ts';

const MAX_NAME = 255;

/** Sends a campaign to one contact, as a campaign of its own that is marked as a test. The campaign itself stays as it is. */
export async function sendTest(
  tx: TenantTx,
  campaignId: string,
  contactId: string,
  deps: SaveDeps,
): Promise<CampaignWithCounts> {
  const row = isUuid(campaignId) ? await tx.find(lockCampaign, [campaignId]) : undefined;
  if (!row) throw new ApiError('campaign_not_found');
  const contact = await requireContact(tx, contactId);
  const {
    audience: _audience,
    segmentId: _segmentId,
    recurrenceRules: _rules,
    ...input
  } = mergeChange(row, {});
  const name = `Test: ${row.name}`.slice(0, MAX_NAME).toWellFormed();
  const test = await createCampaign(tx, { ...input, name }, { ...deps, isTest: true });
  await addContactIds(tx, test.id, [contact.id]);
  return changeCampaignStatus(tx, test.id, { status: 'running' }, deps);
}
