import type { ChannelKind, HandleType } from '../adapter.ts';
import { capabilities } from '../capabilities.ts';

/** How a person is written on each kind of channel, and what to say to someone who writes it otherwise. */
const spellings: Record<HandleType, { pattern: RegExp; named: string }> = {
  phone_number: { pattern: /^\+?[0-9]{3,20}$/, named: 'a phone number such as +15550001111' },
  email: { pattern: /^[^\s@]{1,64}@[^\s@]{1,190}$/, named: 'an email address' },
  instagram_id: { pattern: /^[A-Za-z0-9_.]{1,64}$/, named: 'an Instagram id' },
  whatsapp_id: { pattern: /^[A-Za-z0-9_.]{1,64}$/, named: 'a WhatsApp id' },
};

/** How people are named on a kind of channel, above all. */
export const handleTypeOf = (kind: ChannelKind): HandleType => capabilities[kind].handles[0] as HandleType;

/** What is wrong with the way a person is written, if anything. */
export function validateCustomer(from: string, kind: ChannelKind): string | undefined {
  const { pattern, named } = spellings[handleTypeOf(kind)];
  return pattern.test(from) ? undefined : `Must be ${named}`;
}

/** A person in the one spelling that the vendor uses. */
export const spelled = (type: HandleType, value: string): string =>
  type === 'phone_number' && !value.startsWith('+')
    ? `+${value}`
    : type === 'email'
      ? value.toLowerCase()
      : value;
