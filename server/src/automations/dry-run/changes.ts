import { isDeepStrictEqual } from 'node:util';
import type { Chat } from '../../chats/schema.ts';
import type { Contact } from '../../contacts/schema.ts';
import type { DryRun } from './schema.ts';

/** What steps can change, with a value that can be compared and shown. */
function fieldsOf(contact: Contact, chat: Chat | null): Map<string, unknown> {
  return new Map<string, unknown>([
    ['contact.labels', contact.labels.map(({ id, name }) => ({ id, name }))],
    ['contact.isSubscribed', contact.isSubscribed],
    ...contact.subscriptions.map(({ channelKind, status }): [string, unknown] => [
      `contact.subscriptions.${channelKind}`,
      status,
    ]),
    ...contact.attributes.map(({ externalId, value }): [string, unknown] => [
      `attributes.${externalId}`,
      value,
    ]),
    ...(chat
      ? ([
          ['chat.status', chat.status],
          ['chat.snoozedUntil', chat.snoozedUntil],
          ['chat.assignedUserId', chat.assignedUserId],
          ['chat.assignedTeamId', chat.assignedTeamId],
        ] as const)
      : []),
  ]);
}

/** What of a contact and of the chat of a run is different. A chat that is new has no values before. */
export function findChanges(
  before: { contact: Contact; chat: Chat | null },
  after: { contact: Contact; chat: Chat | null },
): DryRun['changes'] {
  const [from, to] = [fieldsOf(before.contact, before.chat), fieldsOf(after.contact, after.chat)];
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((field) => {
    const [old, now] = [from.get(field) ?? null, to.get(field) ?? null];
    return isDeepStrictEqual(old, now) ? [] : [{ field, before: old, after: now }];
  });
}
