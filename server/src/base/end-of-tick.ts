let turn: Promise<void> | undefined;

/**
 * Gives the value back at the end of this turn of the event loop, together with all others that wait for it. What many
 * do is done in rows by this: reading requests first, then writing answers. In turn they push each other's code out of
 * the processor's caches, which makes a small request cost half as much again.
 */
export function endOfTick<T>(value: T): Promise<T> {
  turn ??= new Promise((resolve) =>
    setImmediate(() => {
      turn = undefined;
      resolve();
    }),
  );
  return turn.then(() => value);
}
