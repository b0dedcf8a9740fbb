import type { WakeUps } from '../../src/engine/wakeups.ts';

/** Hints that reach nobody: what is due is found by whoever looks for it. */
export const silentWakeUps: WakeUps = {
  give: () => {},
  attach: () => {},
  close: async () => {},
};
