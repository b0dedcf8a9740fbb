import { beforeAll, describe, expect, it } from 'vitest';
import { EMOJI } from '../../../console/src/screens/inbox/emoji-data.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { reply, row, type TestInbox, thread, title, useInbox, WAIT } from '../kit/inbox.ts';

const HOUR_MS = 3_600_000;
/** A picture of one point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** Half a second of silence: frames of MPEG-1 layer 3 with 128 kbit/s. */
const MP3 = Buffer.concat(
  Array.from({ length: 20 }, () => Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)])),
);

it('emoji have names in both languages, and each is there once', () => {
  expect(new Set(EMOJI.map(({ sign }) => sign)).size).toBe(EMOJI.length);
  for (const { sign, en, de } of EMOJI) expect([sign, en !== '', de !== '']).toEqual([sign, true, true]);
});

describe.runIf(CHROMIUM)('the composer', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });
  async function openChat(name: string, person?: Awaited<ReturnType<TestConsole['createPerson']>>) {
    await inbox.write(name, `Hello from ${name}`);
    const { id } = await inbox.chatWith(name);
    const opened = await test.pageOf(person ?? (await test.createPerson('agent')));
    await opened.open(`/inbox/${id}`);
    await title(opened.page, name).waitFor();
    return { ...opened, chatId: id as string };
  }

  it('after the reply window only an approved template is sent, with its variables', async () => {
    const template = await test.api('POST', '/v3/message_templates', {
      channelId: inbox.channelId,
      name: 'come_back',
      language: 'en',
      body: 'Hello {{name}}, your {{thing}} is ready.',
    });
    await expect
      .poll(async () => (await test.api('GET', `/v3/message_templates/${template.id}`)).status, WAIT)
      .toBe('approved');
    await inbox.write('Late Customer', 'Until tomorrow');
    const { id } = await inbox.chatWith('Late Customer');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await page.clock.setFixedTime(Date.now() + 25 * HOUR_MS);
    await open(`/inbox/${id}`);
    await page.getByText('The reply window has closed').waitFor(WAIT);
    expect(await reply(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Choose a template' }).click();
    await page.keyboard.type('come');
    await page.getByRole('option').first().waitFor(WAIT);
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('name', { exact: true }).inputValue()).toBe('Late');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByLabel('thing').fill('<b>order</b>');
    await page.getByText('Hello Late, your <b>order</b> is ready.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(inbox.outbox, WAIT).toContain('Hello Late, your <b>order</b> is ready.');
    await thread(page).getByText('Hello Late, your <b>order</b> is ready.').waitFor();
    // Notes are for colleagues: they have no window.
    await page.keyboard.press('n');
    await page.keyboard.type('Sent the template');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('Sent the template').waitFor(WAIT);
    expectNoProblems();
  });

  it('a slash finds saved replies, with the customer’s name filled in, and typing goes on', async () => {
    await test.api('POST', '/v3/saved_replies', {
      shortcut: 'thanks',
      text: 'Thank you, {{ contact.firstName }}!',
    });
    const other = await inbox.createChannel('Elsewhere', '+12025550122');
    await test.api('POST', '/v3/saved_replies', {
      shortcut: 'elsewhere',
      text: 'Not here',
      channelIds: [other],
    });
    const { page, expectNoProblems } = await openChat('Saved Reader');
    await page.keyboard.press('r');
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Saved replies' });
    await dialog.getByText('/thanks').waitFor();
    expect(await dialog.getByText('/elsewhere').count()).toBe(0);
    await page.keyboard.type('thank');
    await page.keyboard.press('Enter');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Thank you, Saved!');
    await page.keyboard.type(' See you. a/b');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Thank you, Saved! See you. a/b');
    await page.keyboard.press('Control+Enter');
    await expect.poll(inbox.outbox, WAIT).toContain('Thank you, Saved! See you. a/b');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('');
    await page.keyboard.type('still here');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('still here');
    expectNoProblems();
  });

  it('a message that could not be sent stays, and is sent once when it is tried again', async () => {
    const { page, expectNoProblems } = await openChat('Unlucky Reader');
    await page.route('**/v3/chats/*/messages', (route) => route.abort());
    await reply(page).fill('This must arrive once');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('Not sent').waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    await page.unroute('**/v3/chats/*/messages');
    // The server takes it, but the answer is lost.
    await page.route('**/v3/chats/*/messages', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await thread(page).getByRole('button', { name: 'Try again' }).click();
    await thread(page).getByText('Not sent').waitFor(WAIT);
    await page.unroute('**/v3/chats/*/messages');
    await thread(page).getByRole('button', { name: 'Try again' }).click();
    await thread(page)
      .getByText('Not sent')
      .waitFor({ state: 'detached', ...WAIT });
    await expect.poll(inbox.outbox, WAIT).toContain('This must arrive once');
    await expect.poll(() => thread(page).getByText('This must arrive once').count(), WAIT).toBe(1);
    expect((await inbox.outbox()).split('This must arrive once')).toHaveLength(2);

    await page.route('**/v3/chats/*/messages', (route) => route.abort());
    await reply(page).fill('Never mind');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByRole('button', { name: 'Discard' }).click(WAIT);
    expect(await thread(page).getByText('Never mind').count()).toBe(0);
    expectNoProblems(/ERR_FAILED/);
  });

  it('a reload keeps what was begun, and leaving with a message that has not arrived is asked about', async () => {
    const { page, expectNoProblems } = await openChat('Forgetful Reader');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.keyboard.press('n');
    await page.keyboard.type('Half a note');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.keyboard.type('Half an answer');
    await page.reload();
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Half an answer');
    await page.route('**/v3/chats/*/messages', (route) => route.abort());
    await reply(page).press('Control+Enter');
    await thread(page).getByText('Not sent').waitFor(WAIT);
    expect(asked).toEqual([]);
    await page.evaluate('location.reload()');
    await expect.poll(() => asked, WAIT).toEqual(['beforeunload']);
    await thread(page).getByRole('button', { name: 'Discard' }).click();
    await page.reload();
    await title(page, 'Forgetful Reader').waitFor();
    await page.keyboard.press('n');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Note' }).inputValue(), WAIT)
      .toBe('Half a note');
    expect(await thread(page).getByText('Half an answer').count()).toBe(0);
    expect(asked).toHaveLength(1);
    const drafts = () =>
      page.evaluate(`Object.keys(sessionStorage).filter((key) => key.includes('draft')).length`);
    expect(await drafts()).toBe(1);
    const logOut = async () => {
      await page.getByRole('button', { name: 'Account and settings' }).filter({ visible: true }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
    };
    await logOut();
    const question = page.getByRole('dialog', { name: 'Discard what was not sent?' });
    await question.getByText('It is lost if you log out.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Half a note');
    await logOut();
    await question.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    expect(await drafts()).toBe(0);
    expect(asked).toHaveLength(1);
    expectNoProblems(/ERR_FAILED/);
  });

  it('the vendor’s refusal is shown with its reason, and tells the author', async () => {
    await inbox.write('Refusing Reader', 'Hello', { from: '+12025560001' });
    const { id } = await inbox.chatWith('Refusing Reader');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/inbox/${id}`);
    await reply(page).fill('You will not get this');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('The message cannot be delivered to this recipient.').waitFor(WAIT);
    await page.keyboard.press('Escape');
    expectNoProblems();
  });

  it('pictures are shown and audio is played', async () => {
    const { page, expectNoProblems } = await openChat('Media Reader');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'point.png', mimeType: 'image/png', buffer: PNG },
      { name: 'silence.mp3', mimeType: 'audio/mpeg', buffer: MP3 },
    ]);
    await reply(page).fill('Look and listen');
    await page.keyboard.press('Control+Enter');
    const picture = thread(page).getByRole('img', { name: 'point.png' });
    await picture.waitFor(WAIT);
    await expect
      .poll(() => page.evaluate(`document.querySelector('[role=log] img').naturalWidth`), WAIT)
      .toBe(1);
    await thread(page).getByText('Look and listen').waitFor();
    const audio = thread(page).locator('audio');
    await audio.waitFor(WAIT);
    await expect
      .poll(() => page.evaluate<number>(`document.querySelector('audio').readyState`), WAIT)
      .toBeGreaterThan(0);
    expect(await page.evaluate<number>(`document.querySelector('audio').duration`)).toBeGreaterThan(0.4);
    expect(await findViolations(page)).toEqual([]);
    expectNoProblems();
  });

  it('nothing is lost of what somebody types without a pause', async () => {
    const person = await test.createPerson('agent', { name: 'Dorothy Vaughan' });
    const { page, expectNoProblems } = await openChat('Fast Reader', person);
    // The people are known.
    await page.keyboard.press('a');
    await page.getByRole('option', { name: /Dorothy Vaughan/ }).waitFor(WAIT);
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.keyboard.type('one ');
    for (const word of ['two', 'three', 'four']) {
      await page.keyboard.type('@dorothy');
      await page.keyboard.press('Enter');
      await page.keyboard.type(`${word} `);
    }
    await page.keyboard.type('@');
    await page.keyboard.press('Escape');
    await page.keyboard.type('end');
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe(
      'one @Dorothy Vaughan two @Dorothy Vaughan three @Dorothy Vaughan four @end',
    );
    expectNoProblems();
  });

  it('an emoji is found by its name in either language, by keys alone', async () => {
    const { page, expectNoProblems } = await openChat('Emoji Reader');
    await reply(page).fill('Done ');
    const button = page.getByRole('button', { name: 'Emoji' });
    await button.press('Enter');
    await page.getByRole('combobox', { name: 'Type what it shows' }).waitFor();
    await page.keyboard.type('rakete');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Done 🚀');
    await button.press('Enter');
    await page.keyboard.type('thumbs');
    await page.getByRole('option').nth(1).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Done 🚀👎');
    await page.keyboard.type('!');
    await expect.poll(() => reply(page).inputValue(), WAIT).toBe('Done 🚀👎!');
    await button.press('Enter');
    await page.keyboard.type('nothing like this');
    await page.getByText('Nothing matches').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.tagName'), WAIT).toBe('TEXTAREA');
    expectNoProblems();
  });

  it('a note is changed and deleted, for colleagues at once', async () => {
    const { page, chatId, expectNoProblems } = await openChat('Noted Person');
    const colleague = await test.pageFor('agent');
    await colleague.open(`/inbox/${chatId}`);
    await title(colleague.page, 'Noted Person').waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('Wrong');
    await page.keyboard.press('Control+Enter');
    await thread(colleague.page).getByText('Wrong').waitFor(WAIT);
    await page.getByRole('button', { name: 'Change the note' }).click();
    await page.getByRole('menuitem', { name: 'Edit note' }).click();
    await page.getByRole('textbox', { name: 'Edit note' }).fill('Right');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('Right').waitFor(WAIT);
    await thread(colleague.page).getByText('Right').waitFor(WAIT);
    await thread(page).getByText('Edited').waitFor(WAIT);
    await page.getByRole('button', { name: 'Change the note' }).click();
    await page.getByRole('menuitem', { name: 'Delete note' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this note?' });
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete note' }).click();
    await thread(page)
      .getByText('Right')
      .waitFor({ state: 'detached', ...WAIT });
    await thread(colleague.page)
      .getByText('Right')
      .waitFor({ state: 'detached', ...WAIT });
    expectNoProblems();
  });

  it('what is written while a chat is being read is not lost', async () => {
    await inbox.write('Slow Reader', 'Hello');
    const { id } = await inbox.chatWith('Slow Reader');
    const { page, open } = await test.pageFor('agent');
    let isHeld = true;
    let release = (): void => {};
    const written = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The answers to the first requests are from before, and arrive after the event.
    await page.route(/\/v3\/chats\/[^/]+\/(messages|notes)\/search$/, async (route) => {
      const response = await route.fetch();
      if (isHeld) await written;
      await route.fulfill({ response });
    });
    const heard = page.waitForRequest(/\/v3\/events\/stream/);
    const read = page.waitForRequest(/\/notes\/search$/);
    await open(`/inbox/${id}`);
    await Promise.all([heard, read]);
    await title(page, 'Slow Reader').waitFor();
    await test.api('POST', `/v3/chats/${id}/notes`, { text: 'Written meanwhile' });
    await test.api('POST', `/v3/chats/${id}/messages`, { text: 'Sent meanwhile' });
    // Its events have arrived when the list shows the message.
    await row(page, 'Sent meanwhile').waitFor(WAIT);
    isHeld = false;
    release();
    await thread(page).getByText('Written meanwhile').waitFor(WAIT);
    await thread(page).getByText('Sent meanwhile').waitFor(WAIT);
  });

  it('the panel of the contact shows what happened, and which automations wait', async () => {
    const automation = await test.api('POST', '/v3/automations', {
      name: 'Ask tomorrow',
      trigger: { type: 'api' },
      steps: [
        { id: 'wait', type: 'wait', parameters: { for: 'P1D' } },
        { id: 'end', type: 'end' },
      ],
    });
    await test.api('POST', `/v3/automations/${automation.id}/publish`);
    const { page, chatId, expectNoProblems } = await openChat('Panel Person');
    const { contactId } = await test.api('GET', `/v3/chats/${chatId}`);
    await page.getByRole('button', { name: 'Contact', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Contact' });
    await panel.getByText('Contact created').waitFor(WAIT);
    await test.api('POST', `/v3/automations/${automation.id}/trigger`, { contactId });
    await panel.getByRole('link', { name: 'Ask tomorrow' }).waitFor(WAIT);
    await panel.getByText('Automation started: Ask tomorrow').waitFor(WAIT);
    await panel.getByText('Automations at work').waitFor();
    const label = await test.api('POST', '/v3/labels', { name: 'vip' });
    await test.api('POST', `/v3/contacts/${contactId}/labels`, { labels: [{ id: label.id }] });
    await panel.getByText('labels: vip').waitFor(WAIT);
    // What the chat shows is not said twice.
    expect(await panel.getByText('Hello from Panel Person').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expectNoProblems();
  });
});
