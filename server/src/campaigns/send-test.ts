import type { SaveDeps } from '../automations/automation.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { requireChannel } from '../channels/channel.ts';
import { requireChat } from '../chats/chat.ts';
import { requireContact } from '../contacts/contact.ts';
import type { TenantTx } from '../db/tenant.ts';
import { findOrCreateChat } from '../messages/outbound/address.ts';
import { findUser } from '../users/user.ts';
import { beginOccurrence, lockDue } from './begin-occurrence.ts';
import { type CampaignRow, requireCampaign } from './campaign.ts';
import { mergeChange } from './change-campaign.ts';
import { changeCampaignStatus, lockCampaign } from './change-status.ts';
import { createCampaign } from './create-campaign.ts';
import { addContactIds } from './recipients.ts';
import type { CampaignWithCounts, TestOfCampaign } from './schema.ts';
import { startRecipients } from './start-recipients.ts';

const MAX_NAME = 255;

/** The address of a user on a channel. Users have only an email address. */
async function addressOfUser(tx: TenantTx, userId: string, channelId: string): Promise<string> {
  const user = await findUser(tx, userId);
  if (!user) throw invalidParam('userId', 'custom', `There is no user ${userId}`);
  const { kind } = await requireChannel(tx, channelId);
  if (kind === 'email') return user.email;
  throw invalidParam(
    'userId',
    'custom',
    `Users have only an email address, which ${kind} channels cannot send to; give an address as \`to\``,
  );
}

/**
 * The contact that gets a test, and the chat over the address if one was given: the contact may have several. An unknown address
 * becomes a contact with a chat, as when a message is sent to it.
 */
async function findRecipient(
  tx: TenantTx,
  { channel_id: channelId, close_chats: isClosed }: CampaignRow,
  { userId, to, contactId }: TestOfCampaign,
): Promise<{ contactId: string; chatId: string | null }> {
  if ([userId, to, contactId].filter((one) => one !== undefined).length !== 1)
    throw invalidParam('to', 'custom', 'Exactly one of `userId`, `to` and `contactId` is required');
  if (contactId !== undefined) return { contactId: (await requireContact(tx, contactId)).id, chatId: null };
  const address = to ?? (await addressOfUser(tx, userId as string, channelId));
  const chatId = await findOrCreateChat(tx, channelId, address, { isClosed });
  return { contactId: (await requireChat(tx, chatId)).contactId, chatId };
}

/** Sends a campaign to one person, as a campaign of its own that is marked as a test. The campaign itself stays as it is. */
export async function sendTest(
  tx: TenantTx,
  campaignId: string,
  recipient: TestOfCampaign,
  deps: SaveDeps,
): Promise<CampaignWithCounts> {
  const row = isUuid(campaignId) ? await tx.find(lockCampaign, [campaignId]) : undefined;
  if (!row) throw new ApiError('campaign_not_found');
  const { contactId, chatId } = await findRecipient(tx, row, recipient);
  const {
    audience: _audience,
    segmentId: _segmentId,
    scheduledAt: _time,
    recurrenceRules: _rules,
    ...input
  } = mergeChange(row, {});
  const name = `Test: ${row.name}`.slice(0, MAX_NAME).toWellFormed();
  const test = await createCampaign(tx, { ...input, name }, { ...deps, isTest: true });
  await addContactIds(tx, test.id, [contactId]);
  await changeCampaignStatus(tx, test.id, { status: 'running' }, deps);
  // Not left to the worker: recipients have no chat, and only their runs do.
  const due = await tx.find(lockDue, [test.id, tx.now]);
  const begun = due && (await beginOccurrence(tx, due));
  if (begun) await startRecipients(tx, begun, chatId);
  return requireCampaign(tx, test.id);
}
