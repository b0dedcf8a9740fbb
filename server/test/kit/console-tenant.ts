import type { BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import { type ConsolePage, type TestConsole, waitForShell } from './console.ts';
import { PASSWORD } from './people.ts';

export const ADMIN_TOKEN = 'operator-token-for-tests-0123456789abcdef';

export interface ConsoleTenant extends ConsolePage {
  id: string;
  /** Calls the API with a token that may do everything in this tenant, and returns the data. */
  api: TestConsole['api'];
}

/** A tenant of its own, whose owner has logged in. The console was started with `PARLEY_ADMIN_TOKEN: ADMIN_TOKEN`. */
export async function createConsoleTenant(
  test: TestConsole,
  body: { name: string; isTest: boolean },
  options: BrowserContextOptions = {},
): Promise<ConsoleTenant> {
  const callWith =
    (token: string): TestConsole['api'] =>
    async (method, path, given) => {
      const response = await fetch(`${test.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(given === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(given === undefined ? {} : { body: JSON.stringify(given) }),
      });
      const text = await response.text();
      expect(response.status, `${method} ${path}: ${text}`).toBe(200);
      return JSON.parse(text).data;
    };
  const operator = callWith(ADMIN_TOKEN);
  const { id } = await operator('POST', '/admin/tenants', body);
  const { token } = await operator('POST', `/admin/tenants/${id}/tokens`, { name: body.name, scopes: ['*'] });
  const api = callWith(token);
  const user = await api('POST', '/v3/users', { name: 'Owner', email: `${id}@example.com`, role: 'owner' });
  const { url } = await api('POST', `/v3/users/${user.id}/invitation`);
  const made = await test.newPage(options);
  await made.page.goto(url.replace(/^.*\/console/, `${test.url}/console`));
  await made.page.getByLabel('Password').fill(PASSWORD);
  await made.page.getByRole('button', { name: 'Create account' }).click();
  await waitForShell(made.page);
  return { ...made, id, api };
}
