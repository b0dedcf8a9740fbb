import { isUuid } from '../../base/ids.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import { bareAddress, isAddress, type SmtpConfig } from './config.ts';

/** The maximum length before the `@`. */
const MAX_LOCAL_PART = 64;

/** The channel's own addresses: the one customers write to, and the one it sends from. */
export function ownAddresses({ address, config }: Pick<AdapterChannel, 'address' | 'config'>): string[] {
  const from = typeof config.from === 'string' ? [bareAddress(config.from)] : [];
  return [...new Set([address.trim().toLowerCase(), ...from])].filter(isAddress);
}

/** The Message-ID of our message: replies and bounces contain it. */
export const messageIdOf = (id: string, channel: Pick<AdapterChannel, 'address' | 'config'>): string =>
  `<${id}@${ownAddresses(channel).at(-1)?.split('@')[1]}>`;

/** Our own id in a Message-ID of `messageIdOf`. */
export function ownIdIn(
  messageId: string,
  channel: Pick<AdapterChannel, 'address' | 'config'>,
): string | undefined {
  const id = messageId.slice(1, 37).toLowerCase();
  return isUuid(id) &&
    ownAddresses(channel).some((own) => messageId.toLowerCase() === `<${id}@${own.split('@')[1]}>`)
    ? id
    : undefined;
}

/** The address for replies to one message, `help+<id>@…`, if the mailbox supports it. */
export function plusAddress(id: string, channel: AdapterChannel): string | undefined {
  const [local = '', domain] = channel.address.trim().split('@');
  const isUsable = (channel.config as SmtpConfig).plusAddressing && isAddress(channel.address.trim());
  const tagged = `${local}+${id}`;
  return isUsable && tagged.length <= MAX_LOCAL_PART ? `${tagged}@${domain}` : undefined;
}

const TAG = /\+([0-9a-f-]{36})@([^\s<>,;:"]{1,190})/gi;

/** Our own id in the addresses that a mail was sent to. */
export function ownIdInAddresses(
  text: string,
  channel: Pick<AdapterChannel, 'address' | 'config'>,
): string | undefined {
  const own = ownAddresses(channel);
  for (const { 1: id = '', 2: domain = '', index } of text.matchAll(TAG)) {
    const before = text.slice(Math.max(0, index - MAX_LOCAL_PART), index);
    const local = /[^\s<>,;:"+]*$/.exec(before)?.[0] ?? '';
    if (isUuid(id) && own.includes(`${local}@${domain}`.toLowerCase())) return id.toLowerCase();
  }
  return undefined;
}
