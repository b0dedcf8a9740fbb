import { OutboundError } from '../../outbound/outbound-error.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { OutgoingMessage, SendResult } from '../outgoing-message.ts';
import { failureOf } from '../send-failure.ts';
import { CredentialFailure, VendorFailure } from '../vendor-failure.ts';
import { type ComposedMail, composeMail } from './compose.ts';
import type { SmtpConfig } from './config.ts';
import { type RelayError, withRelay } from './relay.ts';
import { replyCodeOf } from './reply-code.ts';

/** Sends a mail through the relay. After its 250 nothing more is reported, unless the mail bounces. */
export async function sendMail(
  message: OutgoingMessage,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  let mail: ComposedMail | undefined;
  let isWritten = (): boolean => false;
  try {
    const composed = await composeMail(message, channel, context);
    mail = composed;
    const { rejected, rejectedErrors, serverMessageId } = await withRelay(
      (channel.config as SmtpConfig).smtp,
      channel,
      context,
      (relay) => {
        isWritten = relay.isMailWritten;
        return relay.send(composed.envelope, composed.stream);
      },
    );
    // The relay accepted it for the recipients in copy, but not for the main recipient.
    const [refused] = rejected.includes(composed.envelope.to[0] ?? '') ? (rejectedErrors ?? []) : [];
    if (refused) return { ...classifyReply(refused, false), retry: 'never' };
    // Some relays give a mail an id of their own, which replies will contain.
    return { ok: true, vendorId: serverMessageId ?? composed.messageId, status: 'sent' };
  } catch (error) {
    if (error instanceof OutboundError) return failureOf(error);
    if (error instanceof VendorFailure) return failureOfVendor(error);
    const refusals = (error as RelayError).rejectedErrors ?? [];
    // Those of recipients in copy do not matter.
    const refusal = refusals.find(({ recipient }) => recipient === mail?.envelope.to[0]);
    return classifyReply(refusal ?? (error as RelayError), isWritten());
  } finally {
    mail?.discard();
  }
}

const failureOfVendor = (error: VendorFailure): SendResult => ({
  ok: false,
  error: { code: error.code, message: error.message },
  retry: error instanceof CredentialFailure ? 'reauth' : error.isTemporary ? 'backoff' : 'never',
});

/**
 * The result of a failed session. A reply of the relay is final. Without one, a mail that was not completely written was
 * not accepted; for one that was, it is unknown.
 */
function classifyReply(error: RelayError, isWritten: boolean): SendResult & { ok: false } {
  const { responseCode, code = 'relay', message } = error;
  const vendorError = {
    code: responseCode === undefined ? code.toLowerCase() : replyCodeOf(error, responseCode),
    message,
  };
  const failed = { ok: false, error: vendorError } as const;
  // A relay without TLS may offer it again later, or its settings may be fixed meanwhile.
  if (code === 'ETLS') return { ...failed, retry: 'backoff' };
  if (responseCode !== undefined) {
    if (responseCode < 500) return { ...failed, retry: 'backoff' };
    const isAboutLogin = code === 'EAUTH' || responseCode === 530 || responseCode === 535;
    return { ...failed, retry: isAboutLogin ? 'reauth' : 'never' };
  }
  if (code === 'EAUTH') return { ...failed, retry: 'reauth' };
  if (isWritten) return { ...failed, retry: 'unknown' };
  return { ...failed, retry: code === 'EENVELOPE' || code === 'EMESSAGE' ? 'never' : 'backoff' };
}
