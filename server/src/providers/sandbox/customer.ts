import { capabilities } from '../capabilities.ts';
import type { ChannelKind, HandleType } from '../kinds.ts';

/** The formats of customers' handles. */
const formats: Record<HandleType, { pattern: RegExp; named: string }> = {
  phone_number: { pattern: /^\+?[0-9]{3,20}$/, named: 'a phone number such as +15550001111' },
  email: { pattern: /^[^\s@]{1,64}@[^\s@]{1,190}$/, named: 'an email address' },
  instagram_id: { pattern: /^[A-Za-z0-9_.]{1,64}$/, named: 'an Instagram id' },
  whatsapp_id: { pattern: /^[A-Za-z0-9_.]{1,64}$/, named: 'a WhatsApp id' },
};

/** The usual type of handles on a kind of channel. */
export const handleTypeOf = (kind: ChannelKind): HandleType => capabilities[kind].handles[0] as HandleType;

/** What is wrong with the handle of a customer; undefined if it is valid. */
export function validateCustomer(from: string, kind: ChannelKind): string | undefined {
  const { pattern, named } = formats[handleTypeOf(kind)];
  return pattern.test(from) ? undefined : `Must be ${named}`;
}

/** The handle as the vendor writes it. */
export const normalizeHandle = (type: HandleType, value: string): string =>
  type === 'phone_number' && !value.startsWith('+')
    ? `+${value}`
    : type === 'email'
      ? value.toLowerCase()
      : value;
