import type { CommandContext } from '../../src/cli/options.ts';

type Command = (args: string[], context: CommandContext) => Promise<void>;

/** Runs a command within this process and returns the lines of its result. */
export async function runCommand(
  command: Command,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const lines: string[] = [];
  await command(args, {
    env,
    say: (line) => void lines.push(line),
    note: () => {},
    write: async (part) => void lines.push(String(part)),
    signal: new AbortController().signal,
  });
  return lines;
}
