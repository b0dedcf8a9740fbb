import { LRUCache } from 'lru-cache';
import type { ChannelKind, OutgoingMessage, SendResult } from '../adapter.ts';

type Refusal = Extract<SendResult, { ok: false }>;

const MAX_MESSAGES = 10_000;
const THROTTLED_TIMES = 2;
/** How often messages to …0004 were refused. In memory: after a restart they are refused again, and succeed in the end. */
const throttled = new LRUCache<string, number>({ max: MAX_MESSAGES });

const refused = (code: string, message: string, retry: Refusal['retry']): Refusal => ({
  ok: false,
  error: { code, message },
  retry,
});

/** Recipients that refuse messages, by the end of their number, id or mailbox. */
const refusals: Record<string, (message: OutgoingMessage, kind: ChannelKind) => Refusal | undefined> = {
  '0001': () => refused('131026', 'The message cannot be delivered to this recipient.', 'never'),
  '0002': ({ type }) =>
    type === 'template'
      ? undefined
      : refused('131047', 'The reply window is closed: only a template is allowed.', 'needs_template'),
  '0003': (_message, kind) =>
    refused(kind === 'sms' ? '21610' : '131050', 'The recipient has opted out.', 'never'),
  '0004': ({ id }) => {
    const times = throttled.get(id) ?? 0;
    throttled.set(id, times + 1);
    return times < THROTTLED_TIMES
      ? refused('130429', 'Too many messages: try again later.', 'backoff')
      : undefined;
  },
};

/** How the recipient refuses a message; undefined if it is accepted. */
export function refusalOfRecipient(message: OutgoingMessage, kind: ChannelKind): Refusal | undefined {
  const [name = ''] = message.to.value.split('@');
  return refusals[name.slice(-4)]?.(message, kind);
}

/** Whether a mail bounces after it was accepted. */
export const bounces = ({ to }: OutgoingMessage): boolean =>
  to.type === 'email' && to.value.startsWith('bounce@');
