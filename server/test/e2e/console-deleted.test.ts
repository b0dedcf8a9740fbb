import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type ConsolePage, findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { useLive } from '../kit/live.ts';

const GONE = 'Somebody has deleted it while it was open here.';

describe.runIf(CHROMIUM)('what somebody else deletes while it is open', () => {
  let test: TestConsole;
  let shown: ConsolePage;
  let live: Awaited<ReturnType<typeof useLive>>;
  beforeAll(async () => {
    test = await useConsole();
    shown = await test.pageFor('owner');
    live = await useLive(shown.page);
  });
  /** Opens a page. The function that it returns waits until nothing is being read: what is deleted then would be answered with 404. */
  async function openLive(address: string): Promise<() => Promise<void>> {
    const opened = live.opening();
    await shown.open(address);
    return async () => {
      await opened();
      const heard = () => test.api('POST', '/v3/contacts', { firstName: 'Heard' });
      await live.settled(heard, 'contact.created');
    };
  }

  it.each([
    {
      what: 'a campaign',
      body: () => ({ channelId: test.channelId, name: 'Gone soon', message: { text: 'Hello' } }),
      path: 'campaigns',
      name: 'Gone soon',
      list: 'All campaigns',
    },
    {
      what: 'an automation',
      body: () => ({
        name: 'Gone soon',
        trigger: { type: 'message_received', parameters: {} },
        steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }],
      }),
      path: 'automations',
      name: 'Gone soon',
      list: 'All automations',
    },
    {
      what: 'a template',
      body: () => ({ channelId: test.channelId, name: 'gone_soon', language: 'en', body: 'Hello' }),
      path: 'templates',
      api: 'message_templates',
      name: 'gone_soon (en)',
      list: 'All templates',
    },
    {
      what: 'a webhook',
      body: () => ({ url: 'https://gone.example/hook', events: [{ type: 'campaign.started' }] }),
      path: 'webhooks',
      api: 'api_webhooks',
      name: 'https://gone.example/hook',
      list: 'All webhooks',
    },
  ])('$what is gone, and so it is in its list', async ({ body, path, api = path, name, list }) => {
    const { page, expectNoProblems } = shown;
    const { id } = await test.api('POST', `/v3/${api}`, body());
    const settled = await openLive(`/${path}/${id}`);
    // The name of an automation can be changed where it stands.
    const title = page.getByRole('heading', { level: 1, name });
    await title
      .or(page.getByRole('textbox', { name: 'Name', exact: true }))
      .first()
      .waitFor();
    await settled();
    await test.api('DELETE', `/v3/${api}/${id}`);
    await page.getByRole('alert').getByText(GONE).waitFor();
    await title.waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: list }).click();
    await page.waitForURL(`**/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('link', { name }).count()).toBe(0);
    expectNoProblems();
  });

  it.each([
    {
      what: 'a campaign',
      body: { name: 'Gone with it', message: { text: 'Hello' } },
      path: 'campaigns',
      name: 'Gone with it',
    },
    {
      what: 'a template',
      body: { name: 'gone_with_it', language: 'en', body: 'Hello' },
      path: 'templates',
      api: 'message_templates',
      name: 'gone_with_it (en)',
    },
    { what: 'its own page', path: 'channels', name: 'Gone soon' },
  ])('a channel is gone, and with it $what', async ({ body, path, api = path, name }) => {
    const { page, expectNoProblems } = shown;
    const channel = { kind: 'whatsapp', provider: 'sandbox', name: 'Gone soon', address: '+15550009999' };
    const { id: channelId } = await test.api('POST', '/v3/channels', channel);
    const { id } = body ? await test.api('POST', `/v3/${api}`, { ...body, channelId }) : { id: channelId };
    const settled = await openLive(`/${path}/${id}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await settled();
    await test.api('DELETE', `/v3/channels/${channelId}?force=true`);
    await page.getByRole('alert').getByText(GONE).waitFor();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('alert').getByRole('button').click();
    await page.waitForURL(`**/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('link', { name }).count()).toBe(0);
    expectNoProblems();
  });

  it('a chat of a channel that is deleted leaves the inbox', async () => {
    const { page, expectNoProblems } = shown;
    const channel = { kind: 'whatsapp', provider: 'sandbox', name: 'Gone soon', address: '+15550009999' };
    const { id: channelId } = await test.api('POST', '/v3/channels', channel);
    await test.api('POST', `/v3/sandbox/${channelId}/inbound`, {
      from: '+15550008888',
      text: 'Going, going',
    });
    const find = () => test.api('POST', '/v3/chats/search', { query: `eq(channelId,"${channelId}")` });
    await expect.poll(async () => (await find()).length).toBe(1);
    const settled = await openLive('/inbox');
    const row = page.getByText('Going, going');
    await row.first().waitFor();
    await settled();
    await test.api('DELETE', `/v3/channels/${channelId}?force=true`);
    await row.first().waitFor({ state: 'detached' });
    expectNoProblems();
  });

  it.each([
    {
      what: 'a segment',
      address: '/campaigns?tab=segments',
      body: { name: 'Gone soon', query: 'not(isNull(email))' },
      api: 'segments',
      name: 'Gone soon',
    },
    {
      what: 'a saved reply',
      address: '/settings/replies',
      body: { shortcut: 'gone', text: 'Gone soon' },
      api: 'saved_replies',
      name: '/gone',
    },
  ])('$what cannot be edited any more', async ({ address, body, api, name }) => {
    const { page, expectNoProblems } = shown;
    const { id } = await test.api('POST', `/v3/${api}`, body);
    const settled = await openLive(address);
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByRole('button').last().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name });
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    await settled();
    await test.api('DELETE', `/v3/${api}/${id}`);
    await dialog.getByText(GONE).waitFor();
    expect(await dialog.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expectNoProblems();
  });
});
