import { LRUCache } from 'lru-cache';
import type { ChannelKind, OutgoingMessage, SendResult } from '../adapter.ts';

type Refusal = Extract<SendResult, { ok: false }>;

const REMEMBERED = 10_000;
const THROTTLED_TIMES = 2;
/** How often messages to …0004 were refused. In memory: after a restart they are refused anew, and pass in the end. */
const throttled = new LRUCache<string, number>({ max: REMEMBERED });

const refused = (code: string, message: string, retry: Refusal['retry']): Refusal => ({
  ok: false,
  error: { code, message },
  retry,
});

/** People whose messages have a fate of their own, by the end of their number, id or mailbox. */
const recipientStatuses: Record<
  string,
  (message: OutgoingMessage, kind: ChannelKind) => Refusal | undefined
> = {
  '0001': () => refused('131026', 'The message cannot be delivered to this recipient.', 'never'),
  '0002': ({ type }) =>
    type === 'template'
      ? undefined
      : refused(
          '131047',
          'The recipient has not written for too long: only a template is allowed.',
          'needs_template',
        ),
  '0003': (_message, kind) =>
    refused(kind === 'sms' ? '21610' : '131050', 'The recipient has opted out.', 'never'),
  '0004': ({ id }) => {
    const times = throttled.get(id) ?? 0;
    throttled.set(id, times + 1);
    return times < THROTTLED_TIMES
      ? refused('130429', 'Too many messages: try again in a moment.', 'backoff')
      : undefined;
  },
};

/** What becomes of a message because of whom it is for, where that is not what becomes of every other. */
export function statusesFor(message: OutgoingMessage, kind: ChannelKind): Refusal | undefined {
  const [name = ''] = message.to.value.split('@');
  return recipientStatuses[name.slice(-4)]?.(message, kind);
}

/** Whether a mail comes back after it was accepted. */
export const bounces = ({ to }: OutgoingMessage): boolean =>
  to.type === 'email' && to.value.startsWith('bounce@');
