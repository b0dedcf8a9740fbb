import type { VendorContact } from '../inbound-event.ts';
import type { Handle } from '../kinds.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';

/** A phone number as Meta writes it: digits, sometimes with a plus. */
const NUMBER = /^\+?([0-9]{3,20})$/;

/** The number as we store it; undefined if it is not one. */
export const numberHandle = (value: unknown): Handle | undefined => {
  const digits = NUMBER.exec(idOf(value))?.[1];
  return digits === undefined ? undefined : { type: 'phone_number', value: `+${digits}` };
};

/** The id of a customer for one business, such as `US.13491208655302741918`. It may come without a number. */
export const idHandle = (value: unknown): Handle | undefined => {
  const id = idOf(value);
  return id === '' ? undefined : { type: 'whatsapp_id', value: id };
};

/** The entry of a contact in the list of contacts; empty if there is none. */
export const findContact = ({ type, value, others = [] }: VendorContact, contacts: unknown): Part =>
  partsOf(contacts).find((contact) =>
    [{ type, value }, ...others].some(
      (handle) =>
        numberHandle(contact.wa_id)?.value === handle.value ||
        idHandle(contact.user_id)?.value === handle.value,
    ),
  ) ?? {};

/** The contact with this number, id, or both, with its name and other handle from the list of contacts. */
export function parseContact(number: unknown, userId: unknown, contacts: unknown): VendorContact {
  const [asNumber, asId] = [numberHandle(number), idHandle(userId)];
  const isSame = (contact: Part): boolean =>
    (asNumber !== undefined && numberHandle(contact.wa_id)?.value === asNumber.value) ||
    (asId !== undefined && idOf(contact.user_id) === asId.value);
  const contact = partsOf(contacts).find(isSame) ?? {};
  const handles = [asNumber ?? numberHandle(contact.wa_id), asId ?? idHandle(contact.user_id)].filter(
    (handle) => handle !== undefined,
  );
  const [first, ...others] = handles;
  if (first === undefined) throw new Error('The request contains a message without a sender.');
  const name = textOf(partOf(contact.profile).name);
  return { ...first, name, ...(others.length > 0 ? { others } : {}) };
}
