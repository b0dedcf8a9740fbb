import type { ChannelKind } from '../api/channel-kinds.ts';
import { inventDigits } from '../api/sandbox.ts';

/** Whose phone it is: somebody who writes to a sandbox channel. */
export interface Customer {
  channelId: string;
  /** The number, address or id, as the vendor writes it. */
  from: string;
  name: string;
  /** The contact, if there is one: the same colour everywhere. */
  contactId?: string;
  /** Somebody who was invented: the first message tells the name. */
  isNew?: boolean;
}

/** What customers are known by on each kind of channel. */
export const HANDLE_TYPES = {
  whatsapp: 'phone_number',
  sms: 'phone_number',
  email: 'email',
  instagram: 'instagram_id',
} as const satisfies Record<ChannelKind, string>;

/** How the sandbox treats messages to somebody, by the end of the number, id or mailbox. */
const ENDINGS = {
  reachable: '',
  unreachable: '0001',
  templatesOnly: '0002',
  optedOut: '0003',
  throttled: '0004',
  bounces: '',
} as const;
export type Delivery = keyof typeof ENDINGS;

const PLAIN: readonly Delivery[] = ['reachable', 'unreachable', 'optedOut', 'throttled'];
/** What can happen to messages on each kind of channel. */
export const DELIVERIES: Readonly<Record<ChannelKind, readonly Delivery[]>> = {
  whatsapp: [...PLAIN, 'templatesOnly'],
  instagram: [...PLAIN, 'templatesOnly'],
  sms: PLAIN,
  email: [...PLAIN, 'bounces'],
};

/** A handle that nobody has. Only a wanted ending means something, so others do not begin with a zero. */
export function inventHandle(kind: ChannelKind, delivery: Delivery): string {
  const ending = ENDINGS[delivery] || String(1000 + (Number(inventDigits(4)) % 9000));
  const digits = `${inventDigits(3)}${ending}`;
  if (delivery === 'bounces') return `bounce@${digits}.example.com`;
  if (kind === 'email') return `customer${digits}@example.com`;
  return kind === 'instagram' ? `1784140${digits}` : `+1555${digits}`;
}

const NAMES = [
  'Ada Lovelace',
  'Alan Turing',
  'Grace Hopper',
  'Hedy Lamarr',
  'Katherine Johnson',
  'Radia Perlman',
];
export const inventName = (): string => NAMES[Number(inventDigits(4)) % NAMES.length] as string;

/** A handle as the vendor writes it. */
export const normalizeHandle = (kind: ChannelKind, typed: string): string => {
  const value = typed.trim();
  if (kind === 'email') return value.toLowerCase();
  if (kind === 'instagram') return value;
  const digits = value.replace(/[\s()./-]/g, '');
  return digits.startsWith('+') ? digits : `+${digits}`;
};
