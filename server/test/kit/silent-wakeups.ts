import type { Notifier, WakeUps } from '../../src/engine/wakeups.ts';

/** Wake-ups that reach nobody: the tests scan for what is due. */
export const silentWakeUps: WakeUps & Notifier = {
  wake: () => {},
  follow: () => undefined,
  attach: () => {},
  notify: () => {},
  subscribe: () => {},
  relay: () => {},
  close: async () => {},
};
