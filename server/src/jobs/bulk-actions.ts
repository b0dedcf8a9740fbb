import { changeRuns } from '../automations/runs/run.ts';
import { ApiError } from '../base/errors.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { assignChats, validateAssignees } from '../chats/assign-chat.ts';
import { setChatsRead } from '../chats/mark-read.ts';
import { setChatStatuses, validateSnooze } from '../chats/set-status.ts';
import { setContactAttributes } from '../contacts/attributes/set-attributes.ts';
import { addLabelsToContacts, removeLabelsFromContacts } from '../contacts/contact-labels.ts';
import { eraseContact } from '../contacts/erase-contact.ts';
import { validateAttributes, validateLabels } from '../contacts/validate-contact.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Scope } from '../http/permissions.ts';
import type { Author } from '../users/author.ts';
import type { ChatAction, ContactAction, JobAction, RunAction } from './actions.ts';
import type { BulkKind } from './schema.ts';

/** A batch locks its rows until it is committed. */
const MAX_BATCH = 200;

/** Erasing a contact locks the tenant's events, so that two of them in one transaction could wait for each other. */
export const maxBatchOf = (type: JobAction['type']): number => (type === 'delete' ? 1 : MAX_BATCH);

/** The scope that an action needs besides that of its operation. */
export function scopeOf(kind: BulkKind, { type }: JobAction): Scope {
  if (kind === 'change_runs') return 'automations:write';
  if (type === 'delete') return 'contacts:delete';
  return kind === 'change_contacts' || type === 'add_label' || type === 'remove_label'
    ? 'contacts:write'
    : 'chats:write';
}

const NOUNS: Record<BulkKind, string> = {
  change_chats: 'chat',
  change_contacts: 'contact',
  change_runs: 'run',
};
export const notFound = (kind: BulkKind, id: string): string => `There is no ${NOUNS[kind]} ${id}`;

/** Adds an issue for each value that is wrong, or that names what does not exist. */
export async function validateAction(tx: TenantTx, action: JobAction, issues: Issues): Promise<void> {
  if (action.type === 'assign') await validateAssignees(tx, action, issues);
  if (action.type === 'status') validateStatus(tx, action, issues);
  if ('labelId' in action && action.labelId) await validateLabelId(tx, action.labelId, issues);
  if ('attributes' in action && action.attributes) await validateAttributes(tx, action.attributes, issues);
}

function validateStatus(tx: TenantTx, action: ChatAction, issues: Issues): void {
  try {
    validateSnooze(action, tx.now);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.invalidParams) throw error;
    for (const [path, { key, message }] of Object.entries(error.invalidParams))
      issues.add(path, key, message);
  }
}

async function validateLabelId(tx: TenantTx, id: string, issues: Issues): Promise<void> {
  const known = await validateLabels(tx, [{ id }], collectIssues());
  if (known.length === 0) issues.add('labelId', 'custom', `There is no label ${id}`);
}

const contactsOfChats = statement<[chatIds: string[]], { id: string; contact_id: string }>(
  'jobs.contacts_of_chats',
  'select id, contact_id from visible_chats where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** Labels belong to contacts: those of several chats of one contact are changed once. */
async function labelContactsOf(
  tx: TenantTx,
  chatIds: string[],
  label: (contactIds: string[]) => Promise<{ found: string[] }>,
): Promise<string[]> {
  const chats = await tx.all(contactsOfChats, [chatIds]);
  const { found } = await label([...new Set(chats.map(({ contact_id }) => contact_id))]);
  return chats.filter(({ contact_id }) => found.includes(contact_id)).map(({ id }) => id);
}

async function changeChats(
  tx: TenantTx,
  action: ChatAction,
  author: Author,
  ids: string[],
): Promise<string[]> {
  switch (action.type) {
    case 'assign':
      return assignChats(tx, ids, action, 'person');
    case 'status':
      return setChatStatuses(tx, ids, action);
    case 'read':
    case 'unread':
      return setChatsRead(tx, ids, action.type === 'unread', author.type === 'user' ? 'person' : 'api');
    case 'add_label':
    case 'remove_label':
      return labelContactsOf(tx, ids, (contactIds) => changeLabel(tx, action, contactIds));
  }
}

async function changeContacts(tx: TenantTx, action: ContactAction, ids: string[]): Promise<string[]> {
  switch (action.type) {
    case 'add_label':
    case 'remove_label':
      return (await changeLabel(tx, action, ids)).found;
    case 'set_attributes':
      return setContactAttributes(tx, ids, action.attributes ?? []);
    case 'delete': {
      const found: string[] = [];
      for (const id of ids) if (await eraseContact(tx, id)) found.push(id);
      return found;
    }
  }
}

/** Automations on the label start only if the action says so: thousands of people would get a message at once. */
function changeLabel(
  tx: TenantTx,
  { type, labelId, triggerAutomations = false }: ChatAction | ContactAction,
  contactIds: string[],
): Promise<{ found: string[] }> {
  const id = labelId as string;
  return type === 'add_label'
    ? addLabelsToContacts(tx, contactIds, [{ id }], { triggerAutomations })
    : removeLabelsFromContacts(tx, contactIds, [id]);
}

/** What an action did. */
interface ActionResult {
  /** The ids of those to which it was done. */
  foundIds: string[];
  /** Why it was not done to some that exist, by their ids. */
  refused?: ReadonlyMap<string, string>;
  /** Why the action is not possible any more. */
  error?: string;
}

/** Does an action to chats, contacts or runs, with the same events as the operation for one of them. */
export async function doAction(
  tx: TenantTx,
  kind: BulkKind,
  action: JobAction,
  author: Author,
  ids: string[],
): Promise<ActionResult> {
  const issues = collectIssues();
  await validateAction(tx, action, issues);
  const [issue] = Object.entries(issues.params);
  if (issue) return { foundIds: [], error: `${issue[0]}: ${issue[1].message}` };
  switch (kind) {
    case 'change_chats':
      return { foundIds: await changeChats(tx, action as ChatAction, author, ids) };
    case 'change_contacts':
      return { foundIds: await changeContacts(tx, action as ContactAction, ids) };
    case 'change_runs':
      return changeRuns(tx, action.type as RunAction, ids);
  }
}
