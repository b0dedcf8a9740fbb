import { findAutomation, type SaveDeps } from '../automations/automation.ts';
import { requireVisible } from '../automations/require-visible.ts';
import { type AdvanceDeps, createPrograms, runStepsIn } from '../automations/runs/advance.ts';
import { startMany } from '../automations/runs/start-many.ts';
import type { Automation } from '../automations/schema.ts';
import { requireChannel } from '../channels/channel.ts';
import { findContacts } from '../contacts/contact.ts';
import { findAudience } from '../contacts/count-contacts.ts';
import { simulate } from '../db/simulate.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import { readTenantHours } from '../hours/tenant-hours.ts';
import { type Principal, readerOf } from '../http/permissions.ts';
import { findMessages } from '../messages/message.ts';
import { hasReplyWindow } from '../providers/capabilities.ts';
import type { TaskPool } from '../sandboxed/task-pool.ts';
import { simulateTurns } from '../users/turns.ts';
import type { CampaignRow } from './campaign.ts';
import { createCampaign } from './create-campaign.ts';
import { examineRecipients } from './examine-recipients.ts';
import type { CampaignPreview, CampaignToPreview } from './preview-schema.ts';
import { readVariables } from './variables.ts';

const MAX_EXAMINED = 5_000;
const SAMPLES = 5;
/** Of a sample. A loop without a wait sent 1000 of them, as many as a run may have steps; two samples took twelve seconds. */
const MAX_MESSAGES = 20;
/** Of vendors that name no limit. A process sends about so many. */
const USUAL_RATE = 100;

type Sample = CampaignPreview['samples'][number];

const givenRecipients = statement<[campaignId: string], { contact_id: string }>(
  'recipients.given',
  'select contact_id from visible_recipients where campaign_id = $1 and tenant_id = $tenant order by contact_id',
);
const resultsOfRuns = statement<
  [runIds: string[]],
  { contact_id: string; status: string; error: Sample['error']; message_ids: string[] }
>(
  'campaigns.preview_runs',
  `select r.contact_id, r.status, r.error,
          array(select m.id from visible_messages m where m.run_id = r.id order by m.run_step) as message_ids
     from visible_automation_runs r
    where r.id = any ($1::uuid[]) and r.tenant_id = $tenant`,
);

export interface PreviewDeps extends Omit<AdvanceDeps, 'programs'> {
  tasks: TaskPool;
}

/** Whether the first message is not a template, which alone may be sent at any time. */
function startsWithText({ activeVersion }: Automation): boolean {
  const first = activeVersion?.steps.find(({ type }) => type === 'send_message' || type === 'send_template');
  return first?.type === 'send_message';
}

const NOT_SENT: Record<string, { code: string; message: string }> = {
  waiting: { code: 'waits', message: 'The automation waits before it sends' },
  running: { code: 'calls', message: 'The automation calls another server before it sends' },
  completed: { code: 'nothing_sent', message: 'The automation sends nothing' },
};

/** Counts the messages of each run, and returns whether it has no more than `max`. */
function createMessageCounter(max: number): (runId: string) => boolean {
  const counts = new Map<string, number>();
  return (runId) => {
    const count = (counts.get(runId) ?? 0) + 1;
    counts.set(runId, count);
    return count <= max;
  };
}

/** Starts the runs of some recipients, as the campaign does, and shows what they send at once. */
async function sendSamples(
  tx: TenantTx,
  campaign: CampaignRow,
  automation: Automation,
  contactIds: string[],
  deps: PreviewDeps,
): Promise<Sample[]> {
  const version = automation.activeVersion;
  if (!version || contactIds.length === 0) return [];
  const runs = await startMany(
    tx,
    {
      automationId: automation.id,
      versionId: version.id,
      campaignId: campaign.id,
      occurrenceAt: tx.now,
      variables: readVariables(version.variables, campaign.variables ?? []),
      templateId: campaign.message_template_id,
      templateHeader: campaign.template_header,
      error: null,
    },
    contactIds,
  );
  const runIds = runs.map(({ id }) => id);
  await runStepsIn(tx, runIds, {
    ...deps,
    programs: createPrograms(),
    countMessage: createMessageCounter(MAX_MESSAGES),
  });
  const results = await tx.all(resultsOfRuns, [runIds]);
  const messages = await findMessages(
    tx,
    results.flatMap(({ message_ids }) => message_ids),
  );
  const messageById = new Map(messages.map((message) => [message.id, message]));
  const contacts = new Map((await findContacts(tx, contactIds)).map((contact) => [contact.id, contact]));
  return contactIds.flatMap((contactId): Sample[] => {
    const result = results.find(({ contact_id }) => contact_id === contactId);
    const contact = contacts.get(contactId);
    if (!result || !contact) return [];
    const sent = result.message_ids.flatMap((id) => messageById.get(id) ?? []);
    const error = sent.length > 0 ? null : (result.error ?? NOT_SENT[result.status] ?? null);
    return [{ contactId, displayName: contact.displayName, messages: sent, error }];
  });
}

