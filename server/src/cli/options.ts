import { type ParseArgsConfig, parseArgs } from 'node:util';
import { OperatorError } from '../base/errors.ts';

/** The server, and the token of the user. */
export interface Target {
  url: string;
  token: string;
  /** Whether the token is the operator's. */
  isOperator?: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

export const targetFlags = {
  url: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const urlHelp = `  --url URL            the server; default: the variable PARLEY_URL, or ${DEFAULT_URL}`;
export const targetHelp = `${urlHelp}
  --token TOKEN        an access token; better in the variable PARLEY_TOKEN, where other users do not see it`;

/** The flags of commands whose result programs may read. */
export const resultFlags = { ...targetFlags, json: { type: 'boolean' } } as const;
export const resultHelp = `${targetHelp}
  --json               print the result as JSON`;

/** The exit code of a program that Ctrl-C has ended. */
export const STOPPED = 130;

/** The command was not written as it should be. The program ends with 2. */
export class UsageError extends OperatorError {}

/** What a command gets from the process. */
export interface CommandContext {
  env: NodeJS.ProcessEnv;
  /** Prints a line of the result. */
  say(line: string): void;
  /** Prints a line for the person at the terminal, which is no part of the result. */
  note(line: string): void;
  /** Prints a part of the result; resolves when the reader can take more. */
  write(part: Uint8Array | string): Promise<void>;
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
    throw new UsageError(`${(error as Error).message}. Try: parley ${command} --help`);
  }
}

export function refuseArguments(command: string, [unexpected]: readonly string[]): void {
  if (unexpected !== undefined)
    throw new UsageError(`Unexpected argument "${unexpected}". Try: parley ${command} --help`);
}

/** The one argument of a command. */
export function requireArgument(command: string, name: string, [given, ...more]: readonly string[]): string {
  if (!given) throw new UsageError(`${name} is missing. Try: parley ${command} --help`);
  refuseArguments(command, more);
  return given;
}

export function readTarget(
  values: { url?: string | undefined; token?: string | undefined },
  env: NodeJS.ProcessEnv,
): Target {
  const token = values.token || env.PARLEY_TOKEN;
  if (!token)
    throw new OperatorError(
      'An access token is required. Put the one that the first start of the server printed, or one from POST /v3/tokens, into the variable PARLEY_TOKEN, or give it with --token.',
    );
  if (/[^\x21-\x7e]/.test(token))
    throw new OperatorError('The access token is invalid: it contains spaces or line breaks. Copy it again.');
  const [source, url] = values.url ? ['--url', values.url] : ['PARLEY_URL', env.PARLEY_URL || DEFAULT_URL];
  return { url: readUrl(source, url), token };
}

/** An http(s) URL without a slash at its end. */
export function readUrl(source: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${source} must be a URL such as http://127.0.0.1:3000, not "${text}".`);
  return text.replace(/\/+$/, '');
}
