import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const failedWith = statement<[patterns: string[]], { id: string; channel_id: string; text: string }>(
  'inbound.failed_with',
  `select i.id, i.channel_id, encode(i.body, 'escape') as text
     from visible_channels c join visible_inbound i on i.channel_id = c.id and i.tenant_id = c.tenant_id
    where c.tenant_id = $tenant and i.due_at is null and encode(i.body, 'escape') ilike any ($1::text[])`,
);
const remove = statement<[ids: string[]]>(
  'inbound.erase',
  'delete from inbound where id = any ($1::uuid[]) and tenant_id = $tenant and due_at is null',
);

/** A text as `encode(…, 'escape')` writes it: other bytes than ASCII as octal numbers. */
const escaped = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`))
    .join('');

const forLike = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Whether a text contains the spelling as a whole, not as a part of a longer number or address. */
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
 * Deletes vendors' requests that could not be processed and contain one of these handles. Requests that still wait are
 * kept: they may be about other contacts too, and a new message of the erased contact creates a new contact.
 */
export async function eraseInboundOf(tx: TenantTx, handles: string[]): Promise<void> {
  const plain = handles.map((handle) => handle.replace(/^\+/, ''));
  const spellings = [...new Set(plain.flatMap((handle) => [escaped(handle), encodeURIComponent(handle)]))];
  if (spellings.length === 0) return;
  const rows = await tx.all(failedWith, [spellings.map(forLike)]);
  const ids = rows
    .filter(({ text }) => spellings.some((spelling) => mentions(text, spelling)))
    .map(({ id }) => id);
  if (ids.length > 0) await tx.run(remove, [ids]);
}
