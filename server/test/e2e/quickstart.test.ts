import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { v2Operations, v3Operations } from '../conformance/operations.ts';
import { type Program, startProgram } from '../kit/program.ts';

const PAGE = new URL('../../../docs/quickstart.md', import.meta.url);

/** Commands of the page, with the answer that it shows to the last of them. */
interface Step {
  heading: string;
  commands: string;
  shown: unknown;
}

function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  let heading = '';
  for (const [, title, language, content = ''] of page.matchAll(/^#+ (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title) heading = title;
    if (language === 'sh') steps.push({ heading, commands: content, shown: undefined });
    if (language === 'json') (steps.at(-1) as Step).shown = JSON.parse(content);
  }
  return steps;
}

const steps = stepsOf(await readFile(PAGE, 'utf8'));
const MARK = '--- a step of the quickstart is done ---';
let parley: Program;
let folder: string;
let printed: string[];

beforeAll(async () => {
  parley = await startProgram({ PARLEY_V2_SUNSET: 'never' });
  folder = await mkdtemp(join(tmpdir(), 'parley-quickstart-'));
  const token = /^TOKEN=(\S+)$/m.exec(parley.output())?.[1] as string;
  // One shell for all of them, as a reader has one terminal; it ends at the first command that fails.
  const script = steps.map(({ commands }) => `${commands}\necho '${MARK}'\n`).join('');
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, URL: parley.url, TOKEN: token },
  });
  printed = stdout.split(`${MARK}\n`);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  expect(await parley.stop()).toBe(0);
});

const isAnswer = (line: string): boolean => line.startsWith('{');

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

it.each(
  steps.map((step, at) => [step.heading, step, at] as const),
)('%s: works as written and answers as shown', (_, { shown }, at) => {
  const answers = (printed[at] as string)
    .split('\n')
    .filter(isAnswer)
    .map((line) => JSON.parse(line));
  for (const answer of answers) expect(answer).toMatchObject({ success: true });
  if (shown !== undefined) expectShown(shown, answers.at(-1), 'answer');
});

it('leads to the bytes of the uploaded file', () => {
  expect(printed).toContain('Thank you for your order.\n');
});

it.each([...v3Operations, ...v2Operations].map(({ name }) => name))('has %s', (name) => {
  const [method, path = ''] = name.split(' ');
  const call = new RegExp(`^call ${method} ${path.replaceAll(/\{\w+\}/g, String.raw`\$[A-Z_]+`)}( |$)`, 'm');
  expect(steps.some(({ commands }) => call.test(commands))).toBe(true);
});
