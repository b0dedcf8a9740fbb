import { beforeAll, it } from 'vitest';
import { expectAnswers, readSteps, runSteps } from './page.ts';

const steps = await readSteps(new URL('../../../docs/use/first-conversation.md', import.meta.url));
let printed: string[];
beforeAll(async () => {
  printed = await runSteps(steps, {});
});

it.each(
  steps.map((step, at) => [`${step.heading} (${at + 1})`, step, at] as const),
)('%s: works as written and responds as shown', (_, step, at) => expectAnswers(step, printed[at] as string));
