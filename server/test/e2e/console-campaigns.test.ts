import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { goTo } from './go-to.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;
const NAUGHTY = '<img src=x onerror=alert(1)> "}} {% raw %} ‮ 🎉';
const EVERYBODY = 'ge(createdAt,"1970-01-01T00:00:00Z")';

const saved = (page: Page) => page.getByRole('status').filter({ hasText: 'Draft saved' });
const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

async function createDraft(page: Page, name: string, channel: string): Promise<string> {
  await page.getByRole('button', { name: 'New campaign' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Channel').selectOption({ label: `${channel} (SMS)` });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await heading(page, 'Whom').waitFor();
  return page.url().split('/').at(-1)?.split('?')[0] as string;
}

async function addFilter(page: Page, what: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What').selectOption(what);
  await dialog.getByLabel('Value').fill(value);
  await dialog.getByRole('button', { name: 'Add' }).click();
}

describe.runIf(CHROMIUM)('campaigns', () => {
  let test: TestConsole;
  let channelId: string;
  beforeAll(async () => {
    test = await useConsole();
    const channel = { kind: 'sms', provider: 'sandbox', name: 'Shop', address: '+15550009999' };
    ({ id: channelId } = await test.api('POST', '/v3/channels', channel));
    for (const [index, firstName] of ['Ada', 'Grace', 'Katherine'].entries())
      await test.api('POST', '/v3/contacts', {
        firstName,
        lastName: 'Campaign',
        phoneNumber: `+1555000${4100 + index}`,
        isSubscribed: firstName !== 'Grace',
      });
    await test.api('POST', '/v3/contacts', { lastName: 'Campaign', email: 'nophone@example.com' });
  });
  const draftOf = async (name: string, more: object = {}, audience: string | null = EVERYBODY) => {
    const body = { channelId, name, message: { text: 'Hello' }, ...more };
    const { id } = await test.api('POST', '/v3/campaigns', body);
    if (audience !== null) await test.api('PUT', `/v3/campaigns/${id}`, { audience });
    return id as string;
  };

  it('one is made by mouse: whom, what, when, check, go; it is followed live, with reasons', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/campaigns');
    const id = await createDraft(page, 'Winter sale', 'Shop');
    await page.getByRole('radio', { name: /Those who match a filter/ }).click();
    await addFilter(page, 'Name contains', 'campaign');
    await page.getByText('4 contacts match now.').waitFor();
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Buyers');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByLabel('Segment', { exact: true }).inputValue()).not.toBe('');
    await next(page).click();

    await page.getByRole('radio', { name: /A text/ }).click();
    await page.getByLabel('Text', { exact: true }).fill('Hello ');
    await page.getByRole('button', { name: 'Insert something about the person into Text' }).click();
    await page.getByRole('menuitem', { name: 'First name' }).click();
    await page.getByRole('complementary', { name: 'Preview' }).getByText('First name').waitFor();
    await next(page).click();
    await heading(page, 'When').waitFor();
    await next(page).click();

    await page.getByText('As they will be sent').waitFor();
    await page.getByText('Hello Ada').waitFor();
    await page.getByText('1 Unsubscribed').waitFor();
    await page.getByText('1 No number or address for this channel').waitFor();
    await page.getByLabel('To whom').fill('Ada Campaign');
    await page.getByRole('button', { name: 'Send to Ada Campaign' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /Sent|Delivered|Read/ })
      .waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('dialog').getByText('It goes to 2 people now').waitFor();
    await page.getByRole('dialog').getByText('2 people are skipped').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();

    await page.getByRole('status').filter({ hasText: '4 of 4' }).waitFor();
    await page.getByText('Completed').waitFor();
    await page.getByRole('button', { name: /^Skipped/ }).click();
    await page.getByRole('cell', { name: 'No number or address for this channel' }).waitFor();
    await page.getByRole('cell', { name: 'Unsubscribed' }).waitFor();
    expect(await test.api('GET', `/v3/campaigns/${id}`)).toMatchObject({
      status: 'completed',
      closeChats: true,
      recipientCounts: { queued: 0, failed: 0, skipped: 2 },
    });
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Open chat with Ada Campaign' }).click();
    await page.waitForURL(/\/inbox\//);

    await test.api('POST', `/v3/sandbox/${channelId}/inbound`, { from: '+15550004100', text: 'I want one' });
    await page.getByRole('log').getByText('I want one').waitFor();
    await open('/campaigns');
    await page
      .getByRole('row', { name: /Winter sale/ })
      .getByText('1 replied')
      .waitFor();
    expectNoProblems();
  });

  it('a draft is kept: when it is left, and for what the server refuses', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/campaigns');
    const id = await createDraft(page, NAUGHTY, 'Shop');
    await page.getByRole('radio', { name: /^Everybody/ }).click();
    await page.getByRole('button', { name: /What/ }).click();
    await page.getByRole('radio', { name: /A text/ }).click();
    await page.getByLabel('Text', { exact: true }).fill(NAUGHTY);
    await page.getByRole('button', { name: 'Leave' }).click();
    const link = page.getByRole('link', { name: NAUGHTY });
    await link.waitFor();
    expect((await test.api('GET', `/v3/campaigns/${id}`)).message).toEqual({ text: NAUGHTY });
    await page.reload();
    await link.click();
    // It goes on at the first step that is not answered yet.
    await heading(page, 'When').waitFor();
    await page.getByRole('button', { name: /Check/ }).click();
    await page.getByRole('button', { name: 'Go to What' }).click();
    const text = page.getByLabel('Text', { exact: true });
    await expect.poll(() => text.getAttribute('aria-invalid')).toBe('true');
    expect(await text.inputValue()).toBe(NAUGHTY);
    await text.fill('Hello {{ contact.firstName }}');
    await saved(page).waitFor();
    await page.getByRole('button', { name: /Whom/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
    await page.getByRole('button', { name: /When/ }).click();
    await page.getByRole('radio', { name: /At a time/ }).click();
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByLabel('Date and time').fill('2031-03-04T09:30');
    await expect
      .poll(async () => (await test.api('GET', `/v3/campaigns/${id}`)).scheduledAt)
      .toBe('2031-03-04T00:30:00.000Z');
    await page.getByRole('button', { name: /Whom/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Spring');
    await saved(page).waitFor();
    expectNoProblems(REFUSED);
  });

  it('two people prepare the same draft: each sees what the other changes, and nothing is lost', async () => {
    const id = await draftOf('Together');
    const [one, two] = [await test.pageFor('owner'), await test.pageFor('admin')];
    await one.open(`/campaigns/${id}?step=what`);
    await two.open(`/campaigns/${id}?step=whom`);
    await one.page.getByLabel('Text', { exact: true }).fill('From the first');
    await two.page.getByLabel('Name', { exact: true }).fill('From the second');
    await one.page.getByRole('heading', { name: 'From the second' }).waitFor();
    await two.page.getByRole('button', { name: /What/ }).click();
    await expect.poll(() => two.page.getByLabel('Text', { exact: true }).inputValue()).toBe('From the first');
    expect(await test.api('GET', `/v3/campaigns/${id}`)).toMatchObject({
      name: 'From the second',
      message: { text: 'From the first' },
    });
    one.expectNoProblems();
    two.expectNoProblems();
  });

  it('is not started as somebody else has changed it meanwhile, and is counted again before', async () => {
    const id = await draftOf('Seen', {}, 'eq(lastName,"Seen")');
    const add = (firstName: string, phoneNumber: string) =>
      test.api('POST', '/v3/contacts', { firstName, lastName: 'Seen', phoneNumber });
    await add('Ada', '+15550004200');
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/campaigns/${id}?step=check`);
    await page.getByText('As they will be sent').waitFor();
    await add('Grace', '+15550004201');
    const send = page.getByRole('button', { name: 'Send now' });
    await send.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It goes to 2 people now').waitFor();
    await test.api('PUT', `/v3/campaigns/${id}`, { message: { text: 'From the other one' } });
    await page.getByText('From the other one').first().waitFor();
    await dialog.getByRole('button', { name: 'Send now' }).click();
    await dialog.getByText('the campaign was changed meanwhile').waitFor();
    expect((await test.api('GET', `/v3/campaigns/${id}`)).status).toBe('draft');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await send.click();
    await dialog.getByText('It goes to 2 people now').waitFor();
    let starts = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/status')) starts += 1;
    });
    // Both clicks before the window can show anything.
    await dialog
      .getByRole('button', { name: 'Send now' })
      .evaluate((button: { click(): void }) => [button.click(), button.click()].length);
    await page.getByRole('progressbar', { name: 'Progress of Seen' }).waitFor();
    expect(starts).toBe(1);
    expectNoProblems(REFUSED);
  });

  it('stays paused when an older answer comes late', async () => {
    const id = await draftOf('Late', { recurrenceRules: ['RRULE:FREQ=DAILY'] });
    const stored = () => test.api('GET', `/v3/campaigns/${id}`);
    await test.api('POST', `/v3/campaigns/${id}/status`, { status: 'running' });
    await expect.poll(async () => (await stored()).status, { timeout: 30_000 }).toBe('scheduled');
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    let release: (() => void) | undefined;
    await page.route(`**/v3/campaigns/${id}`, async (route) => {
      const response = await route.fetch();
      await new Promise<void>((resolve) => (release = resolve));
      await route.fulfill({ response });
    });
    await open('/campaigns');
    const row = page.getByRole('row', { name: /Late/ });
    await expect.poll(() => release).toBeDefined();
    await row.getByRole('button', { name: /actions/i }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    const late = page.waitForResponse(`**/v3/campaigns/${id}`);
    release?.();
    await (await late).finished();
    await row.getByRole('link', { name: 'Late' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(0);
    expectNoProblems();
  });

  it('what is gone is said: a template, a segment, an audience, the draft itself', async () => {
    const template = { channelId, name: 'sale', language: 'en', body: 'Hello {{name}}' };
    const { id: templateId } = await test.api('POST', '/v3/message_templates', template);
    const filter = { name: 'Gone', query: 'eq(firstName,"Nobody has this name")' };
    const { id: segmentId } = await test.api('POST', '/v3/segments', filter);
    const message = { template: { templateId, variables: { name: 'x' } } };
    const id = await draftOf('Gone', { message }, null);
    await test.api('PUT', `/v3/campaigns/${id}`, { segmentId });
    await test.api('DELETE', `/v3/segments/${segmentId}?force=true`);
    await test.api('DELETE', `/v3/message_templates/${templateId}`);
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/campaigns/${id}?step=whom`);
    // The campaign has kept the filter.
    await page.getByText('Nobody matches.').waitFor();
    await page.getByRole('button', { name: /What/ }).click();
    await page.getByText('no approved template').waitFor();
    await page.getByRole('button', { name: /Check/ }).click();
    await page.getByText('The channel has no template').waitFor();
    expect(await page.getByRole('button', { name: 'Send now' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'New campaign' }).first().waitFor();
    await open(`/campaigns/${id}`);
    await heading(page, 'This campaign does not exist any more').waitFor();
    expectNoProblems(REFUSED);
  });

  it('the main flow and the list work by keyboard alone', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/inbox');
    await page.getByRole('link', { name: 'Campaigns' }).waitFor();
    await goTo(page, 'm');
    await page.getByRole('button', { name: 'New campaign' }).first().waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByLabel('Channel').waitFor();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Shop');
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await heading(page, 'Whom').waitFor();
    await page.getByRole('radio', { name: /^Everybody/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
    await heading(page, 'What').waitFor();
    await page.getByRole('radio', { name: /A text/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Typed');
    await page.keyboard.press('Control+Enter');
    await heading(page, 'When').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('As they will be sent').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('progressbar', { name: 'Progress of By keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /By keyboard/ }).waitFor();
    expectNoProblems();
  });

  it('an agent looks at campaigns and changes nothing', async () => {
    const id = await draftOf('Only read');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/campaigns/${id}`);
    await heading(page, 'Only read').waitFor();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await open('/campaigns');
    await page.getByRole('link', { name: 'Only read' }).waitFor();
    expect(await page.getByRole('button', { name: 'New campaign' }).count()).toBe(0);
    expectNoProblems();
  });

  it.each(['light', 'dark'] as const)('every step and page is accessible, %s', async (colorScheme) => {
    const id = await draftOf(`Axe ${colorScheme}`);
    const done = await draftOf(`Done ${colorScheme}`);
    await test.api('POST', `/v3/campaigns/${done}/status`, { status: 'running' });
    const owner = await test.createPerson('owner');
    for (const width of [360, 1280]) {
      const { page, open, context, expectNoProblems } = await test.pageOf(owner, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      for (const [step, shown] of [
        ['whom', 'Who gets it?'],
        ['what', 'What do they get?'],
        ['when', 'When does it go out?'],
        ['check', 'As they will be sent'],
      ] as const) {
        await open(`/campaigns/${id}?step=${step}`);
        await page.getByText(shown).first().waitFor();
        expect([step, await findViolations(page)]).toEqual([step, []]);
      }
      await open(`/campaigns/${done}`);
      await page.getByRole('table').waitFor();
      expect(await findViolations(page)).toEqual([]);
      await open('/campaigns?tab=segments');
      await page.getByRole('button', { name: 'New segment' }).first().waitFor();
      expect(await findViolations(page)).toEqual([]);
      expectNoProblems();
      await context.close();
    }
  });
});
