import { isUuid } from '../../base/ids.ts';
import type { InboundEvent, InboundStatus } from '../inbound-event.ts';
import type { Handle } from '../kinds.ts';
import { describeError } from '../meta/classify-error.ts';
import { parseEach } from '../meta/parse-each.ts';
import { entriesOf, idOf, type Part, partOf, partsOf, requireId, textOf, timeOf } from '../meta/payload.ts';
import type { ProviderRequest } from '../provider-request.ts';
import type { VendorError } from '../vendor-failure.ts';
import type { TemplateStatus } from '../vendor-template.ts';
import { accountOf, categoryOf, parseHealth, parseTemplateChange } from './account.ts';
import { findContact, idHandle, numberHandle, parseContact } from './contact.ts';
import { parseHistory, parseState } from './history.ts';
import { contentOf, type MessageContent } from './message-content.ts';
import { reasonOf, templateStatusOf } from './template-status.ts';

/** Meta's ids of a channel: the phone number, and the account that it and its templates belong to. */
export interface WhatsAppIds {
  phoneNumberId: string;
  businessAccountId: string;
}

/** A channel as its parser sees it. */
export interface WhatsAppChannel extends WhatsAppIds {
  address: string;
  importHistory: boolean;
}

/** Not a message: a customer opened the chat for the first time. */
const CHAT_OPENED = 'request_welcome';

/** Messages of groups belong to no chat with a single contact. */
const isOfGroup = ({ group_id, recipient_type }: Part): boolean =>
  group_id !== undefined || recipient_type === 'group';

function parseMutation(message: Part): InboundEvent[] {
  const isEdit = message.type === 'edit';
  const { original_message_id, message: edited } = partOf(message[isEdit ? 'edit' : 'revoke']);
  const changed = {
    kind: 'mutation' as const,
    vendorId: requireId(original_message_id, 'a change of a message'),
    occurredAt: timeOf(message.timestamp),
  };
  if (!isEdit) return [{ ...changed, change: 'delete' }];
  return [{ ...changed, change: 'edit', text: contentOf(partOf(edited)).text }];
}

type HandleChange = [from: Handle | undefined, to: Handle | undefined];

const identitiesOf = (changes: HandleChange[], vendorId: string, occurredAt: Date): InboundEvent[] =>
  changes
    .flatMap(([from, to]) => (from && to && from.value !== to.value ? [{ from, to }] : []))
    .map(({ from, to }, index) => ({
      kind: 'identity',
      vendorId: index === 0 ? vendorId : `${vendorId}#${index}`,
      occurredAt,
      from,
      to,
    }));

/**
 * A new number has a new id: both are reported, as two changes. The id comes first: an id was never somebody else's, so it
 * shows that a contact with the new number is the same person.
 */
function parseIdentity(message: Part): InboundEvent[] {
  const { type, wa_id, user_id, previous_user_id } = partOf(message.system);
  if (type !== 'user_changed_number' && type !== 'user_changed_user_id') return [];
  return identitiesOf(
    [
      [idHandle(previous_user_id ?? message.from_user_id), idHandle(user_id)],
      [numberHandle(message.from), numberHandle(wa_id)],
    ],
    requireId(message.id, 'a message'),
    timeOf(message.timestamp),
  );
}

/** The same, as Meta reported it before it had a system message for it. */
function parseUserIdUpdate({ user_id, timestamp }: Part): InboundEvent[] {
  const { previous, current } = partOf(user_id);
  const to = idHandle(current);
  return identitiesOf([[idHandle(previous), to]], `user_id_update ${to?.value}`, timeOf(timestamp));
}

function parseMessage(kind: 'message' | 'echo', message: Part, contacts: unknown): InboundEvent[] {
  const { type } = message;
  if (isOfGroup(message) || type === CHAT_OPENED) return [];
  if (type === 'edit' || type === 'revoke') return parseMutation(message);
  if (type === 'system') return parseIdentity(message);
  const contact =
    kind === 'echo'
      ? parseContact(message.to, message.to_user_id, contacts)
      : parseContact(message.from, message.from_user_id, contacts);
  return [
    {
      kind,
      vendorId: requireId(message.id, 'a message'),
      occurredAt: timeOf(message.timestamp),
      contact,
      ...withUsername(contentOf(message), findContact(contact, contacts)),
    },
  ];
}

/** The name that a customer has chosen instead of showing the number. */
function withUsername(content: MessageContent, { profile }: Part): MessageContent {
  const username = textOf(partOf(profile).username);
  return username === null ? content : { ...content, content: { ...content.content, username } };
}

const statuses: Record<string, InboundStatus['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // Of a voice message.
  played: 'read',
  failed: 'failed',
};

