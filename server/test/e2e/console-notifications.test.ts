import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { row, type TestInbox, thread, title, useInbox, WAIT } from '../kit/inbox.ts';

const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ }).filter({ visible: true });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

describe.runIf(CHROMIUM)('the bell', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });
  const mention = async (chatId: string, userId: string, text: string) =>
    test.api('POST', `/v3/chats/${chatId}/notes`, { text, mentionedUserIds: [userId] });

  it('counts live, in the title too, and each opens the chat at its note', async () => {
    await inbox.write('Ada Lovelace', 'Notes on the engine?');
    const { id: chatId } = await inbox.chatWith('Ada Lovelace');
    const person = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/profile');
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications');
    await expect.poll(() => page.title(), WAIT).toMatch(/^Your account/);
    const colleague = await test.createPerson('agent', { name: 'Charles Babbage' });
    const other = await test.pageOf(colleague);
    await other.open(`/inbox/${chatId}`);
    await title(other.page, 'Ada Lovelace').waitFor();
    await mention(chatId, person.userId, 'Please look at table 1');
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications, 1 unread');
    await expect.poll(() => page.title(), WAIT).toMatch(/^\(1\) /);

    await page.keyboard.press('b');
    await panel(page).getByText('mentioned you in a note').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await title(page, 'Ada Lovelace').waitFor();
    await thread(page).getByText('Please look at table 1').waitFor();
    await expect.poll(() => panel(page).isVisible(), WAIT).toBe(false);
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications');
    await expect.poll(() => page.title(), WAIT).not.toMatch(/^\(/);
    expectNoProblems();
  });

  it('marks one or all as read, says who did it, and is the same after a reload', async () => {
    const person = await test.createPerson('agent');
    const colleague = await test.createPerson('agent', { name: 'Annie Easley' });
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/profile');
    await bell(page).waitFor();
    const by = await test.pageOf(colleague);
    for (const name of ['Assigned One', 'Assigned Two', 'Assigned Three']) {
      await inbox.write(name, 'Hello');
      const { id } = await inbox.chatWith(name);
      await by.open(`/inbox/${id}`);
      await title(by.page, name).waitFor();
      await by.page.keyboard.press('a');
      const assignee = (await nameOf(person.userId)) as string;
      await by.page.getByRole('combobox').fill(assignee);
      await by.page.getByRole('option', { name: assignee }).first().waitFor(WAIT);
      await by.page.keyboard.press('Enter');
      await by.page.getByText('Assigned to').first().waitFor();
    }
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications, 3 unread');
    await bell(page).click();
    await expect
      .poll(() => panel(page).getByText('Annie Easley assigned a chat to you').count(), WAIT)
      .toBe(3);
    await panel(page).getByRole('button', { name: 'Mark as read', exact: true }).first().click();
    await expect.poll(() => page.title(), WAIT).toMatch(/^\(2\) /);
    await panel(page).getByRole('button', { name: 'Mark all as read' }).click();
    await expect.poll(() => page.title(), WAIT).not.toMatch(/^\(/);
    await page.reload();
    await bell(page).click();
    await panel(page).getByText('Assigned Three').waitFor();
    expect(await panel(page).getByRole('button', { name: 'Mark as read', exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel(page).isVisible(), WAIT).toBe(false);
    expectNoProblems();
  });
  const nameOf = async (userId: string): Promise<string | undefined> =>
    (await test.api('GET', `/v3/users/${userId}`)).name;

  it('looking at the chat is reading: what arrives in it does not count', async () => {
    const person = await test.createPerson('agent');
    const from = await inbox.write('Looked At', 'Hello');
    const { id } = await inbox.chatWith('Looked At');
    await test.api('POST', `/v3/chats/${id}/assignment`, { userId: person.userId });
    const { page, open } = await test.pageOf(person);
    await open(`/inbox/${id}`);
    await title(page, 'Looked At').waitFor();
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications');
    await inbox.write('Looked At', 'Are you there?', { from });
    await thread(page).getByText('Are you there?').waitFor(WAIT);
    const unread = async (): Promise<number> =>
      page.evaluate(`fetch('/v3/notifications/search', {
        method: 'POST', headers: { 'content-type': 'application/json', 'parley-tenant': '${test.tenantId}' }, body: '{}',
      }).then((answer) => answer.json()).then((answer) => answer.data.length * 100 + answer.unreadCount)`);
    // Two notifications, assigned and received, and none is unread.
    await expect.poll(unread, WAIT).toBe(200);
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications');
  });

  it('tells somebody who is restricted to a team nothing about other chats', async () => {
    const channelId = await inbox.createChannel('Hidden', '+12025550177');
    await inbox.write('Hidden Person', 'Secret', { channelId });
    await inbox.write('Seen Person', 'Hello');
    const hidden = await inbox.chatWith('Hidden Person');
    const seen = await inbox.chatWith('Seen Person');
    const agent = await test.createPerson('agent');
    await test.api('PUT', `/v3/users/${agent.userId}`, { access: 'teams' });
    await test.api('POST', '/v3/teams', {
      name: 'Shop',
      userIds: [agent.userId],
      channelIds: [inbox.channelId],
    });
    const { page, open } = await test.pageOf(agent);
    await open('/inbox');
    await row(page, 'Seen Person').waitFor(WAIT);
    await mention(hidden.id, agent.userId, 'Look at the secret');
    await mention(seen.id, agent.userId, 'Look at this');
    await expect.poll(() => bell(page).getAttribute('aria-label'), WAIT).toBe('Notifications, 1 unread');
    await bell(page).click();
    await panel(page).getByText('Seen Person').waitFor();
    expect(await panel(page).textContent()).not.toContain('Hidden');
  });

  it('is in the bar of a phone, and its list fits', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent', {
      viewport: { width: 360, height: 740 },
    });
    await open('/inbox');
    await bell(page).click();
    await panel(page).getByText('Nothing new').waitFor();
    const box = await panel(page).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360 && box.y + box.height <= 740).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    expectNoProblems();
  });
});
