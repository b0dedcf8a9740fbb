import type { Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { hold } from '../kit/hold.ts';
import { row, type TestInbox, thread, title, useInbox, WAIT } from '../kit/inbox.ts';

const isPost = (request: Request): boolean => request.method() === 'POST';
const isGet = (request: Request): boolean => request.method() === 'GET';

describe.runIf(CHROMIUM)('answers that come late', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });
  /** The inbox, when events arrive. */
  async function openInbox() {
    const opened = await test.pageFor('agent');
    const live = opened.page.waitForResponse(/\/v3\/events\/stream/);
    await opened.open('/inbox');
    await live;
    return opened;
  }

  it('a message that arrives while older ones are being read stays', async () => {
    const from = await inbox.write('Older Reader', 'Line 0');
    for (let index = 1; index < 60; index += 1) await inbox.write('Older Reader', `Line ${index}`, { from });
    await expect
      .poll(async () => (await inbox.chatWith('Older Reader')).latestMessage.text, WAIT)
      .toBe('Line 59');
    const { page, expectNoProblems } = await openInbox();
    const older = await hold(
      page,
      /\/messages\/search$/,
      (request) => request.postData()?.includes('cursor') ?? false,
    );
    await row(page, 'Older Reader').click(WAIT);
    await thread(page).getByText('Line 59', { exact: true }).waitFor(WAIT);
    await page.evaluate(`document.querySelector('[role=log]').scrollTo(0, -1e6)`);
    await older.held();
    await inbox.write('Older Reader', 'Arrived meanwhile', { from });
    const arrived = thread(page).getByText('Arrived meanwhile');
    await arrived.waitFor({ state: 'attached', ...WAIT });
    older.release();
    await thread(page)
      .getByText('Line 0', { exact: true })
      .waitFor({ state: 'attached', ...WAIT });
    expect(await arrived.count()).toBe(1);
    expectNoProblems();
  });

  it('a chat that a colleague closes while it is being read stays closed', async () => {
    await inbox.write('Closed Meanwhile', 'Hello');
    const { id } = await inbox.chatWith('Closed Meanwhile');
    await test.api('POST', `/v3/chats/${id}/read`, { isUnread: false });
    const { page, expectNoProblems } = await openInbox();
    await row(page, 'Closed Meanwhile').waitFor(WAIT);
    const chat = await hold(page, new RegExp(`/v3/chats/${id}$`), isGet);
    await row(page, 'Closed Meanwhile').click();
    await chat.held();
    await test.api('POST', `/v3/chats/${id}/status`, { status: 'closed' });
    const openAgain = page.getByRole('button', { name: 'Open again' });
    await openAgain.waitFor(WAIT);
    chat.release();
    // Sent after it, so shown after it.
    await test.api('POST', `/v3/chats/${id}/notes`, { text: 'Sent afterwards' });
    await thread(page).getByText('Sent afterwards').waitFor(WAIT);
    expect(await openAgain.count()).toBe(1);
    expectNoProblems();
  });

  it('a chosen chat that leaves the list is not changed with the others', async () => {
    for (const name of ['Chosen One', 'Chosen Two']) await inbox.write(name, 'Hello');
    const [{ id }] = [await inbox.chatWith('Chosen One'), await inbox.chatWith('Chosen Two')];
    const { page, expectNoProblems } = await openInbox();
    for (const name of ['Chosen One', 'Chosen Two'])
      await row(page, name).click({ modifiers: ['Control'], ...WAIT });
    const bar = page.getByRole('region', { name: 'Selected chats' });
    await bar.getByText('2 selected').waitFor();
    await test.api('POST', `/v3/chats/${id}/status`, { status: 'closed' });
    await bar.getByText('1 selected').waitFor(WAIT);
    await bar.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('1 chat changed').waitFor(WAIT);
    expectNoProblems();
  });

  it('Enter waits for who was typed, and does not take who was shown before', async () => {
    await test.api('POST', '/v3/contacts', { firstName: 'Zelda', phoneNumber: '+12025559701' });
    await inbox.createChannel('Desk SMS', '+12025550171', 'sms');
    const { page, expectNoProblems } = await openInbox();
    await page.getByRole('button', { name: 'New chat' }).click();
    const dialog = page.getByRole('dialog', { name: 'New chat' });
    await dialog.getByRole('option').nth(1).waitFor(WAIT);
    const search = await hold(
      page,
      /\/contacts\/search$/,
      (request) => request.postData()?.includes('Zelda') ?? false,
    );
    await dialog.getByRole('combobox').fill('Zelda');
    await page.keyboard.press('Enter');
    await search.held();
    expect(await dialog.getByRole('option').count()).toBeGreaterThan(1);
    search.release();
    await page.getByRole('dialog', { name: 'Write to Zelda on' }).waitFor(WAIT);
    expectNoProblems();
  });

  it('an address that is a part of somebody else’s is added, and Escape waits for that', async () => {
    await test.api('POST', '/v3/contacts', { firstName: 'Joann', email: 'joann@example.com' });
    const email = await inbox.createChannel('Desk mail', 'desk@example.com', 'email');
    const { page, expectNoProblems } = await openInbox();
    await page.getByRole('button', { name: 'New chat' }).click();
    const dialog = page.getByRole('dialog', { name: 'New chat' });
    await dialog.getByRole('combobox').fill('joann@example.com');
    await dialog.getByRole('option', { name: 'Joann' }).waitFor(WAIT);
    await expect.poll(() => dialog.getByRole('option').count(), WAIT).toBe(1);
    await dialog.getByRole('combobox').fill('ann@example.com');
    const creation = await hold(page, /\/v3\/contacts$/, isPost);
    await dialog.getByRole('option', { name: 'Write to ann@example.com' }).click(WAIT);
    await creation.held();
    await expect.poll(() => dialog.getByRole('button', { name: 'Close' }).isDisabled(), WAIT).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    creation.release();
    await page.getByRole('dialog', { name: 'Write to ann@example.com on' }).waitFor(WAIT);
    await page.keyboard.type('Desk mail');
    await page.keyboard.press('Enter');
    await title(page, 'ann@example.com').waitFor(WAIT);
    await page.getByRole('dialog').waitFor({ state: 'detached', ...WAIT });
    expect((await inbox.chatWith('ann@example.com')).channelId).toBe(email);
    expectNoProblems();
  });

  it('a form stays open while it is stored, and says what went wrong', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/contacts');
    await page.getByRole('button', { name: 'New contact' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First name').fill('Nearly');
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v3/contacts', async (route) => {
      await released;
      await route.fulfill({ status: 500, body: '{}', contentType: 'application/json' });
    });
    const sent = page.waitForRequest('**/v3/contacts');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await sent;
    await expect.poll(() => dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), WAIT).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    release();
    await dialog.getByRole('alert').waitFor(WAIT);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expectNoProblems(/status of 500/);
  });

  it('a mention that comes while all others are marked as read is not marked with them', async () => {
    const person = await test.createPerson('agent');
    const mentionIn = async (name: string): Promise<void> => {
      await inbox.write(name, 'Hello');
      const { id } = await inbox.chatWith(name);
      await test.api('POST', `/v3/chats/${id}/notes`, { text: 'Look', mentionedUserIds: [person.userId] });
    };
    await mentionIn('Mentioned First');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    const live = page.waitForResponse(/\/v3\/events\/stream/);
    await open('/profile');
    await live;
    const bell = page.getByRole('button', { name: 'Notifications, 1 unread' }).filter({ visible: true });
    await bell.click(WAIT);
    const marked = await hold(page, /\/v3\/notifications\/read$/, isPost);
    const panel = page.getByRole('dialog', { name: 'Notifications' });
    await panel.getByRole('button', { name: 'Mark all as read' }).click();
    await marked.held();
    await mentionIn('Mentioned Second');
    await panel.getByText('Mentioned Second').waitFor(WAIT);
    const answered = page.waitForResponse(/\/v3\/notifications\/read$/);
    marked.release();
    await answered;
    await bell.waitFor(WAIT);
    await expect.poll(() => panel.getByRole('button', { name: 'Mark as read', exact: true }).count()).toBe(1);
    expectNoProblems();
  });
});
