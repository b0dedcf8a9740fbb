import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type Program, startProgram } from '../kit/program.ts';

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
  const parley: Program = await startProgram(env);
  const folder = await mkdtemp(join(tmpdir(), 'parley-page-'));
  try {
    const token = /^TOKEN=(\S+)$/m.exec(parley.output())?.[1] as string;
    // With -e it stops at the first command that fails.
    const script = steps.map(({ commands }) => `${commands}\necho '${SEPARATOR}'\n`).join('');
    const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
      cwd: folder,
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, URL: parley.url, TOKEN: token },
    });
    return stdout.split(`${SEPARATOR}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
    expect(await parley.stop()).toBe(0);
  }
}

/** The page shows a part of the response; `…` stands for any string. */
function expectShown(shown: unknown, came: unknown, where: string): void {
  if (shown === '…') expect(came, where).toEqual(expect.any(String));
  else if (Array.isArray(shown)) {
    expect(came, where).toHaveLength(shown.length);
    for (const [at, item] of shown.entries()) expectShown(item, (came as unknown[])[at], `${where}.${at}`);
  } else if (typeof shown === 'object' && shown !== null)
    for (const [name, item] of Object.entries(shown))
      expectShown(item, (came as Record<string, unknown>)?.[name], `${where}.${name}`);
  else expect(came, where).toEqual(shown);
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
