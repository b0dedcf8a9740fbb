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
    if (deadline.aborted) throw noAnswer(target, `no answer for ${answerMs / 1000} s`);
    throw error instanceof ParleyError ? operatorError(target, error) : error;
  }
}

const advice: Record<string, string> = {
  unauthorized: 'Create a token with POST /v3/tokens and put it into PARLEY_TOKEN.',
  forbidden: 'Create a token that has it with POST /v3/tokens and put it into PARLEY_TOKEN.',
  route_not_found: 'Check --url; the server may also be older than this program.',
};

const noAnswer = ({ url }: Target, reason: string): OperatorError =>
  new OperatorError(
    `No server answers at ${url} (${reason}). Start the server with "npm start", or name another with --url.`,
  );

/** The error for the user: what is wrong and what to do. */
export function operatorError(target: Target, error: ParleyError): OperatorError {
  const { messageKey, message, status, retryAfter } = error;
  if (messageKey === 'connection_failed') return noAnswer(target, reasonOf(error));
  if (messageKey === 'unexpected_answer')
    return new OperatorError(
      `There is no Parley at ${target.url}: something else answered (${status}). Check --url, which is the server without /v3.`,
    );
  const later = retryAfter === undefined ? '' : `Try again in ${Math.ceil(retryAfter)} s.`;
  return new OperatorError(`${message.replace(/\.$/, '')}. ${advice[messageKey] ?? later}`.trim(), {
    cause: error,
  });
}

/** The key of the API error that an error for the user stands for. */
export const keyOf = (error: unknown): string | undefined =>
  error instanceof OperatorError && error.cause instanceof ParleyError ? error.cause.messageKey : undefined;
