/** The contacts whose runs are being executed, each with the end of what was started last. */
export type ContactTurns = Map<string, Promise<unknown>>;

/**
 * Does work for contacts after everything that was started before for any of them. Several batches of an automation run at
 * the same time: without this, the run that was triggered second may send its message first.
 */
export async function inTurn<T>(
  turns: ContactTurns,
  contactIds: string[],
  work: () => Promise<T>,
): Promise<T> {
  const before = contactIds.flatMap((id) => turns.get(id) ?? []);
  const working = before.length === 0 ? work() : Promise.all(before).then(work);
  const ended = working.catch(() => {});
  for (const id of contactIds) turns.set(id, ended);
  try {
    return await working;
  } finally {
    for (const id of contactIds) if (turns.get(id) === ended) turns.delete(id);
  }
}
