import type { IncomingMessage } from 'node:http';
import { OperatorError } from '../base/errors.ts';
import { version } from '../version.ts';
import type { Target } from './options.ts';
import { reasonOf, type SendOptions, send, textOf } from './send.ts';

const ANSWER_MS = 15_000;
const ANSWER_BYTES = 1024 * 1024;

/** Sends a request to the server with the user's token. */
export const callServer = (
  { url, token }: Target,
  path: string,
  options: Omit<SendOptions, 'method'> & Partial<SendOptions>,
) =>
  send(`${url}${path}`, {
    method: 'GET',
    ...options,
    headers: { authorization: `Bearer ${token}`, 'user-agent': `parley-cli/${version}`, ...options.headers },
  });

interface Answer<T> {
  data?: T;
  error?: { messageKey: string; message: string; invalidParams?: Record<string, { message: string }> };
}

/** The answer of the API; empty if something else answered. */
async function readAnswer<T>(response: IncomingMessage): Promise<Answer<T>> {
  const text = await textOf(response, ANSWER_BYTES);
  try {
    return (JSON.parse(text) ?? {}) as Answer<T>;
  } catch {
    return {};
  }
}

const advice: Record<string, string> = {
  unauthorized: 'Create a token with POST /v3/tokens and put it into PARLEY_TOKEN.',
  forbidden: 'Create a token that has it with POST /v3/tokens and put it into PARLEY_TOKEN.',
  route_not_found: 'Check --url; the server may also be older than this program.',
};

/** The error for the user: what is wrong and what to do. */
function operatorError(
  { url }: Target,
  status: number | undefined,
  { error }: Answer<unknown>,
): OperatorError {
  if (typeof error?.messageKey !== 'string')
    return new OperatorError(
      `There is no Parley at ${url}: something else answered (${status}). Check --url, which is the server without /v3.`,
    );
  const issues = Object.entries(error.invalidParams ?? {}).map(
    ([name, { message }]) => `${name}: ${message}`,
  );
  const text = [error.message, ...issues].join('; ').replace(/\.$/, '');
  return new OperatorError(`${text}. ${advice[error.messageKey] ?? ''}`.trim());
}

export const errorIn = async (target: Target, response: IncomingMessage): Promise<OperatorError> =>
  operatorError(target, response.statusCode, await readAnswer(response));

/** Calls the API and returns the data of its answer; other answers are errors that say what to do. */
export async function call<T>(
  target: Target,
  path: string,
  { body, signal }: { body?: unknown; signal: AbortSignal },
): Promise<T> {
  const options =
    body === undefined
      ? { headers: {} }
      : {
          method: 'POST' as const,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  const response = await callServer(target, path, { ...options, signal, idleTimeoutMs: ANSWER_MS }).catch(
    (error) => {
      throw new OperatorError(
        `No server answers at ${target.url} (${reasonOf(error)}). Start the server with "npm start", or name another with --url.`,
      );
    },
  );
  const answer = await readAnswer<T>(response);
  if (response.statusCode !== 200 || answer.data === undefined)
    throw operatorError(target, response.statusCode, answer);
  return answer.data;
}
