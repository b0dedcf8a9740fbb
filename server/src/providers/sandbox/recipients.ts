import { createCache } from '../../base/cache.ts';
import type { ChannelKind } from '../kinds.ts';
import type { OutgoingMessage, SendResult } from '../outgoing-message.ts';

type Refusal = Extract<SendResult, { ok: false }>;

const MAX_MESSAGES = 10_000;
const THROTTLED_TIMES = 2;
/** How often messages to …0004 were refused. In memory: after a restart they are refused again, and succeed in the end. */
const throttled = createCache<string, number>(MAX_MESSAGES);

const refused = (code: string, message: string, retry: Refusal['retry']): Refusal => ({
  ok: false,
  error: { code, message },
  retry,
});

type Failure = 'undeliverable' | 'windowClosed' | 'optedOut' | 'throttled';

/** SMS channels are simulated as Twilio's, all others have Meta's codes. */
const metaCodes: Record<Failure, string> = {
  undeliverable: '131026',
  windowClosed: '131047',
  optedOut: '131050',
  throttled: '130429',
};
const twilioCodes: Record<Failure, string> = {
  undeliverable: '30003',
  windowClosed: '63016',
  optedOut: '21610',
  throttled: '20429',
};
const codeOf = (failure: Failure, kind: ChannelKind): string =>
  (kind === 'sms' ? twilioCodes : metaCodes)[failure];

/** Recipients that refuse messages, by the end of their number, id or mailbox. */
const refusals: Record<string, (message: OutgoingMessage, kind: ChannelKind) => Refusal | undefined> = {
  '0001': (_message, kind) =>
    refused(codeOf('undeliverable', kind), 'The message cannot be delivered to this recipient.', 'never'),
  '0002': ({ type }, kind) =>
    type === 'template'
      ? undefined
      : refused(
          codeOf('windowClosed', kind),
          'The reply window is closed: only a template is allowed.',
          'needs_template',
        ),
  '0003': (_message, kind) => refused(codeOf('optedOut', kind), 'The recipient has opted out.', 'never'),
  '0004': ({ id }, kind) => {
    const times = throttled.get(id) ?? 0;
    throttled.set(id, times + 1);
    return times < THROTTLED_TIMES
      ? refused(codeOf('throttled', kind), 'Too many messages: try again later.', 'backoff')
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
