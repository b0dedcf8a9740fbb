import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { hold } from '../kit/hold.ts';
import {
  reply,
  row,
  type TestInbox,
  thread,
  title,
  useInbox,
  view,
  WAIT,
  waitForKind,
} from '../kit/inbox.ts';
import { useLive } from '../kit/live.ts';
import { goTo } from './go-to.ts';

/** Asks to log out, and returns the question whether something is to be lost. */
async function askToLogOut(page: Page) {
  await page.getByRole('button', { name: 'Account and settings' }).filter({ visible: true }).click(WAIT);
  await page.getByRole('menuitem', { name: 'Log out' }).click(WAIT);
  return page.getByRole('dialog', { name: 'Discard what was not sent?' });
}

describe.runIf(CHROMIUM)('what a page has not read yet', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });

  it('a chat that begins while the list is read for the first time appears', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    const list = await hold(page, /\/v3\/chats\/search$/);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/v3\/events\/stream/, async (route) => {
      await released;
      await route.continue();
    });
    const views = page.waitForResponse(/\/v3\/views\/search$/);
    await open('/inbox');
    await list.held();
    await (await views).finished();
    await inbox.write('Meanwhile Writer', 'Anybody there?');
    await inbox.chatWith('Meanwhile Writer');
    // When the stream is open, everything is read again.
    const again = page.waitForRequest(/\/v3\/views\/search$/, WAIT);
    release();
    await again;
    list.release();
    await row(page, 'Meanwhile Writer').waitFor(WAIT);
    expectNoProblems();
  });

  it('all views have a count, also if there are more than one request counts', async () => {
    await inbox.write('Counted Writer', 'Hello');
    await inbox.chatWith('Counted Writer');
    for (let index = 1; index <= 20; index += 1)
      await test.api('POST', '/v3/views', {
        name: `Saved ${index} of 20`,
        query: 'eq(status,"open")',
        isShared: true,
      });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox');
    for (const name of ['Open', 'Saved 1 of 20', 'Saved 20 of 20'])
      await view(page, name).first().getByText(/^\d/).first().waitFor(WAIT);
    expectNoProblems();
  });

  it('Enter before the people are read assigns nobody else', async () => {
    const { userId } = await test.createPerson('agent', { name: 'Slow Reader' });
    await inbox.write('Taken Writer', 'Hello');
    const { id } = await inbox.chatWith('Taken Writer');
    await test.api('POST', `/v3/chats/${id}/assignment`, { userId });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    const users = await hold(page, /\/v3\/users\/search$/);
    const assigned: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/assignment')) assigned.push(request.postData());
    });
    await open(`/inbox/${id}`);
    await title(page, 'Taken Writer').waitFor(WAIT);
    await page.keyboard.press('a');
    const picker = page.getByRole('dialog', { name: 'Assign' });
    await picker.getByRole('combobox').waitFor(WAIT);
    await users.held();
    await page.keyboard.press('Enter');
    users.release();
    await picker.getByRole('option', { name: 'Slow Reader' }).waitFor(WAIT);
    expect(assigned).toEqual([]);
    await page.keyboard.press('Escape');
    expect((await inbox.chatWith('Taken Writer')).assignedUserId).toBe(userId);
    expectNoProblems();
  });

  it('a refused change leaves what a colleague has done meanwhile', async () => {
    const { userId } = await test.createPerson('agent', { name: 'Quick Colleague' });
    await test.createPerson('agent', { name: 'Never Chosen' });
    await inbox.write('Wanted Writer', 'Hello');
    const { id } = await inbox.chatWith('Wanted Writer');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    let refuse = (): void => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    await page.route(/\/assignment$/, async (route) => {
      await refused;
      await route.fulfill({
        status: 409,
        json: { success: false, error: { messageKey: 'conflict', message: 'refused by the test' } },
      });
    });
    const live = page.waitForResponse(/\/v3\/events\/stream/);
    await open(`/inbox/${id}`);
    await title(page, 'Wanted Writer').waitFor(WAIT);
    await live;
    const shown = (name: string) =>
      page.locator('header').filter({ hasText: 'Wanted Writer' }).getByText(name).waitFor(WAIT);
    await page.keyboard.press('a');
    await page.keyboard.type('never chosen');
    await page.getByRole('option', { name: 'Never Chosen' }).click(WAIT);
    await shown('Never Chosen');
    await test.api('POST', `/v3/chats/${id}/assignment`, { userId });
    await shown('Quick Colleague');
    refuse();
    await page.getByText('refused by the test').waitFor(WAIT);
    await shown('Quick Colleague');
    expectNoProblems(/status of 409/);
  });

  it('a slow file in one chat does not hold back the answer in another', async () => {
    for (const name of ['Slow File', 'Fast Answer']) await inbox.write(name, 'Hello');
    await inbox.chatWith('Fast Answer');
    const slow = await inbox.chatWith('Slow File');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${slow.id}`);
    await title(page, 'Slow File').waitFor(WAIT);
    await waitForKind(page, 'Slow File', 'WhatsApp');
    const upload = await hold(page, /\/v3\/files$/);
    const file = { name: 'big.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 big') };
    await page.locator('input[type=file]').setInputFiles(file);
    await reply(page).fill('With the file');
    await page.keyboard.press('Control+Enter');
    await upload.held();
    await row(page, 'Fast Answer').click();
    await title(page, 'Fast Answer').waitFor(WAIT);
    await reply(page).fill('Without a file');
    await page.keyboard.press('Control+Enter');
    await expect.poll(inbox.outbox, WAIT).toContain('Without a file');
    expect(await inbox.outbox()).not.toContain('With the file');
    upload.release();
    await expect.poll(inbox.outbox, WAIT).toContain('With the file');
    expectNoProblems();
  });

  it('keys assign the row that was reached, without opening it', async () => {
    const { userId } = await test.createPerson('agent', { name: 'Row Taker' });
    await inbox.write('Reached Writer', 'Hello');
    await inbox.chatWith('Reached Writer');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox?q=Reached');
    await row(page, 'Reached Writer').waitFor(WAIT);
    await page.keyboard.press('j');
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'), WAIT)
      .toContain('Reached Writer');
    await page.keyboard.press('a');
    await page.keyboard.type('row taker');
    await page.getByRole('option', { name: 'Row Taker' }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.getByText('Assigned to Row Taker').waitFor(WAIT);
    expect((await inbox.chatWith('Reached Writer')).assignedUserId).toBe(userId);
    await page.keyboard.press('z');
    await expect.poll(async () => (await inbox.chatWith('Reached Writer')).assignedUserId, WAIT).toBeNull();
    // A dialog that is closed again leaves nothing selected.
    for (const [key, name] of [
      ['h', 'Snooze'],
      ['l', 'Labels of Reached Writer'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name }).waitFor(WAIT);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name }).waitFor({ state: 'detached', ...WAIT });
    }
    expect(await page.getByRole('region', { name: 'Selected chats' }).count()).toBe(0);
    expectNoProblems();
  });

  it('a contact that is deleted while the list is read does not stay in it', async () => {
    const create = (firstName: string) => test.api('POST', '/v3/contacts', { firstName, lastName: 'Listed' });
    const { id } = await create('Deleted');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    const { listenFor, opening } = await useLive(page);
    const opened = opening();
    await open('/profile');
    await opened();
    const created = await listenFor('contact.created');
    await create('Kept');
    await created();
    const list = await hold(page, /\/v3\/contacts\/search$/);
    await goTo(page, 'c');
    await list.held();
    const deleted = await listenFor('contact.deleted');
    await test.api('DELETE', `/v3/contacts/${id}`);
    await deleted();
    list.release();
    await page.getByText('Kept Listed').first().waitFor(WAIT);
    await expect.poll(() => page.getByText('Deleted Listed').count(), WAIT).toBe(0);
    expectNoProblems();
  });

  it('logging out asks about what was begun to write before the reload, wherever the person is', async () => {
    await inbox.write('Half Answered', 'Hello');
    const { id } = await inbox.chatWith('Half Answered');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await title(page, 'Half Answered').waitFor(WAIT);
    await reply(page).fill('Half an answer');
    await open('/profile');
    await page.getByRole('heading', { name: 'Your account' }).waitFor(WAIT);
    const question = await askToLogOut(page);
    await question.getByText('It is lost if you log out.').waitFor(WAIT);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await open(`/inbox/${id}`);
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Half an answer');
    await thread(page).waitFor(WAIT);
    expectNoProblems();
  });

  it('logging out asks about buttons alone, also beside a draft that cannot be read', async () => {
    await inbox.write('Half Chosen', 'Hello');
    const { id } = await inbox.chatWith('Half Chosen');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await page.getByRole('button', { name: 'Buttons to tap' }).click(WAIT);
    await page.keyboard.type('Monday');
    await page.evaluate(`sessionStorage.setItem('parley.draft.unreadable', '{')`);
    await open('/profile');
    await page.getByRole('heading', { name: 'Your account' }).waitFor(WAIT);
    const question = await askToLogOut(page);
    await question.getByRole('button', { name: 'Cancel' }).click(WAIT);
    await open(`/inbox/${id}`);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Button 1' }).inputValue(), WAIT)
      .toBe('Monday');
    expectNoProblems();
  });

  it('leaving asks about a campaign that could not be stored', async () => {
    const { id } = await test.api('POST', '/v3/campaigns', {
      name: 'Unstored',
      channelId: await inbox.createChannel('Campaign SMS', '+12025550177', 'sms'),
      message: { text: 'Hello' },
    });
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/campaigns/${id}`);
    await page.route(`**/v3/campaigns/${id}`, (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByRole('radio', { name: /^Everybody/ }).check(WAIT);
    const question = await askToLogOut(page);
    await question.getByRole('button', { name: 'Cancel' }).click(WAIT);
    // Nothing can be lost of one that is deleted.
    await page.getByRole('button', { name: 'More actions' }).click(WAIT);
    await page.getByRole('menuitem', { name: 'Delete' }).click(WAIT);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click(WAIT);
    await page.getByRole('dialog').waitFor({ state: 'detached', ...WAIT });
    await page.waitForURL('**/console/campaigns', WAIT);
    await askToLogOut(page);
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor(WAIT);
    expectNoProblems(/ERR_FAILED/);
  });
});
