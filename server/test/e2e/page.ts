import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { useProgram } from '../kit/program.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

/** A block of commands of a page, with the response that the page shows for the last of them. */
export interface Step {
  heading: string;
  commands: string;
  shown: unknown;
}

export async function readSteps(page: URL): Promise<Step[]> {
  const steps: Step[] = [];
  let heading = '';
  const text = await readFile(page, 'utf8');
  for (const [, title, language, content = ''] of text.matchAll(/^#+ (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title) heading = title;
    if (language === 'sh') steps.push({ heading, commands: content, shown: undefined });
    if (language === 'json') (steps.at(-1) as Step).shown = JSON.parse(content);
  }
  return steps;
}

const SEPARATOR = '--- end of a step ---';

/** Runs all commands of a page in one shell and returns the output of each step. */
export async function runSteps(steps: Step[], env: Record<string, string>): Promise<string[]> {
  const parley = await useProgram(env);
  const token = /^TOKEN=(\S+)$/m.exec(parley.output())?.[1] as string;
  // With -e it stops at the first command that fails.
  const script = steps.map(({ commands }) => `${commands}\necho '${SEPARATOR}'\n`).join('');
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    cwd: await useTempFolder(),
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, URL: parley.url, TOKEN: token },
  });
  return stdout.split(`${SEPARATOR}\n`);
}

/** The page shows a part of the response; `…` stands for any string. */
function expectShown(shown: unknown, answer: unknown, path: string): void {
  if (shown === '…') expect(answer, path).toEqual(expect.any(String));
  else if (Array.isArray(shown)) {
    expect(answer, path).toHaveLength(shown.length);
    for (const [index, item] of shown.entries())
      expectShown(item, (answer as unknown[])[index], `${path}.${index}`);
  } else if (typeof shown === 'object' && shown !== null)
    for (const [name, item] of Object.entries(shown))
      expectShown(item, (answer as Record<string, unknown>)?.[name], `${path}.${name}`);
  else expect(answer, path).toEqual(shown);
}

/** Every response is a success, except the last if the page shows an error. The last one matches the page. */
export function expectAnswers({ shown }: Step, printed: string): void {
  const answers = printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const refused = (shown as { success?: boolean } | undefined)?.success === false;
  for (const answer of refused ? answers.slice(0, -1) : answers)
    expect(answer).toMatchObject({ success: true });
  if (shown !== undefined) expectShown(shown, answers.at(-1), 'answer');
}
