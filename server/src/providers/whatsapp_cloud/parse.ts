import { isUuid } from '../../base/ids.ts';
import type {
  Handle,
  InboundEvent,
  InboundStatus,
  ProviderRequest,
  TemplateStatus,
  VendorError,
} from '../adapter.ts';
import { describeError } from '../meta/classify-error.ts';
import { entriesOf, idOf, type Part, partOf, partsOf, requireId, textOf, timeOf } from '../meta/payload.ts';
import { idHandle, numberHandle, parseContact } from './contact.ts';
import { contentOf } from './message-content.ts';
import { reasonOf, templateStatusOf } from './template-status.ts';

/** Meta's ids of a channel: the phone number, and the account that it and its templates belong to. */
export interface WhatsAppIds {
  phoneNumberId: string;
  businessAccountId: string;
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

/** A new number has a new id: both are reported, as two changes. */
function parseIdentity(message: Part): InboundEvent[] {
  const { type, wa_id, user_id, previous_user_id } = partOf(message.system);
  if (type !== 'user_changed_number' && type !== 'user_changed_user_id') return [];
  const vendorId = requireId(message.id, 'a message');
  const occurredAt = timeOf(message.timestamp);
  const changes: [from: Handle | undefined, to: Handle | undefined][] = [
    [numberHandle(message.from), numberHandle(wa_id)],
    [idHandle(previous_user_id ?? message.from_user_id), idHandle(user_id)],
  ];
  return changes
    .flatMap(([from, to]) => (from && to && from.value !== to.value ? [{ from, to }] : []))
    .map(({ from, to }, index) => ({
      kind: 'identity',
      vendorId: index === 0 ? vendorId : `${vendorId}#${index}`,
      occurredAt,
      from,
      to,
    }));
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
      ...contentOf(message),
    },
  ];
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
    },
  ];
}

const isForNumber = (value: Part, { phoneNumberId }: WhatsAppIds): boolean =>
  idOf(partOf(value.metadata).phone_number_id) === phoneNumberId;

function parseChange({ field, value: given }: Part, entry: Part, ids: WhatsAppIds): InboundEvent[] {
  const value = partOf(given);
  if (field === 'message_template_status_update')
    return idOf(entry.id) === ids.businessAccountId ? parseTemplateStatus(value, entry.time) : [];
  if (!isForNumber(value, ids)) return [];
  if (field === 'messages')
    // Errors beside the messages are about the app; errors of a message are in the message.
    return [
      ...partsOf(value.messages).flatMap((message) => parseMessage('message', message, value.contacts)),
      ...partsOf(value.statuses).flatMap(parseStatus),
    ];
  if (field === 'smb_message_echoes')
    return partsOf(value.message_echoes).flatMap((message) => parseMessage('echo', message, value.contacts));
  return [];
}

/** The events of a request for one number and its account. Other fields are ignored. */
export const parseWebhook = (request: ProviderRequest, ids: WhatsAppIds): InboundEvent[] =>
  entriesOf(request).flatMap((entry) =>
    partsOf(entry.changes).flatMap((change) => parseChange(change, entry, ids)),
  );
