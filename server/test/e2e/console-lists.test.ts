import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chatFilters } from '../../../console/src/screens/inbox/chat-filter.ts';
import { readFilter, writeFilter } from '../../../console/src/ui/filter.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { row, rows, type TestInbox, thread, title, useInbox, view, WAIT } from '../kit/inbox.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Selected chats' });

describe('the chips of chats', () => {
  it('become a filter and come back', () => {
    const chips = [
      { field: 'status', value: 'open' },
      { field: 'assignee', value: 'me' },
      { field: 'assignee', value: 'nobody' },
      { field: 'assignee', value: '019a82a0-0000-7000-8000-000000000060' },
      { field: 'team', value: 'mine' },
      { field: 'team', value: '019a82a0-0000-7000-8000-000000000061' },
      { field: 'channel', value: '019a82a0-0000-7000-8000-000000000062' },
      { field: 'label', value: '019a82a0-0000-7000-8000-000000000063' },
      { field: 'unread', value: 'no' },
      { field: 'waiting', value: 'PT4H' },
      { field: 'quiet', value: 'P30D' },
    ];
    expect(readFilter(chatFilters, writeFilter(chatFilters, chips))).toEqual(chips);
  });

  it.each([
    'or(eq(status,"open"),eq(status,"closed"))',
    'eq(assignedUserId,me())x',
    'lt(waitingSince,now("-P2D"))',
    'isNull(assignedTeamId)',
  ])('leave a filter alone that says more: %s', (filter) => {
    expect(readFilter(chatFilters, filter)).toBeUndefined();
  });
});

