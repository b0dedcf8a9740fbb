import type { Clock } from '../../src/base/clock.ts';
import type { TenantHooks } from '../../src/db/tenant.ts';
import { publishEvents } from '../../src/engine/outbox.ts';

/** Transactions of a database that a test opens itself: by the test's clock, and without wake-ups. */
export const testHooks = ({ now }: Pick<Clock, 'now'>): TenantHooks => ({
  now,
  fileUrl: ({ id }) => `https://parley.test/${id}`,
  publish: publishEvents,
  wake: () => {},
});
