import type { OutboundResponse } from '../../outbound/exchange.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { OutgoingMessage, SendResult } from '../outgoing-message.ts';
import { failureOf } from '../send-failure.ts';
import { templateText } from '../template-text.ts';
import { basicAuth, type TwilioConfig } from './config.ts';
import { describeError, retryAfterRefusal } from './errors.ts';
import { MESSAGE_ID } from './parse.ts';
import { recipientFor } from './transport.ts';

const DEADLINE_MS = 15_000;
const ANSWER_BYTES = 64 * 1024;

interface Answer {
  sid?: unknown;
  status?: unknown;
  code?: unknown;
  message?: unknown;
  error_code?: unknown;
  error_message?: unknown;
}

/** Sends a message. The callback URL contains our id, so that a status resolves a send whose answer was lost. */
export async function sendThroughTwilio(
  message: OutgoingMessage,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  const config = channel.config as TwilioConfig;
  const callback = `${context.callbackUrl('twilio', channel.id)}?${MESSAGE_ID}=${message.id}`;
  const to = recipientFor(message.to.value, config.from ?? channel.address);
  const form = new URLSearchParams({ To: to, StatusCallback: callback });
  if (config.messagingServiceSid) form.set('MessagingServiceSid', config.messagingServiceSid);
  if (config.from) form.set('From', config.from);
  const text = message.template ? templateText(message.template) : message.text;
  if (text !== null) form.set('Body', text);
  for (const { url } of message.media) form.append('MediaUrl', url);
  try {
    const response = await context.request({
      url: `${config.baseUrl}/2010-04-01/Accounts/${config.accountSid}/Messages.json`,
      method: 'POST',
      headers: {
        authorization: basicAuth(config),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: form.toString(),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: ANSWER_BYTES,
    });
    return resultOf(response);
  } catch (error) {
    return failureOf(error);
  }
}

function resultOf(response: OutboundResponse): SendResult {
  const answer = readAnswer(response);
  if (response.status >= 200 && response.status < 300) {
    if (answer?.error_code) return refusal(String(answer.error_code), answer.error_message, 400);
    if (typeof answer?.sid === 'string')
      return { ok: true, vendorId: answer.sid, status: answer.status === 'sent' ? 'sent' : 'queued' };
    const error = { code: 'answer_unreadable', message: 'The answer of Twilio could not be parsed.' };
    return { ok: false, error, retry: 'unknown' };
  }
  const code = answer?.code === undefined ? `http_${response.status}` : String(answer.code);
  const result = refusal(code, answer?.message, response.status);
  const seconds = Number(response.headers['retry-after']);
  return result.retry === 'backoff' && seconds > 0 ? { ...result, retryAfterMs: seconds * 1000 } : result;
}

function refusal(code: string, text: unknown, status: number): SendResult & { ok: false } {
  const message = typeof text === 'string' && text !== '' ? text : describeError(code);
  return { ok: false, error: { code, message }, retry: retryAfterRefusal(code, status) };
}

function readAnswer({ body }: OutboundResponse): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
