import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type LoggedIn, type TestConsole, useConsole } from '../kit/console.ts';
import { useTempFolder } from '../kit/temp-folder.ts';
import { onPhone, phone, row, say, thread, WAIT } from './phone-page.ts';

const MAX_FILE_BYTES = 50_000;
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const HOSTILE = [
  `<img src=x onerror="window.broken=1">`,
  `<script>window.broken=1</script>`,
  `javascript:window.broken=1`,
  '‮ right to left ⁦',
  '🏴‍☠️ Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤ 田中さん',
];

describe.runIf(CHROMIUM)('the phone', () => {
  let test: TestConsole;
  let owner: LoggedIn;
  let written = 0;
  beforeAll(async () => {
    test = await useConsole({ PARLEY_FILE_BYTES: String(MAX_FILE_BYTES) });
    owner = await test.createPerson('owner', { name: 'Olivia Owner' });
  });

  async function createChannel(name: string, kind = 'whatsapp'): Promise<string> {
    written += 1;
    const digits = String(5550000 + written);
    const address = kind === 'instagram' ? `shop_${digits}` : `+1202${digits}`;
    return (await test.api('POST', '/v3/channels', { kind, provider: 'sandbox', name, address })).id;
  }
  /** A new customer writes, and has a chat. */
  async function useCustomer(channelId: string, name: string, from: string) {
    await test.api('POST', `/v3/sandbox/${channelId}/inbound`, { from, name, text: `It is ${name}` });
    await expect.poll(() => findChat(channelId), WAIT).toBeDefined();
    const { id } = await findChat(channelId);
    return { id, address: `/phone?channelId=${channelId}&from=${encodeURIComponent(from)}&name=${name}` };
  }
  const findChat = async (channelId: string) =>
    (await test.api('POST', '/v3/chats/search', { query: `eq(channelId,"${channelId}")` }))[0];
  const findMessages = (chatId: string) =>
    test.api('POST', `/v3/chats/${chatId}/messages/search`, { sortBy: 'desc(createdAt)' });
  const send = (chatId: string, body: object) => test.api('POST', `/v3/chats/${chatId}/messages`, body);

  it('plays the customer of the chat beside it, both ways', async () => {
    const channelId = await createChannel('Beside');
    await useCustomer(channelId, 'Grace Hopper', '+12025551001');
    const { page, open, expectNoProblems } = await test.pageOf(owner);
    await open('/inbox');
    await row(page, 'Grace Hopper').click();
    await thread(page).getByText('It is Grace Hopper').waitFor();
    await page.keyboard.press('p');
    await onPhone(page).getByText('It is Grace Hopper').waitFor();
    await phone(page).getByRole('button', { name: 'You are Grace Hopper' }).waitFor();
    await page.getByRole('textbox', { name: 'Reply' }).fill('Hello Grace!');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const bubble = onPhone(page).locator('[data-message]').filter({ hasText: 'Hello Grace!' });
    await bubble.getByText('Read').waitFor(WAIT);
    await say(page, 'Hello, bicycle shop');
    await thread(page).getByText('Hello, bicycle shop').waitFor(WAIT);
    await onPhone(page).locator('[data-message]').filter({ hasText: 'Hello, bicycle shop' }).waitFor(WAIT);
    // Shown at once, and then as it was stored.
    await expect.poll(() => onPhone(page).getByText('Hello, bicycle shop').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    // Another chat: its customer gets the phone.
    await useCustomer(await createChannel('Beside too'), 'Jean Bartik', '+12025551002');
    await row(page, 'Jean Bartik').click();
    await onPhone(page).getByText('It is Jean Bartik').waitFor();
    await phone(page).getByRole('textbox').press('Escape');
    await expect.poll(() => phone(page).count()).toBe(0);
    await thread(page).getByText('It is Jean Bartik').waitFor();
    expectNoProblems();
  });

  it('plays somebody who does not exist yet, whatever the name and the text', async () => {
    const channelId = await createChannel('Newcomers');
    const { page, open, expectNoProblems } = await test.pageOf(owner);
    await open('/phone');
    await phone(page).getByLabel('Writes to').selectOption(channelId);
    await phone(page).getByRole('button', { name: 'Somebody new' }).click();
    await phone(page)
      .getByLabel('Name')
      .fill(HOSTILE[0] as string);
    await phone(page).getByRole('button', { name: 'Take the phone' }).click();
    await onPhone(page).getByText('Write something').waitFor();
    for (const text of HOSTILE) await say(page, text);
    for (const text of HOSTILE)
      await onPhone(page).locator('[data-message]').filter({ hasText: text }).waitFor(WAIT);
    const chat = await findChat(channelId);
    expect(chat.contact.displayName).toBe(HOSTILE[0]);
    expect((await findMessages(chat.id)).map(({ text }: { text: string }) => text).reverse()).toEqual(
      HOSTILE,
    );
    // The address has the person: a reload changes nothing.
    await page.reload();
    await onPhone(page)
      .getByText(HOSTILE[1] as string)
      .waitFor();
    await send(chat.id, { text: HOSTILE[0] });
    await expect
      .poll(
        () =>
          onPhone(page)
            .getByText(HOSTILE[0] as string)
            .count(),
        WAIT,
      )
      .toBe(2);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expectNoProblems();
  });

  it('taps buttons, rows of lists and quick replies', async () => {
    const whatsapp = await createChannel('Buttons');
    const { id, address } = await useCustomer(whatsapp, 'Ida', '+12025551003');
    const { page, open, expectNoProblems } = await test.pageOf(owner);
    await open(address);
    await onPhone(page).getByText('It is Ida').waitFor();
    const asked = await send(id, {
      text: 'Which day?',
      interactive: {
        buttons: [
          { id: 'mon', title: 'Monday' },
          { id: 'tue', title: 'Tuesday' },
        ],
      },
    });
    await onPhone(page).getByRole('button', { name: 'Tuesday' }).click(WAIT);
    await expect
      .poll(async () => (await findMessages(id))[0], WAIT)
      .toMatchObject({
        sender: 'inbound',
        type: 'interactive',
        text: 'Tuesday',
        content: { id: 'tue' },
        replyToMessageId: asked.id,
      });
    await send(id, {
      text: 'And what time?',
      interactive: {
        list: {
          button: 'Times',
          sections: [{ title: 'Morning', rows: [{ id: 't9', title: 'Nine', description: 'Early' }] }],
        },
      },
    });
    await onPhone(page).getByRole('button', { name: 'Times' }).click(WAIT);
    await onPhone(page).getByRole('group', { name: 'Morning' }).getByRole('button', { name: 'Nine' }).click();
    await expect
      .poll(async () => (await findMessages(id))[0], WAIT)
      .toMatchObject({ sender: 'inbound', type: 'interactive', text: 'Nine', content: { id: 't9' } });

    const instagram = await createChannel('Quick replies', 'instagram');
    const ig = await useCustomer(instagram, 'Joan', '17841400000000077');
    await open(ig.address.replace(/from=\d+/, 'from="17841400000000077"'));
    await onPhone(page).getByText('It is Joan').waitFor();
    await send(ig.id, { text: 'Size?', interactive: { buttons: [{ id: 'm', title: 'Medium' }] } });
    await onPhone(page).getByRole('button', { name: 'Medium' }).click(WAIT);
    await expect
      .poll(async () => (await findMessages(ig.id))[0], WAIT)
      .toMatchObject({ sender: 'inbound', text: 'Medium', content: { id: 'm' } });
    expectNoProblems();
  });

  it('sends files, and says so if one is too large', async () => {
    const channelId = await createChannel('Files');
    const { id, address } = await useCustomer(channelId, 'Lise', '+12025551004');
    const folder = await useTempFolder();
    const [picture, large] = [join(folder, 'atom.png'), join(folder, 'large.txt')];
    await writeFile(picture, PNG);
    await writeFile(large, 'x'.repeat(MAX_FILE_BYTES + 1));
    const { page, open, expectNoProblems } = await test.pageOf(owner);
    await open(address);
    await onPhone(page).getByText('It is Lise').waitFor();
    await page.locator('input[data-phone-files]').setInputFiles(picture);
    await say(page, 'An atom');
    await onPhone(page).getByRole('img', { name: 'atom.png' }).waitFor(WAIT);
    expect((await findMessages(id))[0]).toMatchObject({ type: 'image', text: 'An atom' });

    await page.locator('input[data-phone-files]').setInputFiles(large);
    await phone(page).getByRole('button', { name: 'Send as the customer' }).click();
    await onPhone(page).getByText('Not sent').waitFor(WAIT);
    expect(await findMessages(id)).toHaveLength(2);
    await onPhone(page).getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => onPhone(page).getByText('Not sent').count()).toBe(0);
    expectNoProblems(/status of 413/);
  });

  it('shows what does not arrive, switches failures on and off, and reads by hand', async () => {
    const channelId = await createChannel('Failures');
    const { id, address } = await useCustomer(channelId, 'Emmy', '+12025551005');
    const { page, open, expectNoProblems } = await test.pageOf(owner);
    await open(address);
    await onPhone(page).getByText('It is Emmy').waitFor();
    await phone(page).getByRole('button', { name: 'Failures and time' }).click();
    await phone(page).getByLabel('Sending fails').selectOption({ label: 'Always' });
    await phone(page).getByText('Failures are switched on').waitFor();
    await phone(page).getByLabel('The customer reads everything at once').uncheck();
    await expect
      .poll(async () => JSON.stringify(await test.api('GET', `/v3/sandbox/${channelId}`)), WAIT)
      .toMatch(/"failEvery":1,.*"readsAutomatically":false/);
    await phone(page).getByRole('button', { name: 'Back to the phone' }).click();
    await send(id, { text: 'Can you hear me?' });
    await onPhone(page).locator('[data-message]').filter({ hasText: 'On its way' }).waitFor(WAIT);
    expect(await test.api('GET', `/v3/sandbox/${channelId}/outbox`)).toEqual([]);

    await phone(page).getByRole('button', { name: 'Change', exact: true }).click();
    await phone(page).getByRole('button', { name: 'Switch all failures off' }).click();
    await expect.poll(() => phone(page).getByText('Failures are switched on').count()).toBe(0);
    await phone(page).getByRole('button', { name: 'Back to the phone' }).click();
    // Parley tries again, later.
    await onPhone(page).getByText('Delivered').waitFor({ timeout: 50_000 });
    await phone(page).getByText('1 unread message').waitFor();
    await phone(page).getByRole('button', { name: 'Read', exact: true }).click();
    await expect.poll(async () => (await findMessages(id))[0].status, WAIT).toBe('read');
    await expect.poll(() => phone(page).getByText('1 unread message').count()).toBe(0);

    await phone(page).getByRole('button', { name: 'You are Emmy' }).click();
    await phone(page).getByRole('button', { name: 'Somebody new' }).click();
    await phone(page).getByLabel('Messages to this person').selectOption({ label: 'Cannot be delivered' });
    await phone(page).getByRole('button', { name: 'Take the phone' }).click();
    await say(page, 'I am hard to reach');
    await onPhone(page).locator('[data-message]').waitFor(WAIT);
    const unreachable = (
      await test.api('POST', '/v3/chats/search', {
        query: `eq(channelId,"${channelId}")`,
        sortBy: 'desc(createdAt)',
      })
    )[0];
    expect(unreachable.handle.value).toMatch(/0001$/);
    await send(unreachable.id, { text: 'Hello?' });
    await onPhone(page).getByText('Did not arrive: The message cannot be delivered').waitFor(WAIT);
    expectNoProblems();
  });

  it('is a screen of its own on a small window, in the dark, in German', async () => {
    const channelId = await createChannel('Small');
    const { id } = await useCustomer(channelId, 'Maryam', '+12025551006');
    const small = { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'de-DE' } as const;
    const { page, open, expectNoProblems } = await test.pageOf(owner, small);
    await open(`/inbox/${id}`);
    await page.getByRole('heading', { name: 'Maryam' }).waitFor();
    await page.getByRole('button', { name: 'Zurück zur Liste' }).first().click();
    await page.getByRole('button', { name: 'Kunde spielen' }).click();
    const german = page.getByRole('region', { name: 'Kunde spielen' });
    await german.getByText('It is Maryam').waitFor();
    expect(await findViolations(page)).toEqual([]);
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
    expectNoProblems();
  });

  it('is listed among the keys, and opens in a window of its own', async () => {
    const channelId = await createChannel('Window');
    const { id } = await useCustomer(channelId, 'Sofia', '+12025551007');
    const { page, open, context, expectNoProblems } = await test.pageOf(owner);
    await open(`/inbox/${id}`);
    await thread(page).getByText('It is Sofia').waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Play the customer', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    const opened = context.waitForEvent('page');
    await phone(page).getByRole('link', { name: 'Open in a window of its own' }).click();
    const other = await opened;
    await onPhone(other).getByText('It is Sofia').waitFor(WAIT);
    await say(other, 'From the other window');
    await thread(page).getByText('From the other window').waitFor(WAIT);
    await onPhone(page).getByText('From the other window').waitFor(WAIT);
    expectNoProblems();
  });
});
