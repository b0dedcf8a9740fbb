import { ApiError } from './errors.ts';

interface Waiting<Asked, Answer> {
  asked: Asked;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

interface BatchOptions {
  /** How many questions go together at most. */
  maxBatch: number;
  /** While so many are under way, the next ones gather. */
  underWay: number;
}

const isOutOfReach = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'service_unavailable';

/**
 * Questions that come at about the same time are asked together: `ask` gets several and answers each in its place. One
 * that is alone waits for nothing but the end of this turn of the event loop. Where asking together fails each is asked
 * alone, so that a bad one fails alone.
 */
export function batch<Asked, Answer>(
  ask: (asked: Asked[]) => Promise<Answer[]>,
  options: BatchOptions,
): (asked: Asked) => Promise<Answer> {
  const waiting: Waiting<Asked, Answer>[] = [];
  let underWay = 0;
  let isDue = false;

  async function answer(batch: Waiting<Asked, Answer>[]): Promise<void> {
    try {
      const answers = await ask(batch.map(({ asked }) => asked));
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer);
    } catch (error) {
      if (batch.length > 1 && !isOutOfReach(error)) for (const one of batch) await answer([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function run(batch: Waiting<Asked, Answer>[]): Promise<void> {
    underWay += 1;
    await answer(batch);
    underWay -= 1;
    runSoon();
  }

  function runWaiting(): void {
    isDue = false;
    while (waiting.length > 0 && underWay < options.underWay) void run(waiting.splice(0, options.maxBatch));
  }

  function runSoon(): void {
    if (isDue || waiting.length === 0 || underWay >= options.underWay) return;
    isDue = true;
    setImmediate(runWaiting);
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject });
      runSoon();
    });
}
