import { type ParseArgsConfig, parseArgs } from 'node:util';
import { OperatorError } from '../base/errors.ts';

/** The server, and the token of the user. */
export interface Target {
  url: string;
  token: string;
}

export const targetFlags = {
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const targetHelp = `  --url URL            the server (default ${targetFlags.url.default})
  --token TOKEN        an access token; better in the variable PARLEY_TOKEN, where other users do not see it`;

/** What a command gets from the process. */
export interface CommandContext {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  /** Aborted when the user wants to stop. */
  signal: AbortSignal;
}

/** Reads the flags of a command; a wrong one is an error for the user. */
export function readFlags<const O extends NonNullable<ParseArgsConfig['options']>>(
  command: string,
  args: string[],
  options: O,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}. Try: parley ${command} --help`);
  }
}

export function readTarget(
  values: { url: string; token?: string | undefined },
  env: NodeJS.ProcessEnv,
): Target {
  const token = values.token || env.PARLEY_TOKEN;
  if (!token)
    throw new OperatorError(
      'An access token is required. Put the one that the first start of the server printed, or one from POST /v3/tokens, into the variable PARLEY_TOKEN, or give it with --token.',
    );
  if (/[^\x21-\x7e]/.test(token))
    throw new OperatorError('The access token is invalid: it contains spaces or line breaks. Copy it again.');
  return { url: readUrl('--url', values.url), token };
}

/** An http(s) URL without a slash at its end. */
export function readUrl(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OperatorError(`${flag} must be a URL such as http://127.0.0.1:3000, not "${text}".`);
  return text.replace(/\/+$/, '');
}
