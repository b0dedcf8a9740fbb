import { attributesOf as attributesOfTenant } from '../../attributes/find-attributes.ts';
import { findChats } from '../../chats/chat.ts';
import type { Purpose } from '../../contacts/consent/schema.ts';
import { unsubscribeUrl } from '../../contacts/consent/unsubscribe-link.ts';
import { findContacts } from '../../contacts/contact.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { holdTenantHours } from '../../hours/tenant-hours.ts';
import { findMessages } from '../../messages/message.ts';
import { takeReply } from '../../messages/take-reply.ts';
import { storedTurns, type Turns } from '../../users/turns.ts';
import { attributesOf } from './context.ts';
import type { ActiveRun } from './effects.ts';
import type { Program } from './program.ts';
import { cancelRunsOfChats } from './run.ts';
import type { SendDeps } from './send.ts';
import type { RunState } from './state.ts';

/** A run as far as it says where it is. */
export interface StoredPlace {
  id: string;
  step: string | null;
  state: Partial<RunState>;
}

interface LockedRun extends StoredPlace {
  version_id: string;
  contact_id: string;
  chat_id: string | null;
  campaign_id: string | null;
  channel_id: string | null;
  campaign_name: string | null;
  campaign_purpose: Purpose | null;
  closes_chats: boolean | null;
  is_test: boolean | null;
  automation_id: string;
  automation_name: string;
  status: string;
  revision: number;
}

export const lockRuns = statement<[ids: string[], now: Date], LockedRun>(
  'automation_runs.lock',
  // Contacts, chats and runs are locked in the order that holds everywhere, before any step changes one of them. The
  // lock of the chat also decides whether a run that begins to wait for a reply sees a message that arrives now. A run
  // that was cancelled or advanced meanwhile is no longer due; one that somebody is changing is found by the next scan, and so
  // is one whose contact or chat was merged into another meanwhile: that one is not locked.
  `with due as materialized (
     select r.contact_id, r.chat_id from automation_runs r
      where r.id = any ($1::uuid[]) and r.tenant_id = $tenant and r.due_at <= $2),
   locked_contacts as materialized (
     select c.id from (select distinct contact_id from due) d
       join contacts c on c.id = d.contact_id and (c.tenant_id = $tenant) is true
      order by c.id for no key update of c),
   locked_chats as materialized (
     select k.id from (select distinct chat_id from due) d
       join chats k on k.id = d.chat_id and (k.tenant_id = $tenant) is true
      where (select count(*) from locked_contacts) >= 0
      order by k.id for no key update of k)
   select r.id, r.version_id, r.contact_id, r.chat_id, r.campaign_id, r.status, r.step, r.state, r.revision,
          campaign.channel_id, campaign.name as campaign_name,
          campaign.purpose as campaign_purpose, campaign.close_chats as closes_chats, campaign.is_test, r.automation_id, automation.name as automation_name
     from visible_automation_runs r
     join automations automation on automation.id = r.automation_id and (automation.tenant_id = r.tenant_id) is true
     left join campaigns campaign on campaign.id = r.campaign_id and (campaign.tenant_id = r.tenant_id) is true
    where r.id = any ($1::uuid[]) and r.tenant_id = $tenant and r.due_at <= $2
      and not r.is_calling and r.status in ('scheduled', 'running', 'waiting') and (select count(*) from locked_chats) >= 0
      and r.contact_id = any (array(select id from locked_contacts))
      and (r.chat_id is null or r.chat_id = any (array(select id from locked_chats)))
    order by r.id for no key update of r skip locked`,
);

const byId = <T extends { id: string }>(all: T[]): Map<string, T> => new Map(all.map((one) => [one.id, one]));

export interface LoadDeps extends Pick<SendDeps, 'keys' | 'baseUrl'> {
  /** For samples of what would be sent. */
  ignoresQuietHours?: boolean;
  /** For simulations. */
  turns?: Turns;
}

/** A run with what its texts and conditions can use. */
export interface LoadedRun {
  run: LockedRun;
  program: Program;
  activeRun: ActiveRun;
}

/** Loads everything that the texts and conditions of the runs can use. */
export async function loadRuns(
  tx: TenantTx,
  runs: LockedRun[],
  programs: ReadonlyMap<string, Program>,
  { keys, baseUrl, ignoresQuietHours = false, turns = storedTurns }: LoadDeps,
): Promise<LoadedRun[]> {
  const ids = (of: (run: LockedRun) => string | null | undefined): string[] => [
    ...new Set(runs.flatMap((run) => of(run) ?? [])),
  ];
  const contactIds = ids((run) => run.contact_id);
  const chatIds = ids((run) => run.chat_id);
  const messageIds = ids((run) => run.state.messageId);
  const chats = byId(await findChats(tx, chatIds));
  // Those of chats were read with them.
  const contacts = byId([...chats.values()].map(({ contact }) => contact));
  const others = contactIds.filter((id) => !contacts.has(id));
  for (const contact of await findContacts(tx, others)) contacts.set(contact.id, contact);
  const messages = byId(await findMessages(tx, messageIds));
  const externalIds = (await attributesOfTenant(tx)).map((attribute) => attribute.external_id);
  // The chat of a run is hidden while its channel is being deleted, and the run ends with it.
  const hidden = chatIds.filter((id) => !chats.has(id));
  if (hidden.length > 0) await cancelRunsOfChats(tx, hidden);
  const purposeOf = (run: LockedRun): Purpose | undefined =>
    run.campaign_purpose ?? programs.get(run.version_id)?.purpose;
  const needHours =
    [...programs.values()].some(({ usesHours }) => usesHours) ||
    (!ignoresQuietHours && runs.some((run) => purposeOf(run) === 'marketing'));
  const hours = needHours ? await holdTenantHours(tx) : undefined;
  return runs.flatMap((run) => {
    if (run.chat_id !== null && !chats.has(run.chat_id)) return [];
    const contact = contacts.get(run.contact_id);
    const program = programs.get(run.version_id);
    // The contact is being erased, and the run is deleted with it.
    if (!contact || !program) return [];
    const activeRun: ActiveRun = {
      runId: run.id,
      contactId: contact.id,
      campaignId: run.campaign_id,
      author:
        run.campaign_id === null
          ? { type: 'automation', id: run.automation_id, name: run.automation_name }
          : { type: 'campaign', id: run.campaign_id, name: run.campaign_name },
      purpose: run.campaign_purpose ?? program.purpose,
      closesChats: run.closes_chats === true,
      chainDepth: run.state.chainDepth ?? 0,
      channelId: run.channel_id ?? program.channelId,
      externalIds,
      hours,
      // A campaign is tried out when its author wants to see it.
      respectsQuietHours: purposeOf(run) === 'marketing' && !run.is_test && !ignoresQuietHours,
      usesChat: program.usesChat,
      turns,
      findReply: takeReply,
      context: {
        contact,
        attributes: attributesOf(contact, externalIds),
        chat: chats.get(run.chat_id ?? '') ?? null,
        message: messages.get(run.state.messageId ?? '') ?? null,
        // Only if a text uses it: encrypting it takes longer than a simple text.
        unsubscribeUrl: program.usesUnsubscribeUrl
          ? unsubscribeUrl(keys, baseUrl(), { tenantId: tx.tenantId, contactId: contact.id, messageId: null })
          : '',
      },
    };
    return [{ run, program, activeRun }];
  });
}
