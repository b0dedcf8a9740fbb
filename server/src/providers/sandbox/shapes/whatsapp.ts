import type { AdapterChannel } from '../../adapter-channel.ts';
import type {
  InboundConsent,
  InboundIdentity,
  InboundMessage,
  InboundMutation,
  InboundStatus,
  InboundTemplateStatus,
  SimulatedEvent,
  VendorContact,
} from '../../inbound-event.ts';
import type { Handle } from '../../kinds.ts';
import type { Part } from '../../meta/payload.ts';
import { isSigned, signedRequest } from '../../meta/signature.ts';
import { parseWebhook, type WhatsAppIds } from '../../whatsapp_cloud/parse.ts';
import type { SandboxShape } from '../shape.ts';
import { messagePayload } from './whatsapp-message.ts';

/** A sandbox channel has no ids at Meta, so its own id is used. */
const idsOf = ({ id }: AdapterChannel): WhatsAppIds => ({ phoneNumberId: id, businessAccountId: id });

const digitsOf = (value: string): string => value.replace(/^\+/, '');

/** Meta writes whole seconds. Here they have a fraction, so that fast messages stay in order. */
const secondsOf = (time: Date): string => String(time.getTime() / 1000);

const handleOf = (contact: VendorContact, type: Handle['type']): string | undefined =>
  [contact, ...(contact.others ?? [])].find((handle) => handle.type === type)?.value;

function contactOf(contact: VendorContact): Part {
  const [number, userId] = [handleOf(contact, 'phone_number'), handleOf(contact, 'whatsapp_id')];
  return {
    ...(contact.name === null ? {} : { profile: { name: contact.name } }),
    ...(number === undefined ? {} : { wa_id: digitsOf(number) }),
    ...(userId === undefined ? {} : { user_id: userId }),
  };
}

/** The customer as the sender (`from`) or the recipient (`to`) of a message. */
function sideOf(side: 'from' | 'to', contact: VendorContact): Part {
  const [number, userId] = [handleOf(contact, 'phone_number'), handleOf(contact, 'whatsapp_id')];
  return {
    ...(number === undefined ? {} : { [side]: digitsOf(number) }),
    ...(userId === undefined ? {} : { [`${side}_user_id`]: userId }),
  };
}

function messageValue(event: InboundMessage, channel: AdapterChannel): Part {
  const { kind, vendorId, occurredAt, contact } = event;
  const message = {
    ...(kind === 'echo'
      ? { from: digitsOf(channel.address), ...sideOf('to', contact) }
      : sideOf('from', contact)),
    id: vendorId,
    timestamp: secondsOf(occurredAt),
    ...messagePayload(event),
  };
  return { contacts: [contactOf(contact)], [kind === 'echo' ? 'message_echoes' : 'messages']: [message] };
}

function mutation({ vendorId, occurredAt, change, text = null }: InboundMutation): Part {
  const about = { original_message_id: vendorId };
  const edited = text === null ? { type: 'image', image: {} } : { type: 'text', text: { body: text } };
  const message = {
    id: `${vendorId}:${change}:${occurredAt.getTime()}`,
    timestamp: secondsOf(occurredAt),
    ...(change === 'edit'
      ? { type: 'edit', edit: { ...about, message: edited } }
      : { type: 'revoke', revoke: about }),
  };
  return { messages: [message] };
}

function identity({ vendorId, occurredAt, from, to }: InboundIdentity): Part {
  if (from.type !== to.type)
    throw new Error('WhatsApp reports a new number or a new id, not both in one message.');
  const system =
    from.type === 'phone_number'
      ? { type: 'user_changed_number', wa_id: digitsOf(to.value) }
      : { type: 'user_changed_user_id', user_id: to.value, previous_user_id: from.value };
  const sender = from.type === 'phone_number' ? { from: digitsOf(from.value) } : {};
  return {
    messages: [{ ...sender, id: vendorId, timestamp: secondsOf(occurredAt), type: 'system', system }],
  };
}

function status({ vendorId, messageId, occurredAt, status, error }: InboundStatus): Part {
  const reported = {
    id: vendorId,
    status,
    timestamp: secondsOf(occurredAt),
    ...(messageId === undefined ? {} : { biz_opaque_callback_data: messageId }),
    ...(error ? { errors: [{ code: error.code, title: error.message, message: error.message }] } : {}),
  };
  return { statuses: [reported] };
}

function preference({ handles, subscription, occurredAt, proof }: InboundConsent): Part {
  const customer = Object.fromEntries(
    handles.map(({ type, value }) =>
      type === 'phone_number' ? ['wa_id', digitsOf(value)] : ['user_id', value],
    ),
  );
  const value = subscription === 'stop' ? 'stop' : 'resume';
  const timestamp = secondsOf(occurredAt);
  return { user_preferences: [{ ...customer, ...proof, category: 'marketing_messages', value, timestamp }] };
}

const templateStatus = (event: InboundTemplateStatus): Part => ({
  event: event.status.toUpperCase(),
  message_template_id: event.vendorId,
  message_template_name: event.name,
  message_template_language: event.language,
  reason: event.reason ?? 'NONE',
});

/** The event as a change of one field. */
function changeOf(event: SimulatedEvent, channel: AdapterChannel): { field: string; value: Part } {
  const common = {
    messaging_product: 'whatsapp',
    metadata: {
      display_phone_number: digitsOf(channel.address),
      phone_number_id: idsOf(channel).phoneNumberId,
    },
  };
  const withMetadata = (value: Part, field = 'messages') => ({ field, value: { ...common, ...value } });
  switch (event.kind) {
    case 'message':
      return withMetadata(messageValue(event, channel));
    case 'echo':
      return withMetadata(messageValue(event, channel), 'smb_message_echoes');
    case 'status':
      return withMetadata(status(event));
    case 'mutation':
      return withMetadata(mutation(event));
    case 'identity':
      return withMetadata(identity(event));
    case 'consent':
      return withMetadata(preference(event), 'user_preferences');
    case 'template_status':
      return { field: 'message_template_status_update', value: templateStatus(event) };
    case 'read_receipt':
      throw new Error('WhatsApp reports each message as read separately.');
  }
}

export const whatsappShape: SandboxShape = {
  write(event, channel, url, secret) {
    const entry = {
      id: idsOf(channel).businessAccountId,
      time: event.occurredAt.getTime() / 1000,
      changes: [changeOf(event, channel)],
    };
    return signedRequest({ object: 'whatsapp_business_account', entry: [entry] }, url, secret);
  },
  verifySignature: (request, _channel, secret) => isSigned(request, secret),
  parse: (request, channel) =>
    parseWebhook(request, { ...idsOf(channel), address: channel.address, importHistory: false }),
};
