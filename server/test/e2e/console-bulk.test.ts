import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { hold } from '../kit/hold.ts';
import { row, type TestInbox, useInbox, WAIT } from '../kit/inbox.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Selected chats' });
/** Closes a message, which stays while the pointer is on it. */
async function dismiss(page: Page, text: string): Promise<void> {
  await page.getByText(text).hover(WAIT);
  await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
  await page.getByText(text).waitFor({ state: 'detached', ...WAIT });
}

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
    const busy = 'Another change of many chats is still running.';
    await page.keyboard.press('e');
    await dismiss(page, busy);
    await page.keyboard.press('h');
    await page.getByRole('option', { name: /^Tomorrow/ }).click(WAIT);
    await dismiss(page, busy);
    await bar(page).getByText('1 selected').waitFor();
    first.release();
    await page.getByText('1 chat changed').waitFor(WAIT);
    await page.keyboard.press('e');
    await expect.poll(async () => (await inbox.chatWith('Busy Two')).status, WAIT).toBe('closed');
    expectNoProblems();
  });

  it('labels start automations if somebody chooses so, for chats and for contacts', async () => {
    const { id: labelId } = await test.api('POST', '/v3/labels', { name: 'Invited' });
    const automation = await test.api('POST', '/v3/automations', {
      name: 'Invitation',
      trigger: { type: 'label_added', parameters: { labelId } },
      steps: [{ id: 'end', type: 'end' }],
    });
    await test.api('POST', `/v3/automations/${automation.id}/publish`);
    const runs = async (): Promise<string[]> => {
      const found = await test.api('POST', '/v3/automation_runs/search', {
        query: `eq(automationId,"${automation.id}")`,
      });
      return found.map(({ contactId }: { contactId: string }) => contactId);
    };
    const names = ['Invited Never', 'Invited Chat', 'Invited Contact'];
    for (const name of names) await inbox.write(name, 'Hello');
    const chats = await Promise.all(names.map((name) => inbox.chatWith(name)));
    const [, ofChat, ofContact] = chats.map(({ contactId }) => contactId as string);
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/inbox?q=Invited');
    for (const name of ['Invited Never', 'Invited Chat']) {
      await select(page, name);
      await page.keyboard.press('l');
      const picker = page.getByRole('dialog', { name: 'Labels' });
      if (name === 'Invited Chat')
        await picker.getByLabel('Automations').selectOption('Start those for the added label');
      const option = picker.getByRole('option', { name: 'Add Invited' });
      await option.waitFor(WAIT);
      expect(await findViolations(page)).toEqual([]);
      await option.click();
      await dismiss(page, '1 chat changed');
    }
    await expect.poll(runs, WAIT).toEqual([ofChat]);

    await open('/contacts?search=invited');
    await page.getByRole('checkbox', { name: 'Select Invited Contact' }).check(WAIT);
    await page.getByRole('button', { name: 'Add a label' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Label').selectOption('Invited');
    await dialog.getByLabel('Automations').selectOption('Start those for the added label');
    await dialog.getByRole('button', { name: 'Add a label' }).click();
    await expect.poll(async () => (await runs()).sort(), WAIT).toEqual([ofChat, ofContact].sort());
    expectNoProblems();
  });
});