/** How many recipients are in their quiet hours when the campaign starts, and when they are sent to. */
async function findWaiting(
  tx: TenantTx,
  { channel_id, scheduled_at }: CampaignRow,
  timezones: ReadonlyMap<string | null, number>,
): Promise<CampaignPreview['quietHours']> {
  const hours = await readTenantHours(tx);
  const waiting = [...timezones].flatMap(([timezone, recipients]) => {
    const until = hours.quietUntil(channel_id, timezone, scheduled_at ?? tx.now);
    return until ? [{ recipients, untilMs: until.getTime() }] : [];
  });
  if (waiting.length === 0) return null;
  const ends = waiting.map(({ untilMs }) => untilMs);
  return {
    recipients: waiting.reduce((sum, { recipients }) => sum + recipients, 0),
    from: new Date(Math.min(...ends)).toISOString(),
    until: new Date(Math.max(...ends)).toISOString(),
  };
}

/**
 * What a campaign would do if it started now. It is created, and started for five recipients, by the code that does so, in a
 * transaction that is undone.
 */
export async function previewCampaign(
  db: TenantDatabase,
  input: CampaignToPreview,
  deps: PreviewDeps,
  principal: Principal,
): Promise<CampaignPreview> {
  const save = { canRead: readerOf(principal), policy: deps.policy };
  const simulated = await simulate(db, (tx) => createPreviewed(tx, { ...input, contacts: [] }, save));
  const audience =
    simulated.audience === null
      ? { total: 0, totalIsCapped: false, ids: [] }
      : await findAudience(db, simulated.audience, MAX_EXAMINED);
  const preview = await simulate(db, async (tx): Promise<CampaignPreview> => {
    const { campaign, automation, givenIds } = await createPreviewed(tx, input, save);
    if (automation.activeVersion) await requireVisible(tx, principal, automation.activeVersion);
    const channel = await requireChannel(tx, campaign.channel_id);
    const all = new Set([...givenIds, ...audience.ids]);
    const examined = [...all].slice(0, MAX_EXAMINED);
    const { sendable, timezones, skipped } = await examineRecipients(tx, examined, {
      channelId: channel.id,
      kind: channel.kind,
      purpose: campaign.purpose,
      needsWindow: startsWithText(automation) && hasReplyWindow(channel.kind),
    });
    const isComplete = audience.ids.length === audience.total;
    const matched = isComplete ? all.size : givenIds.length + audience.total;
    const chosen = (sendable.length > 0 ? sendable : examined).slice(0, SAMPLES);
    const samples = await sendSamples(tx, campaign, automation, chosen, {
      ...deps,
      ignoresQuietHours: true,
      turns: simulateTurns(),
    });
    const quietHours = campaign.purpose === 'marketing' ? await findWaiting(tx, campaign, timezones) : null;
    const expected = examined.length === 0 ? 0 : (matched * sendable.length) / examined.length;
    const perSecond = deps.adapters.get(channel.provider)?.perSecond ?? USUAL_RATE;
    return {
      matched,
      matchedIsCapped: audience.totalIsCapped,
      examined: examined.length,
      sendable: sendable.length,
      skipped: Object.fromEntries(skipped),
      samples,
      quietHours,
      estimatedMinutes: Math.ceil(expected / perSecond / 60),
    };
  });
  return save.canRead('contacts:read')
    ? preview
    : { ...preview, samples: await withoutKnown(db, preview.samples) };
}

/** Samples show names, and what texts say about contacts. Of those who are created by the request alone, the caller knows that. */
async function withoutKnown(db: TenantDatabase, samples: Sample[]): Promise<Sample[]> {
  const contacts = await findContacts(
    db.byKey,
    samples.map(({ contactId }) => contactId),
  );
  const known = new Set(contacts.map(({ id }) => id));
  return samples.filter(({ contactId }) => !known.has(contactId));
}

async function createPreviewed(
  tx: TenantTx,
  { name = 'Preview', ...input }: CampaignToPreview,
  { canRead, policy }: SaveDeps,
) {
  const campaign = await createCampaign(tx, { ...input, name }, { canRead, policy, isComplete: true });
  const automation = (await findAutomation(tx, campaign.automation_id as string)) as Automation;
  const given = await tx.all(givenRecipients, [campaign.id]);
  return {
    campaign,
    automation,
    givenIds: given.map(({ contact_id }) => contact_id),
    audience: campaign.audience,
  };
}
