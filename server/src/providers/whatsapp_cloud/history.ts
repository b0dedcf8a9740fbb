import type { InboundEvent, InboundMessage, VendorContact } from '../inbound-event.ts';
import { parseEach } from '../meta/parse-each.ts';
import { type Part, partOf, partsOf, requireId, textOf, timeOf } from '../meta/payload.ts';
import { idHandle, numberHandle, parseContact } from './contact.ts';
import { contentOf } from './message-content.ts';

const statuses: Record<string, NonNullable<InboundMessage['imported']>['status']> = {
  SENT: 'sent',
  PENDING: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  PLAYED: 'read',
  ERROR: 'failed',
};

const statusOf = ({ status }: Part): NonNullable<InboundMessage['imported']>['status'] =>
  (Object.hasOwn(statuses, String(status)) ? statuses[String(status)] : undefined) ?? 'sent';

/** A message of the time before the number was connected. */
function parseMessage(message: Part, customer: VendorContact): InboundEvent[] {
  const sender = numberHandle(message.from) ?? idHandle(message.from_user_id);
  const isCustomers = [customer, ...(customer.others ?? [])].some((handle) => handle.value === sender?.value);
  return [
    {
      kind: isCustomers ? 'message' : 'echo',
      vendorId: requireId(message.id, 'a message'),
      occurredAt: timeOf(message.timestamp),
      contact: customer,
      imported: { status: statusOf(partOf(message.history_context)) },
      ...contentOf(message),
    },
  ];
}

/** The customer of a thread: its id is the number, and newer threads also have the user's id. */
function customerOf(thread: Part, contacts: unknown): VendorContact {
  const { wa_id, user_id } = partOf(thread.context);
  return parseContact(thread.id ?? wa_id, user_id, [
    ...partsOf(contacts),
    { ...partOf(thread.context), wa_id: wa_id ?? thread.id },
  ]);
}

/** The messages of the WhatsApp Business app: in threads, or the content of one whose file was left out before. */
export function parseHistory(value: Part): InboundEvent[] {
  const threads = partsOf(value.history).flatMap((chunk) =>
    parseEach(chunk.threads, (thread) => {
      const customer = customerOf(thread, value.contacts);
      return parseEach(thread.messages, (message) => parseMessage(message, customer));
    }),
  );
  const files = parseEach(value.messages, (message) => {
    const isEcho = message.to !== undefined || message.to_user_id !== undefined;
    const customer = isEcho
      ? parseContact(message.to, message.to_user_id, value.contacts)
      : parseContact(message.from, message.from_user_id, value.contacts);
    return parseMessage(message, customer);
  });
  return [...threads, ...files];
}

/** A contact of the address book of the WhatsApp Business app. One that was removed there stays here. */
export function parseState({ type, action, contact, metadata }: Part): InboundEvent[] {
  const { full_name, first_name, phone_number, user_id } = partOf(contact);
  if (type !== 'contact' || action === 'remove') return [];
  const handles = [numberHandle(phone_number), idHandle(user_id)].filter((one) => one !== undefined);
  const [first, ...others] = handles;
  if (first === undefined) throw new Error('The request contains a contact without a number.');
  return [
    {
      kind: 'contact',
      occurredAt: timeOf(partOf(metadata).timestamp),
      contact: {
        ...first,
        name: textOf(full_name) ?? textOf(first_name),
        ...(others.length > 0 ? { others } : {}),
      },
    },
  ];
}
