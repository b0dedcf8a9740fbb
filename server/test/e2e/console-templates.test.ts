import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';

const REFUSED = /status of 4\d\d/;
const HOSTILE = '"><script>alert(1)</script> ‮ {{1}}';

/** With `console.test.ts`, which opens every screen in all four. */
const VIEWS = [
  ['light', 360, 'de-DE'],
  ['dark', 1280, 'en-GB'],
] as const;

describe.runIf(CHROMIUM)('templates', () => {
  let test: TestConsole;
  let whatsapp: string;
  let sms: string;
  beforeAll(async () => {
    test = await useConsole();
    const create = async (kind: string, address: string) =>
      (await test.api('POST', '/v3/channels', { kind, provider: 'sandbox', name: `Own ${kind}`, address }))
        .id;
    whatsapp = await create('whatsapp', '+15550009191');
    sms = await create('sms', '+15550009292');
  });

  it('one is written beside its preview, and rejected with the reason in words', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/templates');
    await page.getByRole('button', { name: 'New template' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Channel').selectOption('Own whatsapp');
    await dialog.getByLabel('Name').fill('Not Allowed!');
    await dialog.getByLabel('Language').fill('en');
    await dialog.getByLabel('Header').selectOption('Text');
    await dialog.getByLabel('Text of the header').fill('Hello {{name}}');
    await dialog.getByLabel('Text', { exact: true }).fill(`Your order {{number}} ${HOSTILE}`);
    await dialog.getByLabel('Footer').fill('Reply STOP');
    await dialog.getByRole('button', { name: 'Add a button' }).click();
    await dialog.getByLabel('Button 1', { exact: true }).selectOption('Web page');
    await dialog.getByLabel('Text of button 1').fill('Track it');
    await dialog.getByLabel('Web address of button 1').fill('javascript:alert(1)');
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('Hello Ada').waitFor();
    await preview.getByText('Your order 10423').waitFor();
    await preview.getByText('Track it').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('On WhatsApp a name has only a to z').waitFor();
    await dialog.getByText('Must be an http or https URL').waitFor();
    await dialog.getByLabel('Name').fill('reject_me');
    await dialog.getByLabel('Web address of button 1').fill('https://example.com/{{number}}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'reject_me (en)' }).waitFor();
    // The decision arrives as an event.
    await page.getByText('The vendor says: The sandbox rejects every template').waitFor();
    await page.getByLabel('number', { exact: true }).fill('77');
    await page.getByText('Your order 77').waitFor();
    const [made] = await test.api('POST', '/v3/message_templates/search', { query: 'eq(name,"reject_me")' });
    expect(made).toMatchObject({
      channelId: whatsapp,
      header: { type: 'text', text: 'Hello {{name}}' },
      footer: 'Reply STOP',
      buttons: [{ type: 'url', text: 'Track it', url: 'https://example.com/{{number}}' }],
    });
    expectNoProblems(REFUSED);
  });

  it('the list is filtered and walked by keyboard; what is in use says where, and is deleted by those who insist', async () => {
    const { id } = await test.api('POST', '/v3/message_templates', {
      channelId: sms,
      name: HOSTILE,
      language: 'de',
      category: 'marketing',
      body: 'Hallo',
    });
    const automation = await test.api('POST', '/v3/automations', {
      name: 'Spring <b>sale</b>',
      trigger: { type: 'api', parameters: { channelId: sms } },
      steps: [{ id: 'one', type: 'send_template', parameters: { templateId: id } }],
    });
    await test.api('POST', `/v3/automations/${automation.id}/publish`);
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/templates?filter=eq(language,"de")');
    await page.getByText('Language: de').waitFor();
    const link = page.getByRole('link', { name: HOSTILE });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `${HOSTILE} (de)` }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('Text', { exact: true }).fill('Guten Tag');
    await page.getByRole('dialog').getByLabel('Text', { exact: true }).press('Tab');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Guten Tag').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(HOSTILE);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Spring <b>sale</b>').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete anyway' }).click();
    await page.waitForURL('**/console/templates');
    expectNoProblems(REFUSED);
  });

  it('those of the vendor are read; a viewer changes nothing', async () => {
    const admin = await test.pageFor('admin');
    await admin.open('/templates');
    await admin.page.getByRole('button', { name: 'Read from the vendor' }).click();
    await admin.page.getByRole('menuitem', { name: 'Read the templates of Own whatsapp' }).click();
    await admin.page.getByText('The channel has').waitFor();
    admin.expectNoProblems();
    const viewer = await test.pageFor('viewer');
    await viewer.open('/templates');
    await viewer.page.getByRole('table').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'New template' }).count()).toBe(0);
  });

  it.each(VIEWS)('the form and a template are accessible, %s, %i px', async (colorScheme, width, locale) => {
    const owner = await test.createPerson('owner');
    const { id } = await test.api('POST', '/v3/message_templates', {
      channelId: whatsapp,
      name: `axe_${colorScheme}`,
      language: 'en',
      body: 'Hello {{1}}',
      header: { type: 'image', url: 'https://example.com/picture.png' },
      buttons: [{ type: 'quick_reply', text: 'Yes' }],
    });
    const own = await test.pageOf(owner, { colorScheme, locale, viewport: { width, height: 800 } });
    await own.open(`/templates/${id}`);
    await own.page.getByText('Hello [1]').waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await own.page.keyboard.press('e');
    await own.page.getByRole('dialog').waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    own.expectNoProblems();
  });
});
