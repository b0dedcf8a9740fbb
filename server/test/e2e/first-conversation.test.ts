import { beforeAll, it } from 'vitest';
import { expectAnswers, readSteps, walk } from './page.ts';

const steps = await readSteps(new URL('../../../docs/first-conversation.md', import.meta.url));
let printed: string[];
beforeAll(async () => {
  printed = await walk(steps, {});
});

it.each(
  steps.map((step, at) => [`${step.heading} (${at + 1})`, step, at] as const),
)('%s: works as written and answers as shown', (_, step, at) => expectAnswers(step, printed[at] as string));
