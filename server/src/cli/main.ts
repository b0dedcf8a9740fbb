import { OperatorError } from '../base/errors.ts';
import { version } from '../version.ts';
import { automationsDryRun } from './automations-dry-run.ts';
import { automationsExplain } from './automations-explain.ts';
import { campaignsPreview } from './campaigns-preview.ts';
import { contactsImport } from './contacts-import.ts';
import { chatsExport, contactsExport } from './export.ts';
import { listen } from './listen.ts';
import { loginLink } from './login-link.ts';
import { mcp } from './mcp.ts';
import { type CommandContext, STOPPED, UsageError } from './options.ts';
import { release } from './release.ts';
import { plain } from './text.ts';
import { token } from './token.ts';
import { trace } from './trace.ts';
import { trigger } from './trigger.ts';

type Command = (args: string[], context: CommandContext) => Promise<void>;

/** A command of two words, such as `parley contacts import`. */
function commandGroup(name: string, members: Record<string, Command>): Command {
  const names = Object.keys(members).map((member) => `parley ${name} ${member}`);
  return async ([member = '', ...args], context) => {
    if (Object.hasOwn(members, member)) return members[member]?.(args, context);
    if (member === '--help' || member === '-h')
      return context.say(names.map((command) => `${command} --help`).join('\n'));
    throw new UsageError(
      `${member ? `There is no "parley ${name} ${member}"` : 'A command is missing'}. There is ${names.join(', ')}.`,
    );
  };
}

const commands: Record<string, Command> = {
  automations: commandGroup('automations', { 'dry-run': automationsDryRun, explain: automationsExplain }),
  campaigns: commandGroup('campaigns', { preview: campaignsPreview }),
  chats: commandGroup('chats', { export: chatsExport }),
  contacts: commandGroup('contacts', { import: contactsImport, export: contactsExport }),
  listen,
  'login-link': loginLink,
  mcp,
  release,
  token,
  trace,
  trigger,
};

const FAILED = 1;
const WRONG_USAGE = 2;

/** The reader of our output, such as `head`, may close it. Otherwise something is lost, for example because the disk is full. */
function endWithOutput({ code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`parley: The output cannot be written (${code ?? message}), and is incomplete.\n`);
  process.exit(FAILED);
}

/** An error that nobody has thought of. */
const describeDefect = (error: unknown, { LOG_LEVEL }: NodeJS.ProcessEnv): string =>
  LOG_LEVEL === 'debug' && error instanceof Error
    ? `${error.stack}\n`
    : `parley: Something went wrong that should not (${plain(String(error))}). Check that the server has the version ${version}, too; if so, please report it with what LOG_LEVEL=debug prints.\n`;

/**
 * The commands that talk to a running server. They are a separate program (bin/parley.js), so that they start fast and
 * open neither a port nor a database.
 */
export async function main([name = '', ...args]: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithOutput);
  const context: CommandContext = {
    env,
    say: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    write: (part) => new Promise((resolve) => void process.stdout.write(part, () => resolve())),
    signal: stop.signal,
  };
  try {
    await commands[name]?.(args, context);
  } catch (error) {
    if (stop.signal.aborted) {
      process.exitCode ??= STOPPED;
      return;
    }
    process.stderr.write(
      error instanceof OperatorError ? `parley: ${plain(error.message)}\n` : describeDefect(error, env),
    );
    process.exitCode = error instanceof UsageError ? WRONG_USAGE : FAILED;
  }
}
