import { beforeAll, expect, it } from 'vitest';
import { v2Operations, v3Operations } from '../conformance/operations.ts';
import { expectAnswers, readSteps, runSteps } from './page.ts';

const steps = await readSteps(new URL('../../../docs/use/quickstart.md', import.meta.url));
let printed: string[];
beforeAll(async () => {
  printed = await runSteps(steps, { PARLEY_V2_SUNSET: 'never' });
});

it.each(
  steps.map((step, at) => [step.heading, step, at] as const),
)('%s: works as written and responds as shown', (_, step, at) => expectAnswers(step, printed[at] as string));

it('returns the bytes of the uploaded file', () => {
  expect(printed).toContain('Thank you for your order.\n');
});

it.each([...v3Operations, ...v2Operations].map(({ name }) => name))('calls %s', (name) => {
  const [method, path = ''] = name.split(' ');
  const call = new RegExp(`^call ${method} ${path.replaceAll(/\{\w+\}/g, String.raw`\$[A-Z_]+`)}( |$)`, 'm');
  expect(steps.some(({ commands }) => call.test(commands))).toBe(true);
});
