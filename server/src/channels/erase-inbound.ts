import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const failedWith = statement<
  [tenantId: string, patterns: string[]],
  { id: string; channel_id: string; text: string }
>(
  'inbound.failed_with',
  `select i.id, i.channel_id, encode(i.body, 'escape') as text
     from channels c join inbound i on i.channel_id = c.id and i.tenant_id = c.tenant_id
    where c.tenant_id = $1 and i.due_at is null and encode(i.body, 'escape') ilike any ($2::text[])`,
);
const remove = statement<[ids: string[], tenantId: string]>(
  'inbound.erase',
  'delete from inbound where id = any ($1::uuid[]) and tenant_id = $2 and due_at is null',
);

/** A text as `encode(…, 'escape')` writes it, where it is not ASCII. */
const escaped = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`))
    .join('');

const forLike = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Whether a text has the spelling as a whole: not as a part of a longer number or address. */
export function mentions(text: string, spelling: string): boolean {
  const part = /^\d+$/.test(spelling) ? /\d/ : /[\w.-]/;
  const [lowered, sought] = [text.toLowerCase(), spelling.toLowerCase()];
  for (let at = lowered.indexOf(sought); at >= 0; at = lowered.indexOf(sought, at + 1)) {
    const [before = '', after = ''] = [lowered[at - 1], lowered[at + sought.length]];
    if (!part.test(before) && !part.test(after)) return true;
  }
  return false;
}

/**
 * Deletes vendors' requests that could not be processed and name one of these people. Requests that still wait are
 * left alone: others may be in them, and what a person writes after all makes a new contact.
 */
export async function eraseInboundOf(tx: Tx, tenantId: string, handles: string[]): Promise<void> {
  const plain = handles.map((handle) => handle.replace(/^\+/, ''));
  const spellings = [...new Set(plain.flatMap((handle) => [escaped(handle), encodeURIComponent(handle)]))];
  if (spellings.length === 0) return;
  const rows = await tx.all(failedWith, [tenantId, spellings.map(forLike)]);
  const ids = rows
    .filter(({ text }) => spellings.some((spelling) => mentions(text, spelling)))
    .map(({ id }) => id);
  if (ids.length > 0) await tx.run(remove, [ids, tenantId]);
}
