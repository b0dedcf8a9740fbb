import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { reply, row, type TestInbox, thread, title, useInbox, WAIT } from '../kit/inbox.ts';

/** Drops a file on an element, as from a folder of the device. */
const drop = (page: Page, selector: string): Promise<void> =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'.repeat(2048)], 'plan.pdf', { type: 'application/pdf' }));
    for (const type of ['dragover', 'drop'])
      document.querySelector('${selector}')
        .dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);

describe.runIf(CHROMIUM)('a day at the front desk', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });
  async function openChat(name: string) {
    await inbox.write(name, `Hello from ${name}`);
    const { id } = await inbox.chatWith(name);
    const opened = await test.pageFor('agent');
    await opened.open(`/inbox/${id}`);
    await title(opened.page, name).waitFor(WAIT);
    await thread(opened.page).getByText(`Hello from ${name}`).waitFor(WAIT);
    return { ...opened, chatId: id as string };
  }
  const messagesOf = (chatId: string) => test.api('POST', `/v3/chats/${chatId}/messages/search`, {});

  it('somebody who never wrote is written to first, by keyboard', async () => {
    const sms = await inbox.createChannel('Desk SMS', '+12025550131', 'sms');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, 'Mina Park').first().waitFor(WAIT);
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New chat' });
    await dialog.getByRole('combobox').fill('+12025559911');
    await dialog.getByRole('option', { name: 'Write to +12025559911' }).waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Write to +12025559911 on' }).waitFor(WAIT);
    await page.keyboard.type('Desk SMS');
    await page.keyboard.press('Enter');
    await title(page, '+12025559911').waitFor(WAIT);
    await expect.poll(() => page.title(), WAIT).toMatch(/^\+12025559911 · Inbox/);
    await reply(page).fill('Your bike is ready.');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('Your bike is ready.').waitFor(WAIT);
    await expect
      .poll(async () => (await test.api('POST', '/v3/chats/search', { search: '+12025559911' }))[0], WAIT)
      .toMatchObject({ channelId: sms, latestMessage: { text: 'Your bike is ready.' } });
    expectNoProblems();
  });

  it('where the customer must write first, only a template is offered', async () => {
    const contact = await test.api('POST', '/v3/contacts', {
      phoneNumber: '+12025559912',
      firstName: 'Vera',
    });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/contacts/${contact.id}`);
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('menuitem', { name: 'Shop', exact: true }).click();
    await page.getByText('The customer has not written here yet.').waitFor(WAIT);
    expect(await reply(page).count()).toBe(0);
    expectNoProblems();
  });

  it('a reply answers one message, waits for its time, and comes back when it is cancelled', async () => {
    const { page, chatId, expectNoProblems } = await openChat('Paula Patient');
    const [asked] = await messagesOf(chatId);
    await thread(page).getByText('Hello from Paula').hover();
    await thread(page).getByRole('button', { name: 'About this message' }).click();
    await page.getByRole('menuitem', { name: 'Reply to this message' }).click();
    await page.getByRole('button', { name: 'Do not reply to this message' }).waitFor();
    await page.keyboard.type('Tomorrow at nine.');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem', { name: 'Send later' }).click();
    await page.getByLabel('Date and time').fill('2099-01-01T09:00');
    await page.getByText('The reply window closes on').waitFor();
    const dialog = page.getByRole('dialog', { name: 'Send later' });
    expect(await dialog.getByRole('button', { name: 'Send later' }).isDisabled()).toBe(true);
    await page.getByRole('option', { name: /^In three hours/ }).click();
    await thread(page).getByText('Scheduled for').waitFor(WAIT);
    const found = (await messagesOf(chatId)).find(
      ({ text }: { text: string }) => text === 'Tomorrow at nine.',
    );
    expect(found).toMatchObject({ status: 'queued', replyToMessageId: asked.id });
    expect(Date.parse(found.scheduledAt)).toBeGreaterThan(Date.now());

    await thread(page).getByText('Tomorrow at nine.').hover();
    await thread(page).getByRole('button', { name: 'About this message' }).last().click();
    await page.getByRole('menuitem', { name: 'Do not send' }).click();
    await page.getByText('It is in the field again.').waitFor(WAIT);
    expect(await reply(page).inputValue()).toBe('Tomorrow at nine.');
    await expect.poll(() => thread(page).getByText('Scheduled for').count(), WAIT).toBe(0);
    expect(await messagesOf(chatId)).toHaveLength(1);
    expectNoProblems();
  });

  it('a file that is dropped on the chat is attached, and one that is dropped beside it does no harm', async () => {
    const { page, expectNoProblems } = await openChat('Fiona Files');
    const attached = page.getByRole('list', { name: 'Attached files' });
    await drop(page, '[role=log]');
    await attached.getByText('plan.pdf').waitFor(WAIT);
    await attached.getByText('2 kB').waitFor();
    const address = page.url();
    await drop(page, 'nav');
    expect(page.url()).toBe(address);
    expect(await attached.getByText('plan.pdf').count()).toBe(1);
    await page.getByRole('tab', { name: 'Note' }).click();
    await drop(page, '[role=log]');
    await page.getByText('A note cannot have files.').waitFor();
    expectNoProblems();
  });

  it('what the customer says about themselves is written down beside the chat', async () => {
    const { page, expectNoProblems } = await openChat('Nameless');
    const panel = page.getByRole('complementary', { name: 'Contact' });
    if (!(await panel.isVisible())) await page.getByRole('button', { name: 'Contact', exact: true }).click();
    await panel.getByRole('button', { name: 'Edit contact' }).click();
    await page.getByRole('dialog').getByLabel('First name').fill('Erika');
    await page.getByRole('dialog').getByLabel('Last name').fill('Mustermann');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await title(page, 'Erika Mustermann').first().waitFor(WAIT);
    await panel.getByRole('link', { name: 'Erika Mustermann' }).waitFor(WAIT);
    expectNoProblems();
  });

  it('a chat is closed, Z takes that back, and J goes on where it was', async () => {
    for (const name of ['Queue One', 'Queue Two', 'Queue Three']) await inbox.write(name, 'Next, please');
    const { id } = await inbox.chatWith('Queue Two');
    await inbox.chatWith('Queue Three');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, 'Queue Two').click();
    await title(page, 'Queue Two').waitFor(WAIT);
    const names = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[id^="chat-"]')].map(({ id }) => id)`,
    );
    const after = names[names.indexOf(`chat-${id}`) + 1] as string;
    await page.keyboard.press('e');
    await page.getByText('Chat closed').waitFor(WAIT);
    await expect.poll(() => row(page, 'Queue Two').count(), WAIT).toBe(0);
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate<string>('document.activeElement.id'), WAIT).toBe(after);
    await page.keyboard.press('z');
    await row(page, 'Queue Two').waitFor(WAIT);
    await expect.poll(async () => (await test.api('GET', `/v3/chats/${id}`)).status, WAIT).toBe('open');
    expectNoProblems();
  });

  it('the device says what is new while nobody looks at the console', async () => {
    const person = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await page.addInitScript(`
      window.shown = [];
      window.Notification = class {
        static permission = 'default';
        static async requestPermission() { return (this.permission = 'granted'); }
        constructor(title, { body }) { window.shown.push(title + ': ' + body); }
        close() {}
      };`);
    await open('/profile');
    const choice = page.getByLabel('Show them in this browser');
    await choice.click();
    await expect.poll(() => choice.isChecked()).toBe(true);
    const assign = async (name: string): Promise<void> => {
      await inbox.write(name, 'Is somebody there?');
      const { id } = await inbox.chatWith(name);
      await test.api('POST', `/v3/chats/${id}/assignment`, { userId: person.userId });
      await page.getByRole('button', { name: /unread/ }).waitFor(WAIT);
    };
    await assign('Seen Sally');
    await page.evaluate(`window.dispatchEvent(new Event('blur'))`);
    await assign('Unseen Ursula');
    await expect
      .poll(() => page.evaluate<string[]>('window.shown'), WAIT)
      .toEqual([expect.stringMatching(/^Unseen Ursula: .* assigned a chat to you$/)]);
    expectNoProblems();
  });

  it('paper shows the messages, and nothing to press', async () => {
    const { page, expectNoProblems } = await openChat('Petra Paper');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await thread(page).getByText('Hello from Petra').waitFor();
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');
    expectNoProblems();
  });

  it('a column becomes an attribute of its own, which the settings list', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/imports/new');
    await page.locator('input[type=file]').setInputFiles({
      name: 'customers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Email,Customer number\nnora@example.com,K-77\n'),
    });
    const dialog = page.getByRole('dialog', { name: 'customers.csv' });
    const becomes = dialog.getByRole('combobox', { name: 'What Customer number becomes' });
    await becomes.selectOption({ label: 'New attribute “Customer number”' });
    await expect.poll(() => becomes.inputValue(), WAIT).toBe('attributes.customerNumber');
    await dialog.getByRole('button', { name: 'Import without a check' }).click();
    await dialog.getByText('Imported', { exact: true }).waitFor(WAIT);
    const [nora] = await test.api('POST', '/v3/contacts/search', { search: 'nora@example.com' });
    expect(nora.attributes).toMatchObject([{ externalId: 'customerNumber', value: 'K-77' }]);

    await open('/settings/attributes');
    await page.getByRole('button', { name: 'New attribute' }).first().click();
    const form = page.getByRole('dialog', { name: 'New attribute' });
    await form.getByLabel('Name', { exact: true }).fill('Größe (EU)');
    expect(await form.getByLabel('Name in texts and programs').inputValue()).toBe('grosseEu');
    await form.getByLabel('Kind').selectOption('Choice');
    await form.getByLabel('Values').fill('XS\nM\n\nM\nXXL');
    expect(await findViolations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Choice XS, M, XXL' }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Actions for Customer number' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByLabel('Type "Customer number" to confirm').fill('Customer number');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByRole('cell', { name: 'Customer number' }).count(), WAIT).toBe(0);
    expectNoProblems();
  });

  it('the address keeps what the audit log is filtered by', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/audit');
    await page.getByLabel('When', { exact: true }).selectOption('Last 30 days');
    await page.getByLabel('Search for a name or an id').fill('nobody at all');
    await page.getByText('Nothing found').waitFor(WAIT);
    await page.reload();
    await page.getByText('Nothing found').waitFor(WAIT);
    expect(await page.getByLabel('Search for a name or an id').inputValue()).toBe('nobody at all');
    expect(await page.getByLabel('When', { exact: true }).inputValue()).toBe('P30D');
    expectNoProblems();
  });
});