describe.runIf(CHROMIUM)('the lists of the inbox', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  let others: string;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
    others = await inbox.createChannel('Others', '+12025550144');
  });
  /** Each of them writes once. */
  async function writeAll(names: readonly string[]) {
    for (const name of names) await inbox.write(name, `Hello from ${name}`);
    return Promise.all(names.map((name) => inbox.chatWith(name)));
  }
  const statusOf = async (name: string): Promise<string> => (await inbox.chatWith(name)).status;

  it('selects by x, by range and by checkbox, and closes what is selected', async () => {
    await writeAll(['Bulk One', 'Bulk Two', 'Bulk Three', 'Bulk Four']);
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox?q=Bulk');
    await expect.poll(() => rows(page).count(), WAIT).toBe(4);
    await row(page, 'Bulk Four').focus();
    await page.keyboard.press('x');
    await bar(page).getByText('1 selected').waitFor();
    await row(page, 'Bulk Two').click({ modifiers: ['Shift'] });
    await bar(page).getByText('3 selected').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/inbox');
    await page.getByRole('checkbox', { name: 'Select the chat with Bulk Three' }).click();
    await bar(page).getByText('2 selected').waitFor();
    await row(page, 'Bulk One').click({ modifiers: ['Control'] });
    await bar(page).getByText('3 selected').waitFor();
    expect(await findViolations(page)).toEqual([]);
    // What a search finds cannot be chosen as a whole: it has no filter.
    expect(await bar(page).getByRole('button', { name: 'All in this view' }).count()).toBe(0);
    await page.keyboard.press('e');
    await page.getByText('3 chats changed').waitFor(WAIT);
    expect(await bar(page).count()).toBe(0);
    for (const name of ['Bulk One', 'Bulk Two', 'Bulk Four']) expect(await statusOf(name)).toBe('closed');
    expect(await statusOf('Bulk Three')).toBe('open');
    expectNoProblems();
  });

  it('changes all chats of a view, also those that are not loaded', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `Many ${index}`);
    for (const name of names) await inbox.write(name, 'Hello', { channelId: others });
    const query = `eq(channelId,"${others}")`;
    const count = async () =>
      (await test.api('POST', '/v3/chats/counts', { views: [{ key: 'a', query }] }))[0].total;
    await expect.poll(count, WAIT).toBe(60);
    const label = await test.api('POST', '/v3/labels', { name: 'wholesale' });
    const saved = await test.api('POST', '/v3/views', {
      name: 'All of Others',
      query,
    });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox?view=${saved.id}`);
    await row(page, 'Many 59').waitFor(WAIT);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar(page).getByRole('button', { name: 'All in this view' }).click();
    await bar(page).getByText('60 selected').waitFor();
    await page.keyboard.press('l');
    await page.getByRole('combobox', { name: 'Type a label' }).fill('add whole');
    await page.getByRole('option', { name: /wholesale/ }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.getByText('60 chats changed').waitFor(WAIT);
    const labelled = await test.api('POST', '/v3/contacts/search', {
      query: `in(labelIds,"${label.id}")`,
      pagination: { limit: 100 },
    });
    expect(labelled).toHaveLength(60);
    expectNoProblems();
  });

  it('assigns, snoozes, opens and marks, and says what did not work', async () => {
    await writeAll(['Act One', 'Act Two']);
    const person = await test.createPerson('agent', { name: 'Bulk Taker' });
    const { page, open } = await test.pageOf(person);
    await open('/inbox?q=Act');
    await expect.poll(() => rows(page).count(), WAIT).toBe(2);
    const choose = async (): Promise<void> => {
      for (const name of ['Act One', 'Act Two'])
        await page.getByRole('checkbox', { name: `Select the chat with ${name}` }).check();
    };
    const changed = async (): Promise<void> => {
      // It stays while the pointer is on it.
      await page.getByText('2 chats changed').last().hover(WAIT);
      await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    };
    const facts = async () =>
      Promise.all(
        ['Act One', 'Act Two'].map(async (name) => {
          const { status, assignedUserId, isUnread } = await inbox.chatWith(name);
          return [status, assignedUserId, isUnread];
        }),
      );
    await choose();
    await page.keyboard.press('a');
    await page.keyboard.type('bulk taker');
    await page.getByRole('option', { name: /bulk taker/i }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await changed();
    await choose();
    await bar(page).getByRole('button', { name: 'Mark as read' }).click();
    await changed();
    expect(await facts()).toEqual(Array(2).fill(['open', person.userId, false]));
    await choose();
    await page.keyboard.press('h');
    await page.keyboard.type('tomorrow');
    await page.keyboard.press('Enter');
    await changed();
    await choose();
    await bar(page).getByRole('button', { name: 'Mark as unread' }).click();
    await changed();
    expect(await facts()).toEqual(Array(2).fill(['snoozed', person.userId, true]));
    await choose();
    await bar(page).getByRole('button', { name: 'Open again' }).click();
    await changed();
    expect((await facts()).map(([status]) => status)).toEqual(['open', 'open']);

    // One that is gone when the job comes to it.
    await choose();
    const { id } = await inbox.chatWith('Act Two');
    await page.route('**/v3/chats/bulk', async (route) => {
      await test.api('DELETE', `/v3/chats/${id}`);
      await route.continue();
    });
    await bar(page).getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('1 changed, 1 not.').waitFor(WAIT);
    expect(await statusOf('Act One')).toBe('closed');
  });

  it('offers somebody who only reads no selection and no view', async () => {
    await writeAll(['Only Read']);
    const { page, open, expectNoProblems } = await test.pageFor('viewer');
    await open('/inbox');
    await row(page, 'Only Read').focus();
    await page.keyboard.press('x');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New view' }).count()).toBe(0);
    expectNoProblems();
  });

  it('a view is created with chips, changed, shared and deleted', async () => {
    await writeAll(['View Person']);
    const person = await test.createPerson('agent', { name: 'View Maker' });
    const { id } = await inbox.chatWith('View Person');
    await test.api('POST', `/v3/chats/${id}/assignment`, { userId: person.userId });
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/inbox');
    await page.getByRole('button', { name: 'New view' }).click();
    const dialog = page.getByRole('dialog', { name: 'New view' });
    await dialog.getByLabel('Name').fill('My own');
    await dialog.getByRole('button', { name: 'Filter', exact: true }).click();
    const adding = page.getByRole('dialog', { name: 'Add a filter' });
    await adding.getByLabel('What').selectOption('Assigned to');
    await adding.getByLabel('Value').selectOption('The person who looks at it');
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Assigned to: The person who looks at it').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => view(page, 'My own').textContent(), WAIT).toContain('1');
    await expect.poll(() => rows(page).count(), WAIT).toBe(1);
    const [stored] = await test.api('POST', '/v3/views/search', { query: 'eq(name,"My own")' });
    // A token sees the shared ones only.
    expect(stored).toBeUndefined();

    const colleague = await test.pageFor('agent');
    await colleague.open('/inbox');
    await row(colleague.page, 'View Person').waitFor(WAIT);
    expect(await view(colleague.page, 'My own').count()).toBe(0);

    await page.getByRole('button', { name: 'Change the view My own' }).click();
    await page.getByRole('menuitem', { name: 'Edit view' }).click();
    const editing = page.getByRole('dialog', { name: 'Edit view' });
    await editing.getByLabel('Name').fill('Of everybody');
    await editing.getByLabel('Order').selectOption('Longest wait first');
    await editing.getByLabel('Share with everybody').check();
    await editing.getByRole('button', { name: 'Show as text' }).click();
    await editing.getByLabel('Filter as text').fill('eq(nonsense,1)');
    await editing.getByRole('button', { name: 'Apply' }).click();
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.getByText('nonsense').first().waitFor();
    await editing.getByLabel('Filter as text').fill('eq(assignedUserId,me())');
    await editing.getByRole('button', { name: 'Apply' }).click();
    await editing.getByRole('button', { name: 'Save' }).click();
    await view(page, 'Of everybody').waitFor(WAIT);
    const [shared] = await test.api('POST', '/v3/views/search', { query: 'eq(name,"Of everybody")' });
    expect(shared).toMatchObject({
      query: 'eq(assignedUserId,me())',
      sortBy: 'asc(waitingSince)',
      isShared: true,
      userId: person.userId,
    });
    await colleague.page.reload();
    await view(colleague.page, 'Of everybody').waitFor(WAIT);
    // It is somebody else's.
    expect(await colleague.page.getByRole('button', { name: /^Change the view/ }).count()).toBe(0);

    await page.getByRole('button', { name: 'Change the view Of everybody' }).click();
    await page.getByRole('menuitem', { name: 'Delete view' }).click();
    await page
      .getByRole('dialog', { name: 'Delete the view Of everybody?' })
      .getByRole('button', { name: 'Delete view' })
      .click();
    await view(page, 'Of everybody').waitFor({ state: 'detached', ...WAIT });
    await expect.poll(() => new URL(page.url()).searchParams.get('view'), WAIT).toBe('open');
    expectNoProblems(/status of 400/);
  });

  it('finds a message by its text, far back, and opens the chat at it', async () => {
    const from = await inbox.write('Long Talker', 'The purple elephant is in the <b>first</b> message');
    for (let index = 0; index < 150; index += 1)
      await inbox.write('Long Talker', `Message number ${index}`, { from });
    const { id } = await inbox.chatWith('Long Talker');
    const count = async (): Promise<number> =>
      (await test.api('POST', `/v3/chats/${id}/messages/search`, { pagination: { limit: 100, page: 1 } }))
        .length;
    await expect.poll(count, WAIT).toBe(51);
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, 'Long Talker').waitFor(WAIT);
    await page.keyboard.press('/');
    await page.keyboard.type('Purple elephant');
    await page.getByRole('heading', { name: 'Nobody found' }).waitFor(WAIT);
    await page.getByRole('tab', { name: 'Messages' }).click();
    const result = page.getByRole('link').filter({ hasText: 'Long Talker' });
    await result.waitFor(WAIT);
    expect(await result.locator('mark').textContent()).toBe('purple elephant');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await title(page, 'Long Talker').waitFor();
    const found = thread(page).getByText('The purple elephant is in the <b>first</b> message');
    await found.waitFor(WAIT);
    await expect
      .poll(async () => {
        const [outer, inner] = [await thread(page).boundingBox(), await found.boundingBox()];
        return outer && inner && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
      }, WAIT)
      .toBe(true);
    await page.keyboard.press('Escape');
    await result.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('pu');
    await page.getByText('Type at least 3 characters').waitFor(WAIT);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('no such text anywhere');
    await page.getByText('No message contains "no such text anywhere".').waitFor(WAIT);
    expectNoProblems();
  });

  it('an address that names a message of another chat, or nonsense, opens the chat', async () => {
    await writeAll(['Odd Address', 'Other Address']);
    const { id } = await inbox.chatWith('Odd Address');
    const other = (await inbox.chatWith('Other Address')).latestMessage.id;
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    for (const message of [other, 'nonsense', '"));', '']) {
      await open(`/inbox/${id}?message=${encodeURIComponent(message)}`);
      await thread(page).getByText('Hello from Odd Address').waitFor(WAIT);
    }
    expectNoProblems();
  });

  it('older messages are read while scrolling up', async () => {
    const { id } = await inbox.chatWith('Long Talker');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await thread(page).getByText('Message number 149', { exact: true }).waitFor(WAIT);
    expect(await thread(page).getByText('The purple elephant').count()).toBe(0);
    const before = await thread(page).getByText('Message number 149', { exact: true }).boundingBox();
    await expect
      .poll(async () => {
        await page.evaluate(`document.querySelector('[role=log]').scrollTo(0, -1e6)`);
        return thread(page).getByText('This is where the chat begins.').count();
      }, WAIT)
      .toBe(1);
    await thread(page).getByText('The purple elephant').waitFor();
    await page.evaluate(`document.querySelector('[role=log]').scrollTo(0, 0)`);
    await expect
      .poll(() => thread(page).getByText('Message number 149', { exact: true }).boundingBox(), WAIT)
      .toEqual(before);
    expectNoProblems();
  });
});
