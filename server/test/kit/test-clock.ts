import { expect } from 'vitest';
import type { TestServer, TestTenant } from './server.ts';

/** Advances the clock of a test tenant and returns its new time. */
export async function advance(
  tenant: TestTenant,
  where: { to?: string | Date; by?: string },
): Promise<string> {
  const answer = await tenant.post('/v3/clock/advance', where);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data.now;
}

/** Waits until everything that is due now is done. */
export const settled = (tenant: TestTenant): Promise<string> => advance(tenant, { by: 'PT0S' });

export const testTenant = (server: TestServer): Promise<TestTenant> => server.tenant({ isTest: true });

/** An SMS channel of the sandbox. It has no customer service window, so messages can be sent at any time. */
export async function smsChannel(tenant: TestTenant, config: object = {}): Promise<{ id: string }> {
  const made = await tenant.post('/v3/channels', {
    kind: 'sms',
    provider: 'sandbox',
    name: 'Test',
    address: '+15550009999',
    config,
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  return made.body.data;
}
