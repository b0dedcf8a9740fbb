import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { phone, thread, WAIT } from '../e2e/phone-page.ts';
import { type LoggedIn, type TestConsole, useConsole } from '../kit/console.ts';
import { makeUpReports } from '../kit/made-up-reports.ts';
import { until } from '../kit/until.ts';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const MAX_BYTES = 200_000;

let test: TestConsole;
let owner: LoggedIn;
beforeAll(async () => {
  test = await useConsole();
  owner = await test.createPerson('owner', { name: 'Ada Lovelace' });
  // The demo is complete when the automation has answered.
  await until(async () => (await findChat('+12025550164'))?.latestMessage.author.type === 'automation');
});

/** The chat with an address. Some people have several chats. */
const findChat = async (address: string) =>
  (await test.api('POST', '/v3/chats/search', { search: address })).find(
    ({ handle }: { handle: { value: string } }) => handle.value === address,
  );

async function openPage(address: string, viewport = { width: 1360, height: 800 }): Promise<Page> {
  const { page, open } = await test.pageOf(owner, {
    viewport,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await open(address);
  return page;
}

async function take(subject: Page | Locator, name: string): Promise<void> {
  const path = `${IMAGES}${name}.png`;
  await subject.screenshot({ path, animations: 'disabled', caret: 'hide' });
  expect((await stat(path)).size, name).toBeLessThan(MAX_BYTES);
}

it('takes the pictures of the inbox and the phone', async () => {
  const { id } = await findChat('+12025550161');
  const page = await openPage(`/inbox/${id}`, { width: 1440, height: 800 });
  await thread(page).getByText('It stands in the back room').waitFor();
  await page.keyboard.press('p');
  const field = phone(page).getByRole('textbox');
  await field.fill('Wonderful. I will be there at ten!');
  await field.press('Enter');
  await thread(page).getByText('I will be there at ten').waitFor(WAIT);
  await page.getByRole('textbox', { name: 'Reply' }).fill('See you then, Mina.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const reply = phone(page).locator('[data-message]').filter({ hasText: 'See you then' });
  await reply.getByText('Read').waitFor(WAIT);
  await expect.poll(() => phone(page).getByText('Arrived').count(), WAIT).toBe(3);
  await page.getByRole('textbox', { name: 'Reply' }).focus();
  await take(page, 'inbox');

  await page.locator('a[id^="chat-"]').filter({ hasText: 'Tom Becker' }).click();
  await phone(page).getByRole('button', { name: 'A repair' }).click();
  await phone(page).getByText('Somebody from the shop').waitFor(WAIT);
  await thread(page).getByText('Somebody from the shop').waitFor(WAIT);
  await expect.poll(() => phone(page).getByText('Arrived').count(), WAIT).toBe(2);
  await take(phone(page), 'phone');
});

it('takes the picture of a note', async () => {
  const { id } = await findChat('mina@example.com');
  const page = await openPage(`/inbox/${id}`, { width: 1040, height: 620 });
  await thread(page).getByText('@Sam Rivera').waitFor();
  await page.getByRole('tab', { name: 'Note' }).click();
  await take(page, 'note');
});

it('takes the picture of a campaign before it is sent', async () => {
  const [channel] = await test.api('POST', '/v3/channels/search', { query: 'eq(kind,"sms")' });
  const { id } = await test.api('POST', '/v3/campaigns', {
    channelId: channel.id,
    name: 'Winter check',
    message: {
      text: 'Hello {{ contact.firstName }}! Is your bike ready for the snow? The check is 20 % off this week.',
    },
  });
  const audience = 'ge(createdAt,"1970-01-01T00:00:00Z")';
  await test.api('PUT', `/v3/campaigns/${id}`, { audience });
  const page = await openPage(`/campaigns/${id}?step=check`, { width: 1180, height: 800 });
  await page.getByText('As they will be sent').waitFor();
  await take(page, 'campaign');
});

it('takes the picture of the contacts', async () => {
  const page = await openPage('/contacts', { width: 1280, height: 620 });
  await page.getByText('Mina Park').first().waitFor();
  await page.getByText('Tom Becker').first().waitFor();
  await take(page, 'contacts');
});

it('takes the picture of an import', async () => {
  const page = await openPage('/imports/new', { width: 1080, height: 860 });
  const table = [
    'Vorname;Nachname;Handy;E-Mail;Kundennummer',
    'Emma;Fischer;0170 1234567;emma@example.com;10423',
    'Noah;Weber;0171 7654321;noah@example.com;10424',
    'Lina;Wagner;+43 660 1234567;lina@example.com;10425',
  ].join('\r\n');
  await page.locator('input[type=file]').setInputFiles({
    name: 'customers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(table),
  });
  const dialog = page.getByRole('dialog', { name: 'customers.csv' });
  await dialog.getByLabel('Country of the phone numbers').selectOption('DE');
  await take(dialog, 'import');
});

it('takes the picture of the reports', async () => {
  const page = await openPage('/inbox', { width: 1280, height: 1120 });
  await makeUpReports(page);
  await page.goto(`${test.url}/console/reports?period=30`);
  await page.getByRole('region', { name: 'Agents' }).waitFor(WAIT);
  await expect.poll(() => page.locator('canvas').count(), WAIT).toBe(3);
  await take(page, 'reports');
});

it('takes the picture of an automation', async () => {
  const labels = await Promise.all(
    ['Order', 'Sale'].map((name) => test.api('POST', '/v3/labels', { name, color: '#aa8800' })),
  );
  const team = await test.api('POST', '/v3/teams', { name: 'Sellers', userIds: [] });
  const { id } = await test.api('POST', '/v3/automations', {
    name: 'Welcome',
    trigger: { type: 'chat_opened', parameters: { channelId: test.channelId } },
    steps: [
      {
        id: 'hello',
        type: 'send_message',
        parameters: { text: 'Hello! Is it about an order, or would you like to buy something?' },
      },
      { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'quiet' } },
      {
        id: 'which',
        type: 'branch',
        parameters: {
          cases: [
            { when: 'hasWord(message.text,"order")', next: 'is_order' },
            { when: 'hasWord(message.text,"buy")', next: 'is_sale' },
          ],
          else: 'to_team',
        },
      },
      { id: 'is_order', type: 'add_label', parameters: { labelId: labels[0].id }, next: 'to_team' },
      { id: 'is_sale', type: 'add_label', parameters: { labelId: labels[1].id } },
      { id: 'to_team', type: 'assign', parameters: { teamId: team.id }, next: 'done' },
      { id: 'quiet', type: 'set_chat_status', parameters: { status: 'closed' } },
      { id: 'done', type: 'end' },
    ],
  });
  const page = await openPage(`/automations/${id}`, { width: 1360, height: 800 });
  await page.locator('[data-item="is_order"]').getByText('Order').waitFor();
  await page.locator('[data-item="hello"]').click();
  await page.getByRole('complementary').getByLabel('Text', { exact: true }).waitFor();
  await take(page, 'automation');
});
