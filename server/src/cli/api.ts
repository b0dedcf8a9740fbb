import { type CallOptions, type Client, createClient, ParleyError } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { version } from '../version.ts';
import type { Target } from './options.ts';
import { reasonOf } from './send.ts';

const ANSWER_MS = 15_000;

/** A client without retries: who waits at a terminal wants to know at once. */
export const clientOf = ({ url, token }: Target): Client =>
  createClient({ baseUrl: url, token, headers: { 'user-agent': `parley-cli/${version}` }, retries: 0 });

/** Calls the API. Errors say what to do. */
export async function ask<T>(
  target: Target,
  signal: AbortSignal,
  call: (client: Client, options: CallOptions) => Promise<T>,
  answerMs = ANSWER_MS,
): Promise<T> {
  const deadline = AbortSignal.timeout(answerMs);
  try {
    return await call(clientOf(target), { signal: AbortSignal.any([signal, deadline]) });
  } catch (error) {
    if (deadline.aborted) throw lostAnswer(target, `no answer for ${answerMs / 1000} s`);
    throw error instanceof ParleyError ? operatorError(target, error) : error;
  }
}

const advice: Record<string, string> = {
  unauthorized: 'Create a token with POST /v3/tokens and put it into PARLEY_TOKEN.',
  forbidden: 'Create a token that has it with POST /v3/tokens and put it into PARLEY_TOKEN.',
  route_not_found: 'Check --url; the server may also be older than this program.',
};

const operatorAdvice: Record<string, string> = {
  ...advice,
  unauthorized: "Check PARLEY_ADMIN_TOKEN, or name the server's data folder with --data-dir.",
};

/** The connection broke after the request was sent. */
const BROKEN = ['UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ECONNRESET', 'EPIPE'];
/** What a proxy answers for a server that does not. */
const OF_PROXIES = [502, 503, 504];

const lostAnswer = ({ url }: Target, reason: string): OperatorError =>
  new OperatorError(
    `The server at ${url} did not answer to the end (${reason}). If the command changes something, look whether it did; then try again.`,
  );

/** The error for an answer that is not Parley's. */
export const notParley = ({ url }: Target, status: number | undefined): OperatorError =>
  new OperatorError(
    status !== undefined && OF_PROXIES.includes(status)
      ? `A proxy at ${url} answers that it does not reach the server (${status}). Start the server with "npm start", or name another with --url.`
      : `There is no Parley at ${url}: something else answered (${status}). Check --url, which is the server without /v3.`,
  );

const noAnswer = ({ url }: Target, reason: string): OperatorError =>
  new OperatorError(
    `No server answers at ${url} (${reason}). Start the server with "npm start", or name another with --url.`,
  );

/** The error for the user: what is wrong and what to do. */
export function operatorError(target: Target, error: ParleyError): OperatorError {
  const { messageKey, message, status, retryAfter } = error;
  const reason = reasonOf(error);
  if (messageKey === 'connection_failed')
    return BROKEN.includes(reason) ? lostAnswer(target, reason) : noAnswer(target, reason);
  if (messageKey === 'unexpected_answer') return notParley(target, status);
  const texts = target.isOperator ? operatorAdvice : advice;
  const later = retryAfter === undefined ? '' : `Try again in ${Math.ceil(retryAfter)} s.`;
  return new OperatorError(`${message.replace(/\.$/, '')}. ${texts[messageKey] ?? later}`.trim(), {
    cause: error,
  });
}

/** The key of the API error that an error for the user stands for. */
export const keyOf = (error: unknown): string | undefined =>
  error instanceof OperatorError && error.cause instanceof ParleyError ? error.cause.messageKey : undefined;
