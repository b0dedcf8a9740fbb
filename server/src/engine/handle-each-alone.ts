import { isServerTrouble } from '../db/errors.ts';
import type { Outcome } from './scheduler.ts';

/**
 * Handles rows as one batch and, if that fails, each row separately, so that one bad row does not fail the others. If the
 * database cannot be reached, or the machine lacks disk or memory, the error is thrown and no row counts as failed.
 */
export async function handleEachAlone<Row>(
  rows: readonly Row[],
  handle: (rows: Row[]) => Promise<void>,
  fail: (row: Row, error: unknown) => Promise<void>,
): Promise<Outcome> {
  let isFailing = false;
  const tryRows = async (some: Row[]): Promise<void> => {
    try {
      await handle(some);
    } catch (error) {
      if (isServerTrouble(error)) throw error;
      const [first] = some;
      if (some.length > 1) for (const row of some) await tryRows([row]);
      else if (first !== undefined) {
        isFailing = true;
        await fail(first, error);
      }
    }
  };
  await tryRows([...rows]);
  return isFailing ? 'failing' : 'ok';
}
