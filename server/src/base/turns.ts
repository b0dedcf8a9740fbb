import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a loop over many items may hold the event loop. */
const MAX_TURN_MS = 10;

/**
 * Returns a function to await between the items of a long loop. It lets other work of the event loop go first whenever the
 * loop has held it for 10 ms.
 */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MAX_TURN_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
