import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { WAIT } from './phone-page.ts';

const HOSTILE = '<img src=x onerror="window.broken=1"> ‮ "\\ 🏴‍☠️';

describe.runIf(CHROMIUM)('the runs of an automation', () => {
  let test: TestConsole;
  let channelId: string;
  beforeAll(async () => {
    test = await useConsole();
    channelId = (
      await test.api('POST', '/v3/channels', {
        kind: 'whatsapp',
        provider: 'sandbox',
        name: 'Runs',
        address: '+12025558000',
      })
    ).id;
  });

  const steps = [
    { id: 'ask', type: 'send_message', parameters: { text: 'Which size, {{ contact.firstName }}?' } },
    { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
    {
      id: 'which',
      type: 'branch',
      parameters: { cases: [{ when: 'hasWord(message.text,"large")', next: 'large' }], else: 'other' },
    },
    { id: 'large', type: 'send_message', parameters: { text: `Large it is ${HOSTILE}` }, next: 'done' },
    { id: 'other', type: 'send_message', parameters: { text: 'We have only large ones' } },
    { id: 'done', type: 'end' },
  ];
  async function createAutomation(name: string, keyword: string, own: object[] = steps): Promise<string> {
    const trigger = { type: 'message_received', parameters: { channelId, keywords: [keyword] } };
    const { id } = await test.api('POST', '/v3/automations', { name, trigger, steps: own });
    await test.api('POST', `/v3/automations/${id}/publish`);
    return id;
  }
  const write = (from: string, name: string, text: string) =>
    test.api('POST', `/v3/sandbox/${channelId}/inbound`, { from, name, text });
  const findRuns = (automationId: string) =>
    test.api('POST', '/v3/automation_runs/search', { query: `eq(automationId,"${automationId}")` });
  const waitForRun = async (automationId: string, status: string) => {
    const ofStatus = async () =>
      (await findRuns(automationId)).find((run: { status: string }) => run.status === status);
    await expect.poll(ofStatus, WAIT).toBeDefined();
    return ofStatus();
  };
  const picture = (page: Page) => page.getByRole('region', { name: 'Picture of the automation' });
  const node = (page: Page, text: string) => picture(page).getByRole('button').filter({ hasText: text });
  const stepList = (page: Page) => page.getByRole('list', { name: 'Steps' });

  it('is tried: the texts are shown, painted on the picture, and nothing is sent', async () => {
    const id = await createAutomation('Tried', 'tried');
    const { id: contactId } = await test.api('POST', '/v3/contacts', {
      firstName: 'Ada',
      lastName: HOSTILE,
      phoneNumber: '+12025558001',
    });
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/automations/${id}/try`);
    const form = page.getByRole('form', { name: 'Try it' });
    await form.getByText('Nothing is sent, stored or called.').waitFor();
    await form.getByLabel('For whom').fill('Ada');
    await form.getByRole('button', { name: /^Ada/ }).click();
    await form.getByLabel('What the contact writes').fill('tried something');
    await form.getByLabel('Reply 1').fill('A large one');
    await form.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('The run would be completed.').waitFor(WAIT);
    await stepList(page).getByText('Which size, Ada?').waitFor();
    await stepList(page).getByText('A large one', { exact: true }).waitFor();
    await stepList(page).getByText('Large it is').waitFor();
    await node(page, 'Large it is').getByText('done').waitFor();
    expect(await node(page, 'We have only large ones').getByText('done').count()).toBe(0);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await findViolations(page)).toEqual([]);
    // A message that does not start it says why.
    await form.getByLabel('What the contact writes').fill('something else');
    await form.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The message has none of its keywords.').waitFor(WAIT);
    expect(await findRuns(id)).toEqual([]);
    const sent = await test.api('POST', '/v3/messages/search', { query: `eq(contactId,"${contactId}")` });
    expect(sent).toEqual([]);
    expectNoProblems();
  });

  it('moves on the picture while the customer answers, and is found in the list', async () => {
    const id = await createAutomation('Followed', 'followed');
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/automations/${id}/runs`);
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await write('+12025558002', 'Grace', 'followed');
    const row = page.getByRole('row').filter({ hasText: 'Grace' });
    await row.getByText('Waiting').waitFor(WAIT);
    await row.getByText('Wait for a reply').waitFor();
    await row.getByRole('link', { name: 'Grace' }).click();
    await page.getByRole('heading', { name: 'Run for Grace' }).waitFor();
    await node(page, 'Wait for a reply').getByText('waiting').waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    await write('+12025558002', 'Grace', 'large please');
    await node(page, 'Large it is').getByText('done').waitFor(WAIT);
    await stepList(page).getByText('large please', { exact: true }).waitFor(WAIT);
    await page.getByText('Completed').first().waitFor(WAIT);
    await page.keyboard.press('Escape');
    await row.getByText('Completed').waitFor();
    await open(`/automations/${id}/results`);
    await page.getByRole('status').filter({ hasText: '1 run' }).waitFor(WAIT);
    await node(page, 'Large it is').filter({ hasText: '1' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expectNoProblems();
  });

  it('failed, and is retried from its step; others are cancelled together', async () => {
    const failing = [{ id: 'say', type: 'send_message', parameters: { text: '{{ contact.email }}' } }];
    const id = await createAutomation('Failing', 'failing', failing);
    await write('+12025558003', 'Jean', 'failing');
    const failed = await waitForRun(id, 'failed');
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open(`/automations/${id}/runs?run=${failed.id}`);
    await page.getByText('an empty message cannot be sent').first().waitFor(WAIT);
    await node(page, 'Send a message').getByText('failed').waitFor();
    await page.getByRole('button', { name: 'Retry from this step' }).click();
    await expect
      .poll(async () => (await test.api('GET', `/v3/automation_runs/${failed.id}`)).trace.length, WAIT)
      .toBe(2);

    const waiting = await createAutomation('Waiting', 'waiting');
    for (const [index, name] of ['Kay', 'Betty', 'Ruth'].entries())
      await write(`+1202555801${index}`, name, 'waiting');
    await expect.poll(async () => (await findRuns(waiting)).length, WAIT).toBe(3);
    await waitForRun(waiting, 'waiting');
    await open(`/automations/${waiting}/runs`);
    await page.getByRole('row').filter({ hasText: 'Ruth' }).waitFor(WAIT);
    await page.getByRole('checkbox', { name: 'Select the run of Kay' }).check();
    await page.getByRole('checkbox', { name: 'Select the run of Betty' }).check();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).last().click();
    await page.getByRole('dialog', { name: 'Runs are cancelled' }).getByText('Done').waitFor(WAIT);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    const statuses = async () =>
      (await findRuns(waiting)).map((run: { status: string }) => run.status).sort();
    await expect.poll(statuses, WAIT).toEqual(['cancelled', 'cancelled', 'waiting']);
    await page.getByRole('row').filter({ hasText: 'Kay' }).getByText('Cancelled').waitFor(WAIT);
    expectNoProblems();
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('is accessible, %s, %i px wide', async (colorScheme, width) => {
    const id = await createAutomation(`Axe ${colorScheme}`, `axe${colorScheme}`);
    await write(colorScheme === 'light' ? '+12025558021' : '+12025558022', 'Axe', `axe${colorScheme}`);
    const run = await waitForRun(id, 'waiting');
    const owner = await test.createPerson('owner', { name: 'Ada Lovelace' });
    const own = await test.pageOf(owner, { colorScheme, viewport: { width, height: 800 } });
    for (const [address, text] of [
      ['try', 'Nothing is sent, stored or called.'],
      ['runs', 'Axe'],
      [`runs?run=${run.id}`, 'Run for Axe'],
      ['results', 'Went on'],
    ] as const) {
      await own.open(`/automations/${id}/${address}`);
      await own.page.getByText(text).first().waitFor(WAIT);
      expect(await findViolations(own.page), address).toEqual([]);
      const overflow = await own.page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, address).toBe(0);
    }
    own.expectNoProblems();
  });
});
