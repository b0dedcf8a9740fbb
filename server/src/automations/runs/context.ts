import type { Chat } from '../../chats/schema.ts';
import { valueToCompare } from '../../contacts/attributes/values.ts';
import type { Contact } from '../../contacts/schema.ts';
import type { Message } from '../../messages/schema.ts';
import type { Scalar } from '../schema.ts';

/** The saved answer of an `http_request` step. */
export interface Saved {
  status: number;
  body: unknown;
}

/** The current data that the texts and conditions of a run can use. */
export interface RunContext {
  contact: Contact;
  /** The values of all attributes of the tenant by externalId; null if the contact has no value. */
  attributes: Readonly<Record<string, unknown>>;
  chat: Chat | null;
  /** The inbound message that started the run, later the last reply. */
  message: Message | null;
  /** Where the contact unsubscribes from mails. */
  unsubscribeUrl: string;
}

const NO_MESSAGE: Record<keyof Message, null> = {
  id: null,
  chatId: null,
  channelId: null,
  contactId: null,
  contact: null,
  handle: null,
  vendorId: null,
  sender: null,
  author: null,
  type: null,
  text: null,
  media: null,
  content: null,
  status: null,
  error: null,
  replyToMessageId: null,
  timestamp: null,
  createdAt: null,
  updatedAt: null,
} as Record<keyof Message, null>;

const NO_CHAT = {
  id: null,
  createdAt: null,
  updatedAt: null,
  status: null,
  isUnread: null,
  unreadCount: null,
  openUntil: null,
  channelId: null,
  assignedUserId: null,
  assignedTeamId: null,
  isSensitive: null,
  isAutomationPaused: null,
  waitingSince: null,
  firstRespondedAt: null,
  closedAt: null,
};

/**
 * The context after an effect, as if it were read again: a chat shows its contact, and a contact its chats, so that both are as the
 * later one of them has it.
 */
export function mergeContext(before: RunContext, changed: Partial<RunContext> = {}): RunContext {
  const after = { ...before, ...changed };
  const { contact, chat } = after;
  if (chat?.contactId !== contact.id) return after;
  if (changed.chat) return { ...after, contact: chat.contact };
  const handle = contact.handles.find(({ id }) => id === chat.handleId) ?? chat.handle;
  return changed.contact ? { ...after, chat: { ...chat, contact, handle } } : after;
}

/** The contact's attributes by externalId; null for those without a value. */
export function attributesOf(
  contact: Contact,
  externalIds: readonly string[],
): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>(externalIds.map((externalId) => [externalId, null]));
  for (const { externalId, type, value } of contact.attributes)
    values.set(externalId, valueToCompare(type as never, value));
  return Object.fromEntries(values);
}

/** The scope of texts and conditions. Known names without a value are null, so that only unknown names are errors. */
export function scopeOf(
  context: RunContext,
  variables: Readonly<Record<string, Scalar>>,
  declared: readonly string[],
  saved: Readonly<Record<string, Saved>>,
  savedAs: readonly string[],
): Record<string, unknown> {
  const { contact, attributes, chat, message, unsubscribeUrl } = context;
  const fill = (names: readonly string[], value: unknown) =>
    Object.fromEntries(names.map((name) => [name, value]));
  return {
    contact: { ...contact, labelIds: contact.labels.map((label) => label.id) },
    attributes,
    unsubscribeUrl,
    chat: chat ?? NO_CHAT,
    message: message ?? NO_MESSAGE,
    variables: { ...fill(declared, null), ...variables },
    steps: { ...fill(savedAs, { status: null, body: null }), ...saved },
  };
}

/** The value of a path such as `contact.metadata.plan`, or undefined if it does not exist. */
export function lookUp(scope: Readonly<Record<string, unknown>>, field: string): unknown {
  // An attribute's externalId may have dots of its own.
  if (field.startsWith('attributes.'))
    return (scope.attributes as Record<string, unknown>)[field.slice('attributes.'.length)];
  let value: unknown = scope;
  for (const name of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
