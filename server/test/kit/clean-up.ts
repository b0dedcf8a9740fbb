import { onTestFinished, TestRunner } from 'vitest';

type Close = () => unknown;

const closeAfterFile: Close[] = [];

/**
 * Calls `close` when the running test ends or, outside of a test, when its file ends. What was started last is closed
 * first. Every `use…` function of the kit registers its clean-up here, so a test closes something itself only if it must be
 * closed earlier.
 */
export function cleanUp(close: Close): void {
  const test = TestRunner.getCurrentTest();
  // Among concurrent tests it is not known which one runs.
  if (test === undefined || test.concurrent) cleanUpAfterFile(close);
  else
    onTestFinished(async () => {
      await close();
    });
}

/** Calls `close` when the test file ends. */
export const cleanUpAfterFile = (close: Close): void => void closeAfterFile.push(close);

/** Closes everything of a test file. One failure does not keep the rest open. */
export async function closeFile(): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closeAfterFile.splice(0).reverse())
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 1) throw new AggregateError(errors, errors.join('\n'));
  if (errors.length === 1) throw errors[0];
}
