import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { twilioSignature } from '../../src/providers/twilio/signature.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { ACCOUNT, TOKEN } from '../kit/twilio.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

const actionsFor = (page: Page, name: string) => page.getByRole('button', { name: `Actions for ${name}` });

describe.runIf(CHROMIUM)('the channels', () => {
  let test: TestConsole;
  let twilioId: string;
  beforeAll(async () => {
    test = await useConsole();
    const channel = await test.api('POST', '/v3/channels', {
      kind: 'sms',
      provider: 'twilio',
      name: 'Twilio number',
      address: '+15550008181',
      config: { accountSid: ACCOUNT, authToken: TOKEN, from: '+15550008181' },
    });
    twilioId = channel.id;
    const url = `${test.url}/providers/twilio/${twilioId}`;
    const form = new URLSearchParams({ MessageSid: `SM${'0'.repeat(32)}`, Body: 'without a sender' });
    const posted = await fetch(url, {
      method: 'POST',
      headers: { 'x-twilio-signature': twilioSignature(url, form, TOKEN) },
      body: form,
    });
    expect(posted.status).toBe(200);
  });

  it('a sandbox takes two clicks; it is checked, renamed, and deleted with its name typed', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/channels');
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByRole('menuitem', { name: 'Sandbox: SMS' }).click();
    await actionsFor(page, 'Sandbox SMS').click();
    await page.getByRole('menuitem', { name: 'Check now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Everything works').waitFor();
    await page.keyboard.press('Escape');
    await actionsFor(page, 'Sandbox SMS').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Texts');
    await page.keyboard.press('Enter');
    await actionsFor(page, 'Texts').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const button = dialog.getByRole('button', { name: 'Delete' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Type "Texts" to confirm').fill('Texts');
    await button.click();
    await actionsFor(page, 'Texts').waitFor({ state: 'detached' });
    expectNoProblems();
  });

  it('a vendor’s form shows issues at their fields, then what to do at the vendor; secrets are never shown again', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/channels');
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByRole('menuitem', { name: 'SMS (Twilio)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Support line');
    await dialog.getByLabel('Phone number').fill('+15550007777');
    await dialog.getByLabel('Account SID').fill('not a SID');
    await dialog.getByLabel('Auth token').fill('a-secret-token');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Must be an account SID').waitFor();
    await dialog.getByText('Required, unless there is a messagingServiceSid').waitFor();
    expect(await dialog.getByLabel('Account SID').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Account SID').fill(`AC${'0'.repeat(32)}`);
    await dialog.getByLabel('Sender').fill('+15550007777');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Support line', level: 1 }).waitFor();
    expect(await page.locator('code').first().textContent()).toMatch(
      /^http:.*\/providers\/twilio\/[0-9a-f-]{36}$/,
    );
    await page.getByText('No vendor can reach this address').waitFor();
    await page.getByRole('link', { name: 'All channels' }).click();
    await actionsFor(page, 'Support line').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    expect(await dialog.getByLabel('Auth token').inputValue()).toBe('');
    expect(await page.content()).not.toContain('a-secret-token');
    expectNoProblems(REFUSED);
  });

  it('the steps are ticked as messages go in and out; a test message shows what becomes of it', async () => {
    const { id } = await test.api('POST', '/v3/channels', {
      kind: 'sms',
      provider: 'sandbox',
      name: 'Try me',
      address: '+15550003131',
    });
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/channels');
    await page.getByRole('link', { name: 'Try me' }).click();
    await page.waitForURL(`**/channels/${id}`);
    await expect.poll(() => page.getByText('Never', { exact: true }).count()).toBe(2);
    await page.getByLabel('Your own number').fill('not a number');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.getByLabel('Your own number').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Your own number').fill('+15550003232');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    // Read from the events, without a reload.
    await page.getByText('Works', { exact: true }).first().waitFor();
    await test.api('POST', `/v3/sandbox/${id}/inbound`, { from: '+15550003232', text: 'It arrived' });
    await expect.poll(() => page.getByText('Never', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Everything works').waitFor();
    expectNoProblems(REFUSED);
  });

  it('a vendor that does not answer is reported, and the set-up is for those who may change it', async () => {
    const { id } = await test.api('POST', '/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Unreachable mail',
      address: 'help@example.com',
      config: { from: 'help@example.com', smtp: { host: '127.0.0.1', port: 9 } },
    });
    const owner = await test.createPerson('owner');
    for (const locale of ['en-GB', 'de-DE'])
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [360, 1280]) {
          const own = await test.pageOf(owner, { locale, colorScheme, viewport: { width, height: 800 } });
          await own.open(`/channels/${id}`);
          await own.page.getByRole('heading', { name: 'Unreachable mail', level: 1 }).waitFor({
            state: 'attached',
          });
          const check = locale === 'en-GB' ? 'Check now' : 'Jetzt prüfen';
          await own.page.getByRole('button', { name: check }).click();
          await own.page
            .getByText(locale === 'en-GB' ? 'Parley found these problems' : 'Parley hat diese Probleme')
            .waitFor();
          expect(await findViolations(own.page)).toEqual([]);
          own.expectNoProblems();
          await own.context.close();
        }
    for (const role of ['agent', 'viewer'] as const) {
      const { page, open, expectNoProblems } = await test.pageFor(role);
      await open('/channels');
      await page.getByText('Unreachable mail').waitFor();
      expect(await page.getByRole('link', { name: 'Unreachable mail' }).count()).toBe(0);
      await open(`/channels/${id}`);
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      expectNoProblems();
    }
  });

  it('requests that failed are shown with their reason, and deleted', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    // Parley has tried for a minute and a half.
    const failed = async () =>
      (await test.api('POST', `/v3/channels/${twilioId}/failed_requests/search`, {})).length;
    await expect.poll(failed, { timeout: 600_000, interval: 1_000 }).toBe(1);
    await open(`/channels/${twilioId}`);
    const requests = page.getByRole('region', { name: 'Requests that failed' });
    await requests.getByText('The form has no From.').click();
    await requests.getByText('Body=without+a+sender').waitFor();
    await requests.getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await requests.waitFor({ state: 'detached' });
    expect(await failed()).toBe(0);
    expectNoProblems();
  });
});
