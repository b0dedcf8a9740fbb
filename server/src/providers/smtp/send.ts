import { OutboundError } from '../../outbound/outbound-error.ts';
import {
  type AdapterChannel,
  type AdapterContext,
  type OutgoingMessage,
  type SendResult,
  VendorFailure,
} from '../adapter.ts';
import { failureOf } from '../send-failure.ts';
import { type ComposedMail, composeMail } from './compose.ts';
import type { SmtpConfig } from './config.ts';
import { type RelayError, withRelay } from './relay.ts';

/** Gives a mail to the relay. Its 250 is all that will be heard of it, unless the mail comes back. */
export async function sendMail(
  message: OutgoingMessage,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  let mail: ComposedMail | undefined;
  let isOut = (): boolean => false;
  try {
    const composed = await composeMail(message, channel, context);
    mail = composed;
    const { rejected, rejectedErrors, serverMessageId } = await withRelay(
      (channel.config as SmtpConfig).smtp,
      context,
      (relay) => {
        isOut = relay.isMailOut;
        return relay.send(composed.envelope, composed.stream);
      },
    );
    // The relay took it for those in copy, and not for the person it is meant for.
    const [refused] = rejected.includes(message.to.value) ? (rejectedErrors ?? []) : [];
    if (refused) return { ...classifyReply(refused, false), retry: 'never' };
    // Some relays give a mail an id of their own, and answers will name that one.
    return { ok: true, vendorId: serverMessageId ?? composed.messageId, status: 'sent' };
  } catch (error) {
    if (error instanceof OutboundError) return failureOf(error);
    if (error instanceof VendorFailure)
      return {
        ok: false,
        error: { code: error.code, message: error.message },
        retry: error.isPassing ? 'backoff' : 'never',
      };
    return classifyReply(error as RelayError, isOut());
  } finally {
    mail?.discard();
  }
}

/**
 * What a failed conversation means. A reply of the relay is its last word; without one, a mail that was not wholly
 * handed over was not taken, and of one that was nobody can tell.
 */
export function classifyReply(error: RelayError, isOut: boolean): SendResult & { ok: false } {
  const { responseCode, code = 'relay', message } = error;
  const words = { code: responseCode === undefined ? code.toLowerCase() : String(responseCode), message };
  const failed = { ok: false, error: words } as const;
  // A relay that does not offer TLS may do so again, or its settings are mended meanwhile.
  if (code === 'ETLS') return { ...failed, retry: 'backoff' };
  if (responseCode !== undefined) {
    if (responseCode < 500) return { ...failed, retry: 'backoff' };
    const isAboutLogin = code === 'EAUTH' || responseCode === 530 || responseCode === 535;
    return { ...failed, retry: isAboutLogin ? 'reauth' : 'never' };
  }
  if (code === 'EAUTH') return { ...failed, retry: 'reauth' };
  if (isOut) return { ...failed, retry: 'unknown' };
  return { ...failed, retry: code === 'EENVELOPE' || code === 'EMESSAGE' ? 'never' : 'backoff' };
}
