import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { useReceiver } from '../kit/receiver.ts';
import { goTo } from './go-to.ts';
import { say, thread, WAIT } from './phone-page.ts';

const HOSTILE = '<img src=x onerror="window.broken=1"> ‮ "\\ 🏴‍☠️';
/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

describe.runIf(CHROMIUM)('what explains', () => {
  let test: TestConsole;
  let channelId: string;
  /** Where a new chat starts an automation. */
  let welcomeId: string;
  let labelId: string;
  let hookUrl: string;
  beforeAll(async () => {
    test = await useConsole({ PARLEY_OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
    const receiver = await useReceiver();
    hookUrl = receiver.url;
    await test.api('POST', '/v3/api_webhooks', { url: hookUrl, events: [{ type: 'message.received' }] });
    channelId = (
      await test.api('POST', '/v3/channels', {
        kind: 'whatsapp',
        provider: 'sandbox',
        name: 'Explained',
        address: '+12025559000',
      })
    ).id;
    welcomeId = (
      await test.api('POST', '/v3/channels', {
        kind: 'whatsapp',
        provider: 'sandbox',
        name: 'Welcoming',
        address: '+12025559100',
      })
    ).id;
    labelId = (await test.api('POST', '/v3/labels', { name: 'Explained' })).id;
    const steps = [{ id: 'hi', type: 'send_message', parameters: { text: 'Our kettles are blue' } }];
    const onMessage = (more: object) => ({
      type: 'message_received',
      parameters: { channelId, ...more },
    });
    for (const [name, trigger, isPublished] of [
      [`Kettles ${HOSTILE}`, onMessage({ keywords: ['kettle'] }), true],
      ['Teapots', onMessage({ keywords: ['teapot'] }), true],
      ['Sleeping', onMessage({}), false],
      ['By a program', { type: 'api', parameters: {} }, true],
      ['Welcome', { type: 'chat_opened', parameters: { channelId: welcomeId } }, true],
      ['Labelled', { type: 'label_added', parameters: { labelId } }, true],
    ] as const) {
      const { id } = await test.api('POST', '/v3/automations', { name, trigger, steps });
      if (isPublished) await test.api('POST', `/v3/automations/${id}/publish`);
    }
  });

  const findChat = async (from: string, over: string) =>
    (await test.api('POST', '/v3/chats/search', { query: `eq(channelId,"${over}")` })).find(
      (chat: { handle: { value: string } }) => chat.handle.value === from,
    );
  /** Somebody writes; resolves when the automation has answered. */
  async function write(from: string, name: string, text: string, over = channelId) {
    await test.api('POST', `/v3/sandbox/${over}/inbound`, { from, name, text });
    await expect.poll(() => findChat(from, over), WAIT).toBeDefined();
    const chat = await findChat(from, over);
    const messages = () => test.api('POST', `/v3/chats/${chat.id}/messages/search`, {});
    await expect.poll(async () => (await messages()).length, WAIT).toBe(2);
    const inbound = (await messages()).find((message: { sender: string }) => message.sender === 'inbound');
    return { chat, messageId: inbound.id as string };
  }

  it('a message of the phone is followed live, explained, and traced to the webhook and the answer', async () => {
    const owner = await test.createPerson('owner', { name: 'Olivia Owner' });
    const { page, open, expectNoProblems } = await test.pageOf(owner);
    const { chat } = await write('+12025559001', `Ada ${HOSTILE}`, 'A kettle?');
    const watching = await test.pageOf(owner);
    await watching.open('/events');
    await watching.page.getByRole('link', { name: 'Message received' }).first().waitFor(WAIT);
    await watching.page.getByRole('status').filter({ hasText: 'Live' }).waitFor(WAIT);

    await open(`/inbox/${chat.id}`);
    await thread(page).getByText('A kettle?').waitFor();
    await page.keyboard.press('p');
    await say(page, `Which kettle? ${HOSTILE}`);
    const bubble = thread(page).locator('[id^="entry-"]').filter({ hasText: 'Which kettle?' });
    await bubble.waitFor(WAIT);
    // The events of another window have it, too.
    await watching.page.getByRole('row').filter({ hasText: 'Which kettle?' }).first().waitFor(WAIT);

    await bubble.hover();
    await bubble.getByRole('button', { name: 'About this message' }).click();
    await page.getByRole('menuitem', { name: 'Why?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Why did automations start, or not?' });
    const row = (name: string) => dialog.getByRole('listitem').filter({ hasText: name });
    await row('Kettles').getByText('Started', { exact: true }).waitFor(WAIT);
    await row('Teapots').getByText('The message has none of its keywords.').waitFor();
    await row('Sleeping').getByText('It was not active at that time.').waitFor();
    await row('By a program').getByText('It waits for something else.').waitFor();
    expect(await findViolations(page)).toEqual([]);

    await dialog.getByRole('link', { name: 'Show trace' }).click();
    const tree = page.getByRole('tree', { name: 'Causes and consequences' });
    const item = (name: RegExp) => tree.getByRole('treeitem', { name });
    await item(/^Message from the contact.*Which kettle\?/).waitFor();
    await item(new RegExp(`^Webhook ${hookUrl}.*Delivered`)).waitFor(WAIT);
    await item(/^Automation Kettles.*Completed/).waitFor(WAIT);
    await item(/^Message to the contact.*Our kettles are blue/).waitFor(WAIT);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await findViolations(page)).toEqual([]);
    await item(/^Message from/)
      .getByRole('link', { name: 'Chat' })
      .click();
    await bubble.waitFor();
    expectNoProblems();
    watching.expectNoProblems();
  });

  it('the first message of somebody is what started the automation for new chats', async () => {
    const { chat } = await write('+12025559101', 'Hedy', 'Good morning', welcomeId);
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/inbox/${chat.id}`);
    const bubble = thread(page).locator('[id^="entry-"]').filter({ hasText: 'Good morning' });
    await bubble.hover();
    await bubble.getByRole('button', { name: 'About this message' }).click();
    await page.getByRole('menuitem', { name: 'Why?' }).click();
    const row = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Welcome' });
    await row.getByText('Started', { exact: true }).waitFor(WAIT);
    expectNoProblems();
  });

  it('a label explains what it started, for a contact who has written nothing', async () => {
    const contact = await test.api('POST', '/v3/contacts', {
      firstName: 'Mute',
      phoneNumber: '+12025559102',
    });
    await test.api('POST', `/v3/contacts/${contact.id}/labels`, { labels: [{ id: labelId }] });
    const runs = () =>
      test.api('POST', '/v3/automation_runs/search', { query: `eq(contactId,"${contact.id}")` });
    await expect.poll(async () => (await runs()).length, WAIT).toBe(1);
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/contacts/${contact.id}`);
    await page.getByRole('button', { name: 'Why?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Why did automations start, or not?' });
    const row = dialog.getByRole('listitem').filter({ hasText: 'Labelled' });
    await row.getByText('Started', { exact: true }).waitFor(WAIT);
    const causes = dialog.getByLabel('What happened');
    expect(await causes.locator('option').count()).toBe(2);
    await causes.selectOption({ index: 1 });
    await row.getByText('Did not start', { exact: true }).waitFor(WAIT);

    await page.keyboard.press('Escape');
    const other = await test.api('POST', '/v3/labels', { name: 'Added later' });
    await test.api('POST', `/v3/contacts/${contact.id}/labels`, { labels: [{ id: other.id }] });
    const query = `and(eq(contactId,"${contact.id}"),eq(type,"contact.labels_added"))`;
    await expect
      .poll(async () => (await test.api('POST', '/v3/events/search', { query })).length, WAIT)
      .toBe(2);
    await page.getByRole('button', { name: 'Why?' }).click();
    await expect.poll(() => causes.locator('option').count(), WAIT).toBe(3);
    expectNoProblems();
  });

  it('the trace is walked through by keyboard, and an unknown id says what to do', async () => {
    const { messageId } = await write('+12025559002', 'Grace', 'One kettle');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/trace');
    await page.getByLabel('Id of a message, an event, a run or a delivery').fill(messageId);
    await page.keyboard.press('Enter');
    const tree = page.getByRole('tree');
    const items = tree.getByRole('treeitem');
    await tree.getByRole('treeitem', { name: /Our kettles/ }).waitFor(WAIT);
    // The last thing that happens to the answer.
    await tree.getByRole('treeitem', { name: /^Message read/ }).waitFor(WAIT);
    const all = await items.count();
    // An agent does not see webhooks.
    expect(await tree.getByRole('treeitem', { name: /^Webhook/ }).count()).toBe(0);
    await items.first().focus();
    await page.keyboard.press('ArrowLeft');
    expect([await items.count(), await items.first().getAttribute('aria-expanded')]).toEqual([1, 'false']);
    await page.keyboard.press('ArrowRight');
    expect(await items.count()).toBe(all);
    await page.keyboard.press('ArrowRight');
    // Below the message: the contact and the chat that it created, and then its own event.
    for (const name of [/^Contact created/, /^Chat began/]) {
      await tree.locator(':focus').and(tree.getByRole('treeitem', { name })).waitFor();
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Event' }).getByText('One kettle').waitFor();
    await open('/trace/nothing');
    await page.getByRole('heading', { name: 'There is no trace for this id' }).waitFor();
    expectNoProblems(REFUSED);
  });

  it('the events are paused, filtered and looked into, by keyboard too', async () => {
    await write('+12025559003', 'Jean', `Filtered kettle ${HOSTILE}`);
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/inbox');
    await page.getByRole('heading').first().waitFor();
    await goTo(page, 'e');
    await page.waitForURL('**/events');
    const rows = page.getByRole('row');
    await rows.filter({ hasText: 'Filtered kettle' }).first().waitFor(WAIT);
    await page.keyboard.press('p');
    await page.getByText('Paused').waitFor();
    await write('+12025559004', 'Katherine', 'Held kettle');
    const waiting = page.getByRole('button', { name: /new events?$/ });
    await waiting.waitFor(WAIT);
    expect(await rows.filter({ hasText: 'Held kettle' }).count()).toBe(0);
    await waiting.click();
    await rows.filter({ hasText: 'Held kettle' }).first().waitFor();

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What').selectOption('Text contains');
    await dialog.getByLabel('Value').fill('filtered KETTLE');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => rows.count(), WAIT).toBe(2);
    // What comes now and matches is shown, nothing else.
    await write('+12025559005', 'Mary', 'another kettle');
    await write('+12025559006', 'Dorothy', 'a filtered kettle');
    await expect.poll(() => rows.count(), WAIT).toBe(3);
    await page.keyboard.press('j');
    const drawer = page.getByRole('complementary', { name: 'Event' });
    await drawer.getByText('a filtered kettle').waitFor();
    await drawer.getByText(`Webhook ${hookUrl}`).waitFor(WAIT);
    await drawer.getByText('Automation Kettles').waitFor(WAIT);
    await drawer.getByRole('button', { name: 'JSON' }).click();
    await drawer.getByText('"type": "message.received"').waitFor();
    await drawer.getByRole('button', { name: 'Data', exact: true }).click();
    await drawer.getByText('vendorId').waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expectNoProblems();
  });

  it.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)('is accessible, %s, %i px wide', async (colorScheme, width) => {
    const from = colorScheme === 'light' ? '+12025559007' : '+12025559008';
    const { messageId } = await write(from, 'Axe', `kettle ${colorScheme}`);
    const owner = await test.createPerson('owner', { name: 'Ada Lovelace' });
    const { page, open, expectNoProblems } = await test.pageOf(owner, {
      colorScheme,
      viewport: { width, height: 800 },
    });
    await open(`/trace/${messageId}`);
    await page.getByRole('treeitem', { name: /Our kettles/ }).waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    await page
      .getByRole('treeitem', { name: /^Message received/ })
      .getByRole('link', { name: 'Event' })
      .click();
    await page.getByText('Who reacted').waitFor();
    await page.getByText('Automation Kettles').waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Why?' }).click();
    await page.getByRole('dialog').getByText('Teapots').waitFor();
    expect(await findViolations(page)).toEqual([]);
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
    expectNoProblems();
  });
});
