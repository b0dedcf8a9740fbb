import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole, waitForShell } from '../kit/console.ts';
import { PASSWORD } from '../kit/people.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

describe.runIf(CHROMIUM)('the system', () => {
  let test: TestConsole;
  /** The cookie of the operator. */
  let operator: { userId: string; email: string; cookie: string };
  beforeAll(async () => {
    test = await useConsole();
    const { page, context } = await test.newPage();
    await page.goto(test.firstLink);
    await page.getByLabel('Your name').fill('Olivia Operator');
    await page.getByLabel('Email').fill('operator@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitForShell(page);
    const [cookie] = (await context.cookies()).filter(({ name }) => name === 'parley');
    operator = { userId: '', email: 'operator@example.com', cookie: cookie?.value as string };
    await context.close();
  });

  it.each(['owner', 'admin', 'agent', 'viewer'] as const)('does not exist for %s', async (role) => {
    const { page, open, expectNoProblems } = await test.pageFor(role);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/admin/')) asked.push(request.url());
    });
    await open('/settings/tenant');
    await page.getByRole('heading', { name: 'Tenant', level: 1 }).waitFor();
    expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Type a command' }).fill('system');
    await page.getByText('Nothing matches').waitFor();
    await page.keyboard.press('Escape');
    await open('/settings/system');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    expect(asked).toEqual([]);
    const answer = await page.evaluate<number>(`fetch('/admin/status').then(({ status }) => status)`);
    expect(answer).toBe(403);
    expectNoProblems(REFUSED);
  });

  it('shows the installation, its queues and processes, and reads them again', async () => {
    const { page, open, expectNoProblems } = await test.pageOf(operator);
    await open('/settings/system');
    const queues = page.getByRole('region', { name: 'Queues' });
    await queues.getByText('deliveries', { exact: true }).waitFor();
    await page.getByText('PostgreSQL', { exact: true }).waitFor();
    await page.getByText('They are not mailed: copy the links').waitFor();
    await page.getByRole('region', { name: 'Processes' }).getByText('65', { exact: true }).waitFor();
    await page.getByText('Nobody has called it.').waitFor();
    // Without a click or an event.
    await page.waitForResponse((response) => response.url().endsWith('/admin/status'));
    expectNoProblems();
  });

  it('a tenant is created with an owner, gets limits of its own, and is deleted with its name typed', async () => {
    const { page, open, expectNoProblems } = await test.pageOf(operator);
    await open('/settings/system');
    await page.getByRole('button', { name: 'New tenant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Example Ltd');
    await dialog.getByLabel('Plan').selectOption('Growth');
    await dialog.getByLabel('Requests per minute').fill('0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => dialog.getByLabel('Requests per minute').getAttribute('aria-invalid'))
      .toBe('true');
    await dialog.getByLabel('Requests per minute').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();

    await dialog.getByText('Owner of Example Ltd').waitFor();
    await dialog.getByLabel('Name').fill('Grace Hopper');
    await dialog.getByLabel('Email').fill('grace@example.com');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const link = (await dialog.locator('code').textContent()) as string;
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const joined = await test.newPage();
    await joined.page.goto(link);
    await joined.page.getByText('join Example Ltd').waitFor();
    await joined.page.getByLabel('Password').fill(PASSWORD);
    await joined.page.keyboard.press('Enter');
    await waitForShell(joined.page);
    await joined.open('/settings/tokens');
    // The token that made the link is gone.
    await joined.page.getByText('No tokens yet').waitFor();

    const actions = page.getByRole('button', { name: 'Actions for Example Ltd' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Change plan and limits' }).click();
    await dialog.getByLabel('Webhooks').fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('With limits of its own').waitFor();
    await joined.open('/settings/tenant');
    await joined.page.getByRole('row', { name: 'Webhooks 0 7' }).waitFor();
    await joined.page.getByText('Growth', { exact: true }).waitFor();

    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = dialog.getByRole('button', { name: 'Delete' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel('Type "Example Ltd" to confirm').fill('Example Ltd');
    await remove.click();
    await actions.waitFor({ state: 'detached' });
    expectNoProblems(REFUSED);
  });

  it.each([
    ['light', 360],
    ['light', 1280],
    ['dark', 360],
    ['dark', 1280],
  ] as const)('is accessible, %s, %i px wide, in English and German', async (colorScheme, width) => {
    for (const [locale, queues] of [
      ['en-GB', 'Queues'],
      ['de-DE', 'Warteschlangen'],
    ] as const) {
      const own = await test.pageOf(operator, { locale, colorScheme, viewport: { width, height: 800 } });
      await own.open('/settings/system');
      await own.page.getByRole('heading', { name: queues }).waitFor();
      expect(await findViolations(own.page)).toEqual([]);
      const overflow = await own.page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow).toBe(0);
      own.expectNoProblems();
      await own.context.close();
    }
  });
});

describe.runIf(CHROMIUM)('the settings of the tenant', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });

  it('are changed by owners, with issues at their fields', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/tenant');
    const save = page.getByRole('button', { name: 'Save' });
    await expect.poll(() => save.isDisabled()).toBe(true);
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await save.click();
    await expect.poll(() => page.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Name', { exact: true }).fill('Renamed Ltd');
    await save.click();
    await expect.poll(() => page.title()).toContain('Renamed Ltd');
    expect(await test.api('GET', '/v3/tenant')).toMatchObject({
      name: 'Renamed Ltd',
      timezone: 'Europe/Berlin',
    });
    await test.api('POST', '/v3/api_webhooks', {
      url: 'http://localhost:4000/hook',
      events: [{ type: 'message.received' }],
    });
    await page.reload();
    await page.getByRole('row', { name: 'Webhooks 1 100' }).waitFor();
    expectNoProblems(REFUSED);
  });

  it('are only seen by others', async () => {
    for (const role of ['admin', 'agent', 'viewer'] as const) {
      const { page, open, expectNoProblems } = await test.pageFor(role);
      await open('/settings/tenant');
      await page.getByText('Only owners change this.').waitFor();
      expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
      expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
      expectNoProblems();
    }
  });
});
