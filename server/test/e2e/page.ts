import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type Program, startProgram } from '../kit/program.ts';

/** Commands of a page, with the answer that it shows to the last of them. */
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

const MARK = '--- a step of the page is done ---';

/** Pastes all that a page says into one shell, as a reader has one terminal, and gives what each step printed. */
export async function walk(steps: Step[], env: Record<string, string>): Promise<string[]> {
  const parley: Program = await startProgram(env);
  const folder = await mkdtemp(join(tmpdir(), 'parley-page-'));
  try {
    const token = /^TOKEN=(\S+)$/m.exec(parley.output())?.[1] as string;
    // It ends at the first command that fails.
    const script = steps.map(({ commands }) => `${commands}\necho '${MARK}'\n`).join('');
    const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
      cwd: folder,
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, URL: parley.url, TOKEN: token },
    });
    return stdout.split(`${MARK}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
    expect(await parley.stop()).toBe(0);
  }
}

/** What the page shows is a part of what came; `…` stands for anything. */
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

/** Every answer is a success, unless the page shows that the last one is none, and the last is as the page shows it. */
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
