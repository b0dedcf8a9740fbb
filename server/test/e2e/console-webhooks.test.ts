import { beforeAll, describe, expect, it } from 'vitest';
import { curlOf } from '../../../console/src/screens/webhooks/curl.ts';
import { readSubscription, writeSubscription } from '../../../console/src/screens/webhooks/subscription.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { useReceiver } from '../kit/receiver.ts';
import { until } from '../kit/until.ts';
import { goTo } from './go-to.ts';

const REFUSED = /status of 4\d\d/;
const HOSTILE = '<img src=x onerror=alert(1)>';

describe('what a webhook has asked for', () => {
  it.each([
    [[{ scopes: [] }]],
    [
      [
        { type: 'message.*', scopes: [] },
        { type: 'chat.created', scopes: [] },
      ],
    ],
    [[{ type: 'message.sent', scopes: [{ type: 'channel_kind', ids: ['sms'] }] }]],
  ] as const)('is read and written the same: %j', (events) => {
    const given = structuredClone(events) as unknown as Parameters<typeof readSubscription>[0];
    expect(writeSubscription(readSubscription(given) as never)).toEqual(events);
  });

  it('is left alone if its channels differ', () => {
    const events = [{ type: 'message.*', scopes: [] }, { scopes: [{ type: 'channel', ids: ['a'] }] }];
    expect(readSubscription(events as never)).toBeUndefined();
  });
});

it('a command for the shell keeps every quote, and has no secret', () => {
  const headers = { 'webhook-id': "it's" };
  expect(curlOf({ url: "https://a.example/'x'", headers }, `{"a":"'; rm -rf /"}`)).toBe(
    `curl -X POST 'https://a.example/'\\''x'\\''' \\\n  -H 'webhook-id: it'\\''s' \\\n  --data-raw '{"a":"'\\''; rm -rf /"}'`,
  );
});

/** With `console.test.ts`, which opens every screen in all four. */
const VIEWS = [
  ['light', 360, 'de-DE'],
  ['dark', 1280, 'en-GB'],
] as const;

describe.runIf(CHROMIUM)('webhooks', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });
  const writeAsCustomer = (text: string) =>
    test.api('POST', `/v3/sandbox/${test.channelId}/inbound`, { from: '+15550007171', text });

  it('one is created, tested while its receiver fails, and recovers; many are sent again', async () => {
    const receiver = await useReceiver();
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/');
    await page.getByRole('button', { name: 'Account and settings' }).filter({ visible: true }).waitFor();
    await goTo(page, 'w');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ftp://example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByLabel('Which events').selectOption('Only some');
    await dialog.getByLabel('message.received', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const secret = await dialog.locator('code').textContent();
    expect(secret).toMatch(/^whsec_/);
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    expect(await dialog.locator('code').textContent()).toBe(secret);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: receiver.url }).waitFor();
    expect(await page.content()).not.toContain(secret);

    receiver.answerWith({ status: 500, headers: { 'x-odd': HOSTILE }, body: HOSTILE });
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const delivery = page.getByRole('dialog', { name: 'webhook.test' });
    await delivery.getByText('Attempt 1', { exact: true }).waitFor();
    await delivery.getByText(HOSTILE, { exact: true }).waitFor();
    // It is tried again after some seconds, and the window shows it.
    await delivery.getByText('Attempt 2', { exact: true }).waitFor();
    await delivery.getByText('Arrived', { exact: true }).waitFor();
    await delivery.getByRole('button', { name: 'Send again' }).click();
    await delivery.getByText('Attempt 3', { exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await writeAsCustomer(`Hello ${HOSTILE}`);
    await page.getByRole('button', { name: 'message.received' }).first().waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('What').selectOption('Event');
    await dialog.getByLabel('Value').fill('message.');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'webhook.test' }).waitFor({ state: 'detached' });
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send these again' }).click();
    await dialog.getByText('1 delivery matches').waitFor();
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('Done', { exact: false }).waitFor();
    await until(() => receiver.received.length > before);
    expectNoProblems(REFUSED);
  });

  it('one that was disabled is enabled by keyboard, and gets what it has missed', async () => {
    const receiver = await useReceiver();
    const { id } = await test.api('POST', '/v3/api_webhooks', {
      url: receiver.url,
      events: [{ type: 'message.received' }],
    });
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/webhooks/${id}`);
    await page.getByText('No deliveries').waitFor();
    receiver.answerWith(410);
    await writeAsCustomer('Gone');
    const enable = page.getByRole('button', { name: 'Enable' });
    await enable.waitFor();
    await writeAsCustomer('Missed');
    // Its event is matched with the webhooks of the moment, after the request was answered.
    const received = (): Promise<{ data: { text: string } }[]> =>
      test.api('POST', '/v3/events/search', { query: 'eq(type,"message.received")' });
    await until(async () => (await received()).some(({ data }) => data.text === 'Missed'));
    await enable.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send a test event' }).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'Send missed events' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Send missed events' }).press('Enter');
    await page.getByText('events are sent now').waitFor();
    await until(() => receiver.received.some(({ body }) => body.data?.text === 'Missed'));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const address =
      (await page
        .getByRole('dialog')
        .getByText(/ to confirm$/)
        .textContent()) ?? '';
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .fill(address.slice('Type "'.length, -'" to confirm'.length));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/console/webhooks');
    expectNoProblems(REFUSED);
  });

  it('who calls version 2 is shown in the settings, and to nobody who may not see tokens', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/settings/v2');
    await page.getByText('Nothing calls version 2').waitFor();
    const { token } = await test.api('POST', '/v3/tokens', { name: HOSTILE, scopes: ['attributes:read'] });
    await fetch(`${test.url}/v2/attributes`, { headers: { authorization: `Bearer ${token}` } });
    await page.reload();
    await page.getByRole('cell', { name: HOSTILE }).waitFor();
    await page.getByRole('cell', { name: 'GET /v2/attributes' }).waitFor();
    expectNoProblems();
    const agent = await test.pageFor('agent');
    await agent.open('/settings/v2');
    await agent.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });

  it.each(
    VIEWS,
  )('the list, a webhook and a delivery are accessible, %s, %i px', async (colorScheme, width, locale) => {
    const receiver = await useReceiver();
    receiver.answerWith(500);
    const { id } = await test.api('POST', '/v3/api_webhooks', { url: receiver.url, events: [{}] });
    const delivery = await test.api('POST', `/v3/api_webhooks/${id}/test`);
    const owner = await test.createPerson('owner');
    const own = await test.pageOf(owner, { colorScheme, locale, viewport: { width, height: 800 } });
    await own.open('/webhooks');
    await own.page.getByRole('link', { name: receiver.url }).waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await own.open(`/webhooks/${id}`);
    await own.page.getByRole('button', { name: 'webhook.test' }).waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await own.open(`/webhooks/${id}?delivery=${delivery.id}`);
    await own.page.getByText(/^(Attempt|Versuch) 1$/).waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await own.open('/webhooks');
    await own.page.getByRole('button', { name: /New webhook|Neuer Webhook/ }).click();
    await own.page.getByLabel(/Which events|Welche Ereignisse/).selectOption('some');
    expect(await findViolations(own.page)).toEqual([]);
    own.expectNoProblems();
  });
});
