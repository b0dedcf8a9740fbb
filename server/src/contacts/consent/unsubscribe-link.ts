import type { Keys } from '../../base/crypto.ts';
import { isUuid } from '../../base/ids.ts';

export const UNSUBSCRIBE_PATH = '/unsubscribe';
const PURPOSE = 'contacts.unsubscribe';
/** Three ids, encrypted; a longer one is none of ours. */
const MAX_TOKEN_CHARACTERS = 400;

/** Whom a link unsubscribes from mails, and the message that had it. */
interface UnsubscribeIds {
  tenantId: string;
  contactId: string;
  /** Null for a link in the text of an automation. */
  messageId: string | null;
}

/** A link that nobody can guess or change: its ids are encrypted with the installation's key. */
export function unsubscribeUrl(keys: Keys, baseUrl: string, ids: UnsubscribeIds): string {
  const { tenantId, contactId, messageId } = ids;
  const text = [tenantId, contactId, messageId ?? ''].join(' ');
  return `${baseUrl}${UNSUBSCRIBE_PATH}/${keys.encrypt(text, PURPOSE).toString('base64url')}`;
}

/** The ids in the token of a link; undefined if it is none of ours. */
export function readUnsubscribeToken(keys: Keys, token: string): UnsubscribeIds | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
  try {
    const [tenantId = '', contactId = '', messageId = ''] = keys
      .decrypt(Buffer.from(token, 'base64url'), PURPOSE)
      .split(' ');
    if (!isUuid(tenantId) || !isUuid(contactId)) return undefined;
    return { tenantId, contactId, messageId: isUuid(messageId) ? messageId : null };
  } catch {
    return undefined;
  }
}
