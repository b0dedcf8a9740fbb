import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { hold } from '../kit/hold.ts';
import { row, type TestInbox, useInbox, WAIT } from '../kit/inbox.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Selected chats' });

describe.runIf(CHROMIUM)('changes of many chats or contacts', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });
  async function select(page: Page, name: string): Promise<void> {
    await page.getByRole('checkbox', { name: `Select the chat with ${name}` }).check(WAIT);
    await bar(page).getByText('1 selected').waitFor(WAIT);
  }

  it('one that has to wait for another says so, and keeps what is selected', async () => {
    for (const name of ['Busy One', 'Busy Two']) await inbox.write(name, 'Hello');
    await inbox.chatWith('Busy Two');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox?q=Busy');
    await row(page, 'Busy Two').waitFor(WAIT);
    const first = await hold(page, /\/v3\/chats\/bulk$/);
    await select(page, 'Busy One');
    await page.keyboard.press('u');
    await first.held();
    await select(page, 'Busy Two');
    const busy = page.getByText('Another change of many chats is still running.');
    await page.keyboard.press('e');
    await busy.waitFor(WAIT);
    await page.keyboard.press('h');
    await page.getByRole('option', { name: /^Tomorrow/ }).click(WAIT);
    await expect.poll(() => busy.count(), WAIT).toBe(2);
    await bar(page).getByText('1 selected').waitFor();
    first.release();
    await page.getByText('1 chat changed').waitFor(WAIT);
    await page.keyboard.press('e');
    await expect.poll(async () => (await inbox.chatWith('Busy Two')).status, WAIT).toBe('closed');
    expectNoProblems();
  });
});
