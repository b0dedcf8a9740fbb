import { isUuid } from '../../base/ids.ts';
import type {
  Handle,
  InboundEvent,
  InboundStatus,
  ProviderRequest,
  TemplateStatus,
  VendorError,
} from '../adapter.ts';
import { wordsOf } from '../meta/classify-error.ts';
import { entriesOf, idOf, momentOf, type Part, partOf, partsOf, requireId, textOf } from '../meta/payload.ts';
import { idHandle, numberHandle, parseContact } from './contact.ts';
import { contentOf } from './message-content.ts';
import { reasonOf, templateStatusOf } from './template-status.ts';

/** How Meta names a channel: its number, and the account that the number and its templates belong to. */
export interface WhatsAppIds {
  phoneNumberId: string;
  businessAccountId: string;
}

/** Written by no person: somebody opened a chat for the first time. */
const UNWRITTEN = 'request_welcome';

/** A message of a group belongs to no one person's chat. */
const isOfGroup = (told: Part): boolean => told.group_id !== undefined || told.recipient_type === 'group';

function mutation(message: Part): InboundEvent[] {
  const isEdit = message.type === 'edit';
  const { original_message_id, message: now } = partOf(message[isEdit ? 'edit' : 'revoke']);
  const changed = {
    kind: 'mutation' as const,
    vendorId: requireId(original_message_id, 'a change of a message'),
    occurredAt: momentOf(message.timestamp),
  };
  if (!isEdit) return [{ ...changed, change: 'delete' }];
  return [{ ...changed, change: 'edit', text: contentOf(partOf(now)).text }];
}

/** A new number brings a new id with it: both are told, each as a change of its own. */
function identity(message: Part): InboundEvent[] {
  const { type, wa_id, user_id, previous_user_id } = partOf(message.system);
  if (type !== 'user_changed_number' && type !== 'user_changed_user_id') return [];
  const vendorId = requireId(message.id, 'a message');
  const occurredAt = momentOf(message.timestamp);
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

function written(kind: 'message' | 'echo', message: Part, contacts: unknown): InboundEvent[] {
  const { type } = message;
  if (isOfGroup(message) || type === UNWRITTEN) return [];
  if (type === 'edit' || type === 'revoke') return mutation(message);
  if (type === 'system') return identity(message);
  const contact =
    kind === 'echo'
      ? parseContact(message.to, message.to_user_id, contacts)
      : parseContact(message.from, message.from_user_id, contacts);
  return [
    {
      kind,
      vendorId: requireId(message.id, 'a message'),
      occurredAt: momentOf(message.timestamp),
      contact,
      ...contentOf(message),
    },
  ];
}

const statuses: Record<string, InboundStatus['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // Of a voice message, which was listened to.
  played: 'read',
  failed: 'failed',
};

const errorIn = (errors: unknown): VendorError => {
  const [error = {}] = partsOf(errors);
  return { code: idOf(error.code) || 'failed', message: wordsOf(error) };
};

function status(told: Part): InboundEvent[] {
  const known = Object.hasOwn(statuses, String(told.status)) ? statuses[String(told.status)] : undefined;
  if (known === undefined || isOfGroup(told)) return [];
  // Ours are ids; somebody else may send over the same number and remember something else.
  const remembered = idOf(told.biz_opaque_callback_data);
  return [
    {
      kind: 'status',
      vendorId: requireId(told.id, 'a status'),
      occurredAt: momentOf(told.timestamp),
      status: known,
      ...(isUuid(remembered) ? { messageId: remembered.toLowerCase() } : {}),
      ...(known === 'failed' ? { error: errorIn(told.errors) } : {}),
    },
  ];
}

function templateStatus(value: Part, time: unknown): InboundEvent[] {
  const known: TemplateStatus | undefined = templateStatusOf(value.event);
  if (known === undefined) return [];
  return [
    {
      kind: 'template_status',
      vendorId: requireId(value.message_template_id, 'a template'),
      occurredAt: momentOf(time),
      name: textOf(value.message_template_name) ?? '',
      language: textOf(value.message_template_language) ?? '',
      status: known,
      reason: reasonOf(value),
    },
  ];
}

const isOf = (value: Part, { phoneNumberId }: WhatsAppIds): boolean =>
  idOf(partOf(value.metadata).phone_number_id) === phoneNumberId;

function readChange({ field, value: given }: Part, entry: Part, ids: WhatsAppIds): InboundEvent[] {
  const value = partOf(given);
  if (field === 'message_template_status_update')
    return idOf(entry.id) === ids.businessAccountId ? templateStatus(value, entry.time) : [];
  if (!isOf(value, ids)) return [];
  if (field === 'messages')
    // Errors beside the messages are about the app and no message; a message's own come with it.
    return [
      ...partsOf(value.messages).flatMap((message) => written('message', message, value.contacts)),
      ...partsOf(value.statuses).flatMap(status),
    ];
  if (field === 'smb_message_echoes')
    return partsOf(value.message_echoes).flatMap((message) => written('echo', message, value.contacts));
  return [];
}

/** Everything that a request says to one number, and of its account. Fields that mean nothing to us are left out. */
export const readWebhook = (request: ProviderRequest, ids: WhatsAppIds): InboundEvent[] =>
  entriesOf(request).flatMap((entry) =>
    partsOf(entry.changes).flatMap((change) => readChange(change, entry, ids)),
  );
