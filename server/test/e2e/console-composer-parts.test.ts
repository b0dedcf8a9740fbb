import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { hold } from '../kit/hold.ts';
import { reply, type TestInbox, thread, title, useInbox, WAIT, waitForKind } from '../kit/inbox.ts';
import { onPhone } from './phone-page.ts';

describe.runIf(CHROMIUM)('what a reply has besides its text', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });

  it('buttons are kept by a reload, sent below the text, and tapped by the customer', async () => {
    await inbox.write('Tapping Customer', 'Hello');
    const { id } = await inbox.chatWith('Tapping Customer');
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/inbox/${id}`);
    await title(page, 'Tapping Customer').waitFor(WAIT);
    const send = page.getByRole('button', { name: 'Send', exact: true });
    const addButton = page.getByRole('button', { name: 'Add a button' });
    await page.getByRole('button', { name: 'Buttons to tap' }).click(WAIT);
    await page.keyboard.type('Monday');
    await addButton.click();
    await page.keyboard.type('A title of more than twenty characters');
    expect(await page.getByRole('textbox', { name: 'Button 2' }).inputValue()).toHaveLength(20);
    await page.getByRole('textbox', { name: 'Button 2' }).fill('Tuesday');
    await addButton.click();
    await page.getByRole('textbox', { name: 'Button 3' }).waitFor();
    expect(await addButton.count()).toBe(0);
    await page.getByRole('button', { name: 'Remove button 3' }).click();
    // They belong to a text.
    expect(await send.isDisabled()).toBe(true);
    await reply(page).fill('Which day?');
    expect(await findViolations(page)).toEqual([]);
    await page.reload();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Button 2' }).inputValue(), WAIT)
      .toBe('Tuesday');
    await send.click();
    await page.getByRole('textbox', { name: 'Button 1' }).waitFor({ state: 'detached', ...WAIT });
    await thread(page).first().getByText('Which day?').waitFor(WAIT);
    await page.keyboard.press('p');
    await onPhone(page).getByRole('button', { name: 'Tuesday' }).click(WAIT);
    const find = () => test.api('POST', `/v3/chats/${id}/messages/search`, { sortBy: 'desc(createdAt)' });
    await expect
      .poll(async () => (await find())[0], WAIT)
      .toMatchObject({ sender: 'inbound', text: 'Tuesday', content: { id: 'button_2', title: 'Tuesday' } });
    expectNoProblems();
  });

  it('a button that has no title yet leaves the keys to the chat', async () => {
    await inbox.write('Waiting Customer', 'Hello');
    const { id } = await inbox.chatWith('Waiting Customer');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await page.getByRole('button', { name: 'Buttons to tap' }).click(WAIT);
    const field = page.getByRole('textbox', { name: 'Button 1' });
    const focused = page.locator(':focus');
    await field.and(focused).waitFor(WAIT);
    await page.keyboard.press('Escape');
    await field.and(focused).waitFor({ state: 'detached', ...WAIT });
    await title(page, 'Waiting Customer').waitFor(WAIT);
    await page.reload();
    await field.waitFor(WAIT);
    expect(await field.and(focused).count()).toBe(0);
    await page.keyboard.press('r');
    await reply(page).and(focused).waitFor(WAIT);
    await page.getByRole('button', { name: 'Remove button 1' }).click();
    await field.waitFor({ state: 'detached', ...WAIT });
    await reply(page).and(focused).waitFor(WAIT);
    expectNoProblems();
  });

  it('there are no buttons where the channel has none', async () => {
    const channelId = await inbox.createChannel('Plain SMS', '+12025550188', 'sms');
    await inbox.write('Plain Customer', 'Hello', { channelId });
    const { id } = await inbox.chatWith('Plain Customer');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await title(page, 'Plain Customer').waitFor(WAIT);
    await waitForKind(page, 'Plain Customer', 'SMS');
    await page.getByRole('button', { name: 'Saved replies' }).waitFor(WAIT);
    expect(await page.getByRole('button', { name: 'Buttons to tap' }).count()).toBe(0);
    expectNoProblems();
  });

  it('a saved reply brings the files that were attached to it in the settings', async () => {
    await inbox.write('Price Customer', 'What does it cost?');
    const { id } = await inbox.chatWith('Price Customer');
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/replies');
    await page.getByRole('button', { name: 'New saved reply' }).first().click(WAIT);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Shortcut').fill('prices');
    await dialog.getByLabel('Text').fill('Here is the list, {{ contact.firstName }}');
    const pdf = (name: string) => ({
      name,
      mimeType: 'application/pdf',
      buffer: Buffer.from(`%PDF-1.4 ${name}`),
    });
    await dialog.locator('input[type=file]').setInputFiles([pdf('prices.pdf'), pdf('old.pdf')]);
    await dialog.getByRole('button', { name: 'Remove old.pdf' }).click(WAIT);
    await dialog.getByRole('button', { name: 'Remove prices.pdf' }).waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'prices.pdf' }).waitFor(WAIT);

    await open(`/inbox/${id}`);
    await title(page, 'Price Customer').waitFor(WAIT);
    // Its bytes stay where they are.
    const moved: string[] = [];
    page.on('request', (request) => {
      if (/\/v3\/files/.test(request.url())) moved.push(`${request.method()} ${request.url()}`);
    });
    await page.getByRole('button', { name: 'Saved replies' }).click(WAIT);
    const rendered = await hold(page, /\/render$/);
    const option = page.getByRole('option', { name: /prices\.pdf/ });
    await option.click(WAIT);
    await rendered.held();
    await expect
      .poll(() => page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().isDisabled(), WAIT)
      .toBe(true);
    // Nothing else can be done until it is there: it would be lost, or there twice.
    await option.click();
    await page.keyboard.press('Escape');
    await option.waitFor();
    rendered.release();
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Here is the list, Price');
    const file = page.getByRole('button', { name: 'Remove prices.pdf' });
    await file.waitFor(WAIT);
    await page.reload();
    await file.waitFor(WAIT);
    expect(await file.count()).toBe(1);
    await waitForKind(page, 'Price Customer', 'WhatsApp');
    await reply(page).press('Control+Enter');
    await expect.poll(inbox.outbox, WAIT).toContain('prices.pdf');
    const sent = await test.api('POST', `/v3/chats/${id}/messages/search`, { sortBy: 'desc(createdAt)' });
    expect(sent[0]).toMatchObject({ text: 'Here is the list, Price', media: [{ filename: 'prices.pdf' }] });
    expect(moved).toEqual([]);
    expectNoProblems();
  });

  it('a message that was refused is written again with its buttons or its file', async () => {
    await inbox.write('Refusing Tapper', 'Hello', { from: '+12025560001' });
    const { id } = await inbox.chatWith('Refusing Tapper');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await title(page, 'Refusing Tapper').waitFor(WAIT);
    const pdf = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 plan') };
    await page.locator('input[type=file]').setInputFiles(pdf);
    await page.getByRole('button', { name: 'Buttons to tap' }).click(WAIT);
    await page.keyboard.type('Monday');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await reply(page).fill('x'.repeat(1025));
    await page.getByText('Shorten it by 1 character, or remove the buttons.').waitFor(WAIT);
    expect(await send.isDisabled()).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await reply(page).fill('Which day?');
    const sending = await hold(page, /\/v3\/chats\/[^/]+\/messages$/, (request) =>
      Boolean(request.postData()?.includes('Which day?')),
    );
    await send.click();
    await sending.held();
    await thread(page).getByRole('list', { name: 'Choices' }).getByText('Monday').waitFor(WAIT);
    sending.release();
    const failed = (text: string) =>
      thread(page).locator('[id^="entry-"]').filter({ hasText: text }).filter({ hasText: 'Failed' });
    async function writeAgain(text: string): Promise<void> {
      await failed(text).hover(WAIT);
      await failed(text).getByRole('button', { name: 'About this message' }).click();
      await page.getByRole('menuitem', { name: 'Write it again' }).click();
    }
    await writeAgain('Which day?');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Which day?');
    expect(await page.getByRole('textbox', { name: 'Button 1' }).inputValue()).toBe('Monday');
    await writeAgain('plan.pdf');
    await page.getByText('Something is written in the field already.').waitFor(WAIT);
    await page.getByRole('button', { name: 'Remove button 1' }).click();
    await reply(page).fill('');
    await writeAgain('plan.pdf');
    await page.getByRole('button', { name: 'Remove plan.pdf' }).waitFor(WAIT);
    expectNoProblems();
  });
});
