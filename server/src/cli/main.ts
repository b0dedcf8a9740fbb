import { OperatorError } from '../base/errors.ts';
import { listen } from './listen.ts';
import { loginLink } from './login-link.ts';
import type { CommandContext } from './options.ts';
import { release } from './release.ts';
import { token } from './token.ts';
import { trigger } from './trigger.ts';

const commands: Record<string, (args: string[], context: CommandContext) => Promise<void>> = {
  listen,
  'login-link': loginLink,
  release,
  token,
  trigger,
};

/**
 * The commands that talk to a running server. They are a separate program (bin/parley.js), so that they start fast and
 * open neither a port nor a database.
 */
export async function main([name = '', ...args]: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // The reader of our output, such as `head`, may close it.
  process.stdout.on('error', () => process.exit(0));
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    await commands[name]?.(args, { env, say, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) return;
    process.stderr.write(
      error instanceof OperatorError ? `parley: ${error.message}\n` : `${(error as Error).stack}\n`,
    );
    process.exitCode = 1;
  }
}
