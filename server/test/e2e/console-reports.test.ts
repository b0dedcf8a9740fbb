import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole, waitForShell } from '../kit/console.ts';
import { type TestInbox, useInbox, WAIT } from '../kit/inbox.ts';
import { goTo } from './go-to.ts';

const DAY_MS = 86_400_000;

/** A time zone in which it is about noon, so that no day ends while the test runs. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // The signs of these names are the other way round: Etc/GMT-5 is five hours ahead.
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

describe.runIf(CHROMIUM)('the reports', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  let quiet: string;
  beforeAll(async () => {
    test = await useConsole();
    await test.api('PUT', '/v3/tenant', { timezone: zoneAtNoon() });
    inbox = await useInbox(test);
    quiet = await inbox.createChannel('Quiet', '+12025550145');
  });
  const begunAt = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  /** Of the days around the beginning of the test. */
  const figures = async () => {
    const [from, to] = [-1, 3].map((days) => new Date(begunAt + days * DAY_MS).toISOString());
    const body = { name: 'volumes', from, to, query: `eq(channelId,"${inbox.channelId}")` };
    return (await test.api('POST', '/v3/reports/search', body))[0];
  };

  it('show figures, charts and tables of what happened, by mouse and by keyboard', async () => {
    for (const name of ['Nora', 'Omar']) await inbox.write(name, `Hello from ${name}`);
    const agent = await test.pageFor('agent');
    const { id } = await inbox.chatWith('Nora');
    await agent.open(`/inbox/${id}`);
    await agent.page.getByRole('textbox', { name: 'Reply' }).fill('Good morning');
    await agent.page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await figures()).sent, WAIT).toBe(1);

    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/inbox');
    await waitForShell(page);
    await goTo(page, 'r');
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor(WAIT);
    await page.getByLabel('Channel', { exact: true }).selectOption({ label: 'Shop' });
    const tile = (name: string) =>
      page.getByRole('list', { name: 'Overview' }).getByRole('listitem').filter({ hasText: name });
    await expect.poll(() => tile('Messages received').innerText(), WAIT).toMatch(/\n\s*2\n/);
    await expect.poll(() => tile('Messages sent').innerText(), WAIT).toMatch(/\n\s*1\n/);
    await expect.poll(() => page.locator('canvas').count(), WAIT).toBe(3);
    await page.getByText('Messages as a table').click();
    const table = page.getByRole('region', { name: 'Messages', exact: true });
    expect(await table.getByRole('row').count()).toBe(8);
    expect(await findViolations(page)).toEqual([]);

    const agents = page.getByRole('region', { name: 'Agents' });
    await expect.poll(() => agents.getByRole('row').count(), WAIT).toBe(2);
    await page.getByRole('button', { name: 'Channels' }).click();
    await page.getByRole('region', { name: 'Channels' }).getByText('Shop').waitFor(WAIT);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('volumes.csv');

    // By keyboard, and Back and a reload keep what was chosen.
    await page.getByRole('heading', { name: 'Reports', level: 1 }).click();
    await page.keyboard.press('1');
    await expect.poll(() => page.getByLabel('Period').inputValue(), WAIT).toBe('today');
    await page.reload();
    await expect.poll(() => page.getByLabel('Period').inputValue(), WAIT).toBe('today');
    await expect.poll(() => tile('Messages received').innerText(), WAIT).toMatch(/\n\s*2\n/);
    await page.getByLabel('Channel', { exact: true }).selectOption(quiet);
    await page.getByText('Nothing happened in this period').waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    expectNoProblems();
  });

  it('are read in German, in a period of one’s own', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner', { locale: 'de-DE' });
    await open('/reports?period=own&from=2016-01-01&to=2026-01-01');
    await page.getByText('In diesem Zeitraum ist nichts geschehen').waitFor(WAIT);
    await page.getByLabel('Von').fill('2026-01-01');
    expectNoProblems();
  });
});
