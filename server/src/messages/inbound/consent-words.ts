import { findChatsWithWaitingRuns } from '../../automations/runs/waiting-runs.ts';
import { consentOf } from '../../channels/channel.ts';
import type { ChannelConsent } from '../../channels/schema.ts';
import {
  type ChangedSubscriptions,
  type ConsentChange,
  storeConsents,
} from '../../contacts/consent/consents.ts';
import { confirmationOf, findConsentWord } from '../../contacts/consent/words.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { type QueueDeps, queueMessages } from '../outbound/queue.ts';
import type { ReceivedMessage } from './media.ts';
import type { NewMessage } from './store-messages.ts';

interface WordsChannel {
  kind: ChannelKind;
  consent: Partial<ChannelConsent>;
}

/** What the person wrote: in a mail without a text, the subject. */
const writtenIn = ({ text, content }: ReceivedMessage, kind: ChannelKind): string | null =>
  kind === 'email' && (text ?? '').trim() === '' ? String(content.subject ?? '') : text;

/** Marks a message that consists of a word such as STOP. */
export function withConsentWord(message: ReceivedMessage, { kind, consent }: WordsChannel): ReceivedMessage {
  if (message.kind !== 'message' || message.isAutomatic) return message;
  // A picture with a word below it says more than the word. The files of a mail are mostly the logos of a signature.
  if (kind !== 'email' && message.media.length > 0) return message;
  // A public comment is not addressed to the business alone.
  if (message.type === 'comment') return message;
  const found = findConsentWord(writtenIn(message, kind), kind, consentOf(consent));
  if (!found) return message;
  const { subscription = found.subscription } = message;
  // What the vendor says is an opt-out is no answer: it delivers nothing more.
  const isWeak = found.isWeak && message.subscription === undefined;
  return { ...message, subscription, consentWord: { ...found, isWeak } };
}

/**
 * The new messages that opt out or in, the oldest first. On SMS a word such as "cancel" is an answer while an automation waits
 * for one.
 */
async function findOptOuts(tx: TenantTx, messages: readonly NewMessage[]): Promise<NewMessage[]> {
  const marked = messages.filter(({ received }) => received.subscription !== undefined);
  const weak = marked.filter(({ received }) => received.consentWord?.isWeak);
  const asked =
    weak.length === 0
      ? new Set<string>()
      : await findChatsWithWaitingRuns(
          tx,
          weak.map(({ row }) => row.chat_id),
        );
  return marked
    .filter(({ received, row }) => !received.consentWord?.isWeak || !asked.has(row.chat_id))
    .toSorted((a, b) => a.row.timestamp.getTime() - b.row.timestamp.getTime());
}

const consentIn = ({ received, row }: NewMessage, kind: ChannelKind): ConsentChange => ({
  contactId: row.contact_id,
  channelKinds: [kind],
  status: received.subscription === 'stop' ? 'unsubscribed' : 'subscribed',
  source: 'contact',
  at: row.timestamp,
  proof: { messageId: row.id, text: received.text },
});

export interface RecordedOptOuts {
  changed: ChangedSubscriptions[];
  /** The messages that are no reply to anything. */
  ids: ReadonlySet<string>;
  /** Those that unsubscribed their contact. */
  unsubscribed: NewMessage[];
}

/** Records the opt-outs and opt-ins among new messages. START of a contact that is subscribed is a message like any other. */
export async function recordOptOuts(
  tx: TenantTx,
  messages: readonly NewMessage[],
  kind: ChannelKind,
): Promise<RecordedOptOuts> {
  const found = await findOptOuts(tx, messages);
  const changed = await storeConsents(
    tx,
    found.map((message) => consentIn(message, kind)),
  );
  const isUnsubscribed = new Map(
    changed.map(({ contactId, unsubscribed }) => [contactId, unsubscribed.length > 0]),
  );
  const optOuts = found.filter(
    ({ received, row }) => received.subscription === 'stop' || isUnsubscribed.has(row.contact_id),
  );
  return {
    changed,
    ids: new Set(optOuts.map(({ row }) => row.id)),
    unsubscribed: optOuts.filter(({ row }) => isUnsubscribed.get(row.contact_id)),
  };
}

/** Confirms opt-outs, once each, with what the channel says or a sentence in the language of the word. */
export async function confirmOptOuts(
  tx: TenantTx,
  messages: readonly NewMessage[],
  { kind, consent }: WordsChannel,
  deps: QueueDeps,
): Promise<void> {
  const { optOutConfirmation: text } = consentOf(consent);
  // A carrier confirms by itself, and delivers nothing after STOP.
  if (text === '' || kind === 'sms') return;
  const chats = new Map(messages.map(({ received, row }) => [row.chat_id, received.consentWord?.word ?? '']));
  await queueMessages(
    tx,
    [...chats].map(([chatId, word]) => ({
      chatId,
      author: { type: 'automation', id: null, name: null },
      purpose: 'service',
      text: text ?? confirmationOf(word),
    })),
    deps,
  );
}
