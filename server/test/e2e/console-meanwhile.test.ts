import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of (4\d\d|500)/;

/** By the palette, so that the page is not loaded again. */
async function goTo(page: Page, screen: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(screen);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

describe.runIf(CHROMIUM)('what happens meanwhile', () => {
  let test: TestConsole;
  let chatId: string;
  beforeAll(async () => {
    test = await useConsole();
    chatId = await write('+15550007001');
  });
  /** Somebody new writes, and their chat is returned. */
  async function write(from: string): Promise<string> {
    await test.api('POST', `/v3/sandbox/${test.channelId}/inbound`, { from, text: 'Hello' });
    const find = () => test.api('POST', '/v3/chats/search', { search: from });
    await vi.waitFor(async () => expect(await find()).toHaveLength(1), { timeout: 30_000 });
    return (await find())[0].id;
  }

  it('a saved reply that was made in the settings is offered in the inbox', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/inbox/${chatId}`);
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByRole('listbox', { name: 'Saved replies' }).waitFor();
    await page.keyboard.press('Escape');

    await goTo(page, 'settings saved');
    await page.getByRole('button', { name: 'New saved reply' }).first().click();
    await page.getByRole('dialog').getByLabel('Shortcut').fill('thanks');
    await page.getByRole('dialog').getByLabel('Text').fill('Thank you!');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('/thanks').waitFor();

    await page.goBack();
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByRole('option', { name: /thanks/ }).waitFor();
    expectNoProblems();
  });

  it('events and entries of the audit log are there when their screens are opened again', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/events');
    await page.getByRole('link', { name: 'Message received' }).first().waitFor();
    await goTo(page, 'settings audit');
    await page.locator('summary', { hasText: 'added a person' }).first().waitFor();
    await goTo(page, 'contacts');
    const created = await test.api('POST', '/v3/labels', { name: 'Meanwhile' });
    await test.api('POST', '/v3/contacts', { firstName: 'Grace', email: 'grace@example.com' });
    await page.getByRole('link', { name: 'Grace' }).waitFor();

    await goTo(page, 'events');
    await page.getByRole('link', { name: 'Contact created' }).first().waitFor();
    await goTo(page, 'settings audit');
    await page.locator('summary', { hasText: 'created a label' }).first().waitFor();
    await test.api('DELETE', `/v3/labels/${created.id}`);
    expectNoProblems();
  });

  it('what is typed while a note is being stored stays', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${chatId}`);
    await page.getByRole('tab', { name: 'Note' }).click();
    let release: (() => void) | undefined;
    await page.route('**/notes', async (route) => {
      if (route.request().method() === 'POST') await new Promise<void>((resolve) => (release = resolve));
      await route.continue();
    });
    const field = page.getByRole('textbox', { name: 'Note' });
    await field.fill('First');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => release).toBeDefined();
    await field.fill('Second');
    release?.();
    await page.getByRole('log').getByText('First').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add note' }).isEnabled()).toBe(true);
    expect(await field.inputValue()).toBe('Second');
    expectNoProblems();
  });

  it('a chat that cannot be marked as read is tried once, not without end', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    const unreadId = await write('+15550007002');
    let attempts = 0;
    await page.route('**/chats/*/read', async (route) => {
      attempts += 1;
      await route.fulfill({ status: 500, body: '{}', contentType: 'application/json' });
    });
    await open(`/inbox/${unreadId}`);
    await expect.poll(() => attempts).toBeGreaterThan(0);
    await page.waitForTimeout(3_000);
    // The client makes three attempts of each request.
    expect(attempts).toBeLessThanOrEqual(3);
    expectNoProblems(REFUSED);
  });

  it('hours that could not be stored can be stored by pressing the button again', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/hours');
    await page.getByLabel('Open', { exact: true }).selectOption('week');
    let fails = true;
    await page.route('**/v3/tenant', async (route) => {
      if (route.request().method() === 'PUT' && fails)
        await route.fulfill({ status: 500, body: '{}', contentType: 'application/json' });
      else await route.continue();
    });
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByRole('alert').waitFor();
    fails = false;
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expectNoProblems(REFUSED);
  });

  it('two people who change the same text of a campaign are asked whose stays', async () => {
    const { channelId } = test;
    const body = { channelId, name: 'Together', message: { text: 'Hello' } };
    const { id } = await test.api('POST', '/v3/campaigns', body);
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/campaigns/${id}?step=what`);
    const field = page.getByLabel('Text', { exact: true });
    await expect.poll(() => field.inputValue()).toBe('Hello');
    // What the other one stores is shown at once.
    await test.api('PUT', `/v3/campaigns/${id}`, { message: { text: 'Hello from the other one' } });
    await expect.poll(() => field.inputValue()).toBe('Hello from the other one');

    // Nothing is stored before the other one has stored something.
    let release = (): void => {};
    await page.route(`**/v3/campaigns/${id}`, async (route) => {
      if (route.request().method() === 'PUT') await new Promise<void>((resolve) => (release = resolve));
      await route.continue();
    });
    await page.clock.install();
    // An installed clock goes on by itself. So little ahead that the event stream does not count as silent.
    await page.clock.pauseAt(Date.now() + 10_000);
    await field.fill('Hello from me');
    await test.api('PUT', `/v3/campaigns/${id}`, { message: { text: 'Hello again' } });
    const notice = page.getByRole('status').filter({ hasText: 'somebody else has changed' });
    await expect
      .poll(async () => {
        await page.clock.runFor(1);
        return notice.isVisible();
      })
      .toBe(true);
    expect(await field.inputValue()).toBe('Hello from me');
    await page.clock.runFor(2_000);
    expect((await test.api('GET', `/v3/campaigns/${id}`)).message.text).toBe('Hello again');
    release();
    await page.unroute(`**/v3/campaigns/${id}`);
    await notice.getByRole('button', { name: 'Keep mine' }).click();
    await expect
      .poll(async () => {
        await page.clock.runFor(300);
        return (await test.api('GET', `/v3/campaigns/${id}`)).message.text;
      })
      .toBe('Hello from me');
    expectNoProblems();
  });

  it('what was refused in a campaign is asked about before leaving, until somebody else has started it', async () => {
    const body = { channelId: test.channelId, name: 'Begun', message: { text: 'Hello' } };
    const { id } = await test.api('POST', '/v3/campaigns', body);
    await test.api('PUT', `/v3/campaigns/${id}`, { audience: 'eq(firstName,"Nobody has this name")' });
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    const live = page.waitForResponse(/\/v3\/events\/stream/);
    await open(`/campaigns/${id}?step=whom`);
    await live;
    const asks = () =>
      page.evaluate(`window.dispatchEvent(new Event('beforeunload', { cancelable: true })) === false`);
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
    expect(await asks()).toBe(true);
    await test.api('POST', `/v3/campaigns/${id}/status`, { status: 'running' });
    await page.getByLabel('Name', { exact: true }).waitFor({ state: 'detached' });
    await expect.poll(asks).toBe(false);
    expectNoProblems(REFUSED);
  });
});
