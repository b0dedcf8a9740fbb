import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { ADMIN_TOKEN, createConsoleTenant } from '../kit/console-tenant.ts';
import { onPhone, phone, say, thread, WAIT } from './phone-page.ts';

describe.runIf(CHROMIUM)('the phone of other people and tenants', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole({ PARLEY_ADMIN_TOKEN: ADMIN_TOKEN });
  });

  const createChannel = async (name: string, address: string): Promise<string> =>
    (await test.api('POST', '/v3/channels', { kind: 'whatsapp', provider: 'sandbox', name, address })).id;

  it('does not exist for those who may not use it', async () => {
    const channelId = await createChannel('Forbidden', '+12025550021');
    const from = '+12025551008';
    await test.api('POST', `/v3/sandbox/${channelId}/inbound`, { from, name: 'Vera', text: 'It is Vera' });
    const query = `eq(channelId,"${channelId}")`;
    const findChat = async () => (await test.api('POST', '/v3/chats/search', { query }))[0];
    await expect.poll(findChat, WAIT).toBeDefined();
    const { id } = await findChat();
    const address = `/phone?channelId=${channelId}&from=${encodeURIComponent(from)}&name=Vera`;
    const restricted = await test.createPerson('agent');
    await test.api('PUT', `/v3/users/${restricted.userId}`, { access: 'teams' });
    await test.api('POST', '/v3/teams', {
      name: 'Forbidden',
      userIds: [restricted.userId],
      channelIds: [channelId],
    });
    for (const person of [await test.createPerson('agent'), await test.createPerson('viewer'), restricted]) {
      const { page, open, context, expectNoProblems } = await test.pageOf(person);
      await open(`/inbox/${id}`);
      await thread(page).getByText('It is Vera').waitFor();
      expect(await page.getByRole('button', { name: 'Play the customer' }).count()).toBe(0);
      await page.keyboard.press('p');
      await page.keyboard.press('?');
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await keys.waitFor();
      expect(await keys.getByText('Play the customer').count()).toBe(0);
      await open(address);
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      expectNoProblems();
      await context.close();
    }
  });

  it('offers to create a sandbox where there is none, and a foreign channel is none', async () => {
    const foreign = await createChannel('Foreign', '+12025550022');
    const { page, open, expectNoProblems } = await createConsoleTenant(test, {
      name: 'Empty shop',
      isTest: false,
    });
    await open(`/phone?channelId=${foreign}&from=%2B12025551009&name=Mallory`);
    await page.getByRole('heading', { name: 'There is no sandbox channel yet' }).waitFor();
    const refused = await page.evaluate<number>(`fetch('/v3/sandbox/${foreign}/inbound', {
      method: 'POST', headers: { 'content-type': 'application/json', 'parley-tenant': sessionStorage['parley.tenantId'] },
      body: JSON.stringify({ from: '+12025551009', text: 'Let me in' }) }).then(({ status }) => status)`);
    expect(refused).toBe(404);
    await page.getByRole('button', { name: 'Create a sandbox channel' }).click();
    await phone(page).getByRole('button', { name: 'Somebody new' }).click(WAIT);
    await phone(page).getByRole('button', { name: 'Take the phone' }).click();
    await say(page, 'The very first message');
    await onPhone(page).getByText('✓✓ Arrived').waitFor(WAIT);
    expect(await test.api('GET', `/v3/sandbox/${foreign}/outbox`)).toEqual([]);
    expectNoProblems(/status of 404/);
  });

  it('moves the clock of a test tenant', async () => {
    const { page, open, api, expectNoProblems } = await createConsoleTenant(test, {
      name: 'Time shop',
      isTest: true,
    });
    const channel = await api('POST', '/v3/channels', {
      kind: 'whatsapp',
      provider: 'sandbox',
      name: 'Slow',
      address: '+12025550011',
      config: { statusDelayMs: 600_000 },
    });
    await open(`/phone?channelId=${channel.id}&from=%2B12025551010&name=Chronos`);
    await say(page, 'What time is it?');
    await onPhone(page).getByText('✓✓ Arrived').waitFor(WAIT);
    await api('POST', '/v3/messages', { channelId: channel.id, to: '+12025551010', text: 'Tea time' });
    const bubble = onPhone(page).locator('[data-message]').filter({ hasText: 'Tea time' });
    await bubble.getByText('Sent').waitFor(WAIT);
    await phone(page).getByRole('button', { name: 'Failures and time' }).click();
    await phone(page).getByText('It stands still until you move it').waitFor();
    await phone(page).getByRole('button', { name: '+ 1 hour' }).click();
    await phone(page)
      .getByText(/^It is .*\d/)
      .waitFor(WAIT);
    await phone(page).getByRole('button', { name: 'Back to the phone' }).click();
    await bubble.getByText('Read').waitFor(WAIT);
    expectNoProblems();
  });
});
