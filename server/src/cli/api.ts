import type { IncomingMessage } from 'node:http';
import { OperatorError } from '../base/errors.ts';
import { version } from '../version.ts';
import type { Target } from './options.ts';
import { reasonOf, type Sent, send, textOf } from './send.ts';

const ANSWER_MS = 15_000;
const ANSWER_BYTES = 1024 * 1024;

/** Asks the server, as whoever has the token. */
export const ask = ({ url, token }: Target, path: string, sent: Omit<Sent, 'method'> & Partial<Sent>) =>
  send(`${url}${path}`, {
    method: 'GET',
    ...sent,
    headers: { authorization: `Bearer ${token}`, 'user-agent': `parley-cli/${version}`, ...sent.headers },
  });

interface Answered<T> {
  data?: T;
  error?: { messageKey: string; message: string; invalidParams?: Record<string, { message: string }> };
}

/** What the API answered; nothing of it where something else did. */
async function answered<T>(answer: IncomingMessage): Promise<Answered<T>> {
  const text = await textOf(answer, ANSWER_BYTES);
  try {
    return (JSON.parse(text) ?? {}) as Answered<T>;
  } catch {
    return {};
  }
}

const mends: Record<string, string> = {
  unauthorized: 'Make a token with POST /v3/tokens and put it into PARLEY_TOKEN.',
  forbidden: 'Make a token that has it with POST /v3/tokens and put it into PARLEY_TOKEN.',
  route_not_found: 'Check --url; the server may also be older than this program.',
};

/** What is wrong and what to do about it, in words for whoever typed the command. */
function refusal({ url }: Target, status: number | undefined, { error }: Answered<unknown>): OperatorError {
  if (typeof error?.messageKey !== 'string')
    return new OperatorError(
      `There is no Parley at ${url}: something else answered (${status}). Check --url, which is the server without /v3.`,
    );
  const issues = Object.entries(error.invalidParams ?? {}).map(
    ([name, { message }]) => `${name}: ${message}`,
  );
  const said = [error.message, ...issues].join('; ').replace(/\.$/, '');
  return new OperatorError(`${said}. ${mends[error.messageKey] ?? ''}`.trim());
}

export const refusalIn = async (target: Target, answer: IncomingMessage): Promise<OperatorError> =>
  refusal(target, answer.statusCode, await answered(answer));

/** The data of an answer; anything else is an error that says what to do. */
export async function call<T>(
  target: Target,
  path: string,
  { body, signal }: { body?: unknown; signal: AbortSignal },
): Promise<T> {
  const sent =
    body === undefined
      ? { headers: {} }
      : {
          method: 'POST' as const,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  const answer = await ask(target, path, { ...sent, signal, silenceMs: ANSWER_MS }).catch((error) => {
    throw new OperatorError(
      `Nobody answers at ${target.url} (${reasonOf(error)}). Start the server with "npm start", or name another with --url.`,
    );
  });
  const result = await answered<T>(answer);
  if (answer.statusCode !== 200 || result.data === undefined)
    throw refusal(target, answer.statusCode, result);
  return result.data;
}
