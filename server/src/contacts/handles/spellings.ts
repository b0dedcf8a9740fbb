import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { Handle, HandleType } from '../../providers/kinds.ts';
import { keyOf } from './owners.ts';

/** Mobile numbers of Brazil got a ninth digit; WhatsApp still knows many without it. Other numbers begin with 2 to 5. */
const BRAZIL = /^\+55([1-9]{2})(9?)([6-9][0-9]{7})$/;
/** Mobile numbers of Argentina have a 9 after the country code, but only in calls from abroad. */
const ARGENTINA = /^\+54(9?)([1-8][0-9]{9})$/;

/** The other way to write the same number; undefined if there is none. */
function otherSpelling(value: string): string | undefined {
  if (!value.startsWith('+5')) return undefined;
  const [, area, nine, local] = BRAZIL.exec(value) ?? [];
  if (area !== undefined) return `+55${area}${nine === '' ? '9' : ''}${local}`;
  const [, mobile, number] = ARGENTINA.exec(value) ?? [];
  return number === undefined ? undefined : `+54${mobile === '' ? '9' : ''}${number}`;
}

/** Whether a phone number is written in two ways. */
export const hasOtherSpelling = (value: string): boolean => otherSpelling(value) !== undefined;

/** One of both ways to write a number, whichever is given. */
export function commonSpelling(value: string): string {
  const other = otherSpelling(value);
  return other === undefined || value < other ? value : other;
}

/** A handle, and the same one as others write it. */
export function spellingsOf({ type, value }: Handle): Handle[] {
  const other = type === 'phone_number' ? otherSpelling(value) : undefined;
  return other === undefined
    ? [{ type, value }]
    : [
        { type, value },
        { type, value: other },
      ];
}

const storedHandles = statement<
  [types: string[], values: string[], channelId: string | null],
  { type: HandleType; value: string; has_chat: boolean }
>(
  'handles.stored_spellings',
  `select h.type, h.value, exists (
       select 1 from visible_chats k where k.handle_id = h.id and (k.tenant_id = $tenant and k.channel_id = $3) is true) as has_chat
     from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value`,
);

/**
 * Returns how a handle is stored: as it is given, or as others write it. If both are, the one with a chat in the channel
 * counts. A handle that is not stored stays as it is.
 */
export async function findSpellings(
  db: TenantReader,
  handles: readonly Handle[],
  channelId: string | null,
): Promise<<H extends Handle>(handle: H) => H> {
  const several = handles.filter(({ type, value }) => type === 'phone_number' && hasOtherSpelling(value));
  if (several.length === 0) return (handle) => handle;
  const all = several.flatMap(spellingsOf);
  const rows = await db.all(storedHandles, [
    all.map(({ type }) => type),
    all.map(({ value }) => value),
    channelId,
  ]);
  const stored = new Map(rows.map((row) => [keyOf(row), row]));
  return (handle) => {
    const found = spellingsOf(handle).flatMap((one) => stored.get(keyOf(one)) ?? []);
    const value = (found.find(({ has_chat }) => has_chat) ?? found[0])?.value;
    return value === undefined || value === handle.value ? handle : { ...handle, value };
  };
}