const errorIn = (errors: unknown): VendorError => {
  const [error = {}] = partsOf(errors);
  return { code: idOf(error.code) || 'failed', message: describeError(error) };
};

const pricingIn = ({ billable, pricing_model, category, type }: Part): Record<string, unknown> => ({
  isBillable: typeof billable === 'boolean' ? billable : null,
  model: textOf(pricing_model),
  category: textOf(category),
  type: textOf(type),
});

function parseStatus(given: Part): InboundEvent[] {
  const status = Object.hasOwn(statuses, String(given.status)) ? statuses[String(given.status)] : undefined;
  if (status === undefined || isOfGroup(given)) return [];
  // Our own message id, unless another program sends over the same number with data of its own.
  const callbackData = idOf(given.biz_opaque_callback_data);
  return [
    {
      kind: 'status',
      vendorId: requireId(given.id, 'a status'),
      occurredAt: timeOf(given.timestamp),
      status,
      ...(isUuid(callbackData) ? { messageId: callbackData.toLowerCase() } : {}),
      ...(status === 'failed' ? { error: errorIn(given.errors) } : {}),
      ...(given.pricing === undefined ? {} : { pricing: pricingIn(partOf(given.pricing)) }),
    },
  ];
}

function parseTemplateStatus(value: Part, time: unknown): InboundEvent[] {
  const status: TemplateStatus | undefined = templateStatusOf(value.event);
  if (status === undefined) return [];
  return [
    {
      kind: 'template_status',
      vendorId: requireId(value.message_template_id, 'a template'),
      occurredAt: timeOf(time),
      name: textOf(value.message_template_name) ?? '',
      language: textOf(value.message_template_language) ?? '',
      status,
      reason: reasonOf(value),
      category: categoryOf(value.message_template_category),
    },
  ];
}

/** A customer opted out of marketing at WhatsApp, or in again. */
function parsePreference(given: Part): InboundEvent[] {
  const handles = [numberHandle(given.wa_id), idHandle(given.user_id)].filter(
    (handle) => handle !== undefined,
  );
  const subscription = given.value === 'stop' ? 'stop' : given.value === 'resume' ? 'start' : undefined;
  if (handles.length === 0 || !subscription || given.category !== 'marketing_messages') return [];
  const proof = { detail: textOf(given.detail) };
  return [
    { kind: 'consent', occurredAt: timeOf(given.timestamp), handles, subscription, source: 'vendor', proof },
  ];
}

const isForNumber = (value: Part, { phoneNumberId }: WhatsAppIds): boolean =>
  idOf(partOf(value.metadata).phone_number_id) === phoneNumberId;

/** What is about the whole account: its templates, and whether it may send. */
function parseAccountChange(
  field: unknown,
  value: Part,
  { time }: Part,
  channel: WhatsAppChannel,
): InboundEvent[] {
  if (field === 'message_template_status_update') return parseTemplateStatus(value, time);
  if (field === 'message_template_quality_update' || field === 'template_category_update')
    return parseTemplateChange(field, value, time);
  return parseHealth(field, value, time, channel);
}

const HISTORY_FIELDS = ['history', 'smb_app_state_sync'];

function parseChange({ field, value: given }: Part, entry: Part, channel: WhatsAppChannel): InboundEvent[] {
  const value = partOf(given);
  if (idOf(partOf(value.metadata).phone_number_id) === '')
    return accountOf(value, entry) === channel.businessAccountId
      ? parseAccountChange(field, value, entry, channel)
      : [];
  if (!isForNumber(value, channel)) return [];
  if (HISTORY_FIELDS.includes(String(field)) && !channel.importHistory)
    return [{ kind: 'ignored', reason: 'history' }];
  if (field === 'history') return parseHistory(value);
  if (field === 'smb_app_state_sync') return parseEach(value.state_sync, parseState);
  if (field === 'messages')
    // Errors beside the messages are about the app; errors of a message are in the message.
    return [
      ...parseEach(value.messages, (message) => parseMessage('message', message, value.contacts)),
      ...parseEach(value.statuses, parseStatus),
    ];
  if (field === 'user_id_update') return parseEach(value.user_id_update, parseUserIdUpdate);
  if (field === 'user_preferences') return parseEach(value.user_preferences, parsePreference);
  if (field === 'smb_message_echoes')
    return parseEach(value.message_echoes, (message) => parseMessage('echo', message, value.contacts));
  return [];
}

/** The events of a request for one number and its account. Other fields are ignored. */
export const parseWebhook = (request: ProviderRequest, channel: WhatsAppChannel): InboundEvent[] =>
  entriesOf(request).flatMap((entry) =>
    parseEach(entry.changes, (change) => parseChange(change, entry, channel)),
  );
