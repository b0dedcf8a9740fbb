import type { TenantDatabase, TenantTx } from './tenant.ts';

/** Ends a transaction without an error of its own. */
class Undone extends Error {
  override readonly name = 'Undone';
}

/**
 * Runs `work` in a transaction whose changes are undone, and returns its result: what would happen, found out by the code that
 * does it. Nothing is published and no queue is woken.
 */
export async function simulate<T>(db: TenantDatabase, work: (tx: TenantTx) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    return await db.transaction(async (tx) => {
      result = { value: await work(tx) };
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone) || !result) throw error;
    return result.value;
  }
}
