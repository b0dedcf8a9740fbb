import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { useConsole, waitForShell } from '../kit/console.ts';
import { CLIENT_ID, CLIENT_SECRET, useIssuer } from '../kit/issuer.ts';

describe.runIf(CHROMIUM)('logging in to the console over an identity provider', () => {
  it('accepts an invitation, leads back to the same place, and says why somebody else is refused', async () => {
    const issuer = await useIssuer();
    const test = await useConsole({
      PARLEY_OIDC_ISSUER: issuer.url,
      PARLEY_OIDC_CLIENT_ID: CLIENT_ID,
      PARLEY_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      PARLEY_PASSWORD_LOGIN: 'off',
    });
    const user = await test.api('POST', '/v3/users', {
      name: 'Grace',
      email: 'grace@example.com',
      role: 'agent',
    });
    await test.api('POST', `/v3/users/${user.id}/invitation`);

    /** Presses the button, and comes back as somebody from the page of the provider. */
    async function logInAs(email: string) {
      const { page, open } = await test.newPage();
      issuer.letIn({ sub: email, email, email_verified: true });
      await open('/profile?tab=z');
      const button = page.getByRole('button', { name: 'Log in with your organisation' });
      await button.waitFor();
      expect(await page.getByLabel('Password').count()).toBe(0);
      await button.click();
      return page;
    }

    const invited = await logInAs('grace@example.com');
    await waitForShell(invited);
    await invited.waitForURL('**/console/profile?tab=z');
    await invited.getByText('You log in with the account of your organisation').waitFor();

    const unknown = await logInAs('eve@example.com');
    await unknown.getByRole('heading', { name: 'Your organisation did not let you in' }).waitFor();
    await unknown.getByRole('alert').getByText('Nobody has invited you').waitFor();
    await unknown.getByRole('link', { name: 'Go to the login' }).click();
    await unknown.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
  });
});
