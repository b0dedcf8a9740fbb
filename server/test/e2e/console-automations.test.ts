import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';

const GUIDE = readFileSync(new URL('../../../docs/use/automations-guide.md', import.meta.url), 'utf8');
const HOSTILE =
  '<img src=x onerror=alert(1)> "></script>{% raw %}‮ ﷽ 👩‍👩‍👧 \\u0000 javascript:alert(1){% endraw %}';
/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

interface Definition {
  name: string;
  trigger: object;
  variables?: object[];
  steps: { id: string; parameters?: Record<string, unknown> }[];
}

/** A definition of the guide, with ids of this tenant. */
function definitionInGuide(name: string, ids: Readonly<Record<string, string>>): Definition {
  const blocks = [...GUIDE.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, text]) => text as string);
  let text = blocks.find((block) => block.includes(`"name": "${name}"`)) as string;
  for (const [placeholder, id] of Object.entries(ids)) text = text.replaceAll(placeholder, id);
  const definition = JSON.parse(text) as Definition;
  return { ...definition, steps: definition.steps.map((step) => ({ parameters: {}, ...step })) };
}

const node = (page: Page, id: string): Locator => page.locator(`[data-item="${id}"]`);
const panel = (page: Page): Locator => page.getByRole('complementary');
const field = (page: Page, label: string): Locator => panel(page).getByLabel(label, { exact: true });
const choose = async (page: Page, label: string, option: string): Promise<void> =>
  void (await field(page, label).selectOption({ label: option }));

/** Clicks the plus on a way, chooses a step and names it. */
async function addStep(page: Page, way: string, kind: string, id: string): Promise<void> {
  const choices = page.getByRole('dialog');
  // Issues that arrive between the press and the release of the button move the picture away from under the pointer.
  for (let tries = 0; tries < 3 && !(await choices.isVisible()); tries += 1) {
    await node(page, way).click();
    await choices.waitFor({ timeout: 3_000 }).catch(() => {});
  }
  await choices
    .getByRole('button')
    .filter({ has: page.getByText(kind, { exact: true }) })
    .click();
  const name = field(page, 'Name of the step');
  await name.fill(id);
  await name.press('Enter');
  await node(page, id).waitFor();
}

async function addCondition(page: Page, number: number, word: string): Promise<void> {
  const box = panel(page).getByRole('group', { name: `Case ${number}`, exact: true });
  await box.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What').selectOption('Message has the word');
  await dialog.getByLabel('Value').fill(word);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await box.getByText(`“${word}”`).waitFor();
}

async function createEmpty(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New automation' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await node(page, 'done').waitFor();
  return page.url().split('/').at(-1) as string;
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Active', { exact: true }).waitFor();
}

describe.runIf(CHROMIUM)('automations', () => {
  let test: TestConsole;
  let ids: Record<string, string>;
  beforeAll(async () => {
    test = await useConsole();
    const create = async (path: string, body: object): Promise<string> =>
      (await test.api('POST', `/v3/${path}`, body)).id;
    ids = {
      CHANNEL_ID: test.channelId,
      ORDER_LABEL_ID: await create('labels', { name: 'Order', color: '#aa8800' }),
      SALE_LABEL_ID: await create('labels', { name: 'Sale', color: '#0088aa' }),
      TEAM_ID: await create('teams', { name: 'Sellers', userIds: [] }),
      TEMPLATE_ID: await create('message_templates', {
        channelId: test.channelId,
        name: 'appointment_reminder',
        language: 'en',
        body: 'Hello {{name}}, see you on {{when}}. Reply YES to confirm or NO to cancel.',
      }),
      APPOINTMENTS_URL: 'https://appointments.example.com',
    };
  });

  it('the welcome of the guide is built with clicks, with faults, undo and publishing', async () => {
    const guide = definitionInGuide('Welcome', ids);
    const { name: channel } = await test.api('GET', `/v3/channels/${test.channelId}`);
    const { page, open, expectNoProblems } = await test.pageFor('admin', {
      viewport: { width: 1360, height: 900 },
    });
    await open('/automations');
    const id = await createEmpty(page, 'Welcome');
    await node(page, '$trigger').click();
    await choose(page, 'How it begins', 'A chat opens');
    await choose(page, 'Channel', channel);

    await addStep(page, '$trigger:next', 'Send a message', 'hello');
    // The API says what is missing, at the field and on the node.
    await panel(page).getByRole('alert').filter({ hasText: 'This is still missing.' }).waitFor();
    await node(page, 'hello').getByText('1 problem').waitFor({ state: 'attached' });
    await field(page, 'Text').fill(guide.steps[0]?.parameters?.text as string);
    await node(page, 'hello').getByText('1 problem').waitFor({ state: 'detached' });
    await addStep(page, 'hello:next', 'Wait for a reply', 'answer');
    await addStep(page, 'answer:next', 'Decide', 'which');
    await addCondition(page, 1, 'order');
    await panel(page).getByRole('button', { name: 'Add a case' }).click();
    await addCondition(page, 2, 'buy');

    await addStep(page, 'which:case:0', 'Add a label', 'is_order');
    await choose(page, 'Label', 'Order');
    await addStep(page, 'is_order:next', 'Send a message', 'order_text');
    await field(page, 'Text').fill('Thank you. What is the number of your order?');
    await addStep(page, 'which:case:1', 'Add a label', 'is_sale');
    await choose(page, 'Label', 'Sale');
    await addStep(page, 'is_sale:next', 'Send a message', 'sale_text');
    await field(page, 'Text').fill('Lovely. Someone will be with you in a moment.');
    await addStep(page, 'which:else', 'Send a message', 'unclear');
    await field(page, 'Text').fill('I did not get that, so I ask a colleague to help you.');
    await addStep(page, 'unclear:next', 'Assign the chat', 'to_team');
    await choose(page, 'Team', 'Sellers');
    for (const step of ['order_text', 'sale_text']) {
      await node(page, step).click();
      await choose(page, 'Continue with', 'Assign the chat: to_team');
    }
    await addStep(page, 'answer:timeout', 'Close or open the chat', 'quiet');

    // A step that is removed comes back, by mouse and by keyboard.
    await panel(page).getByRole('button', { name: 'Remove the step' }).click();
    await node(page, 'quiet').waitFor({ state: 'detached' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await node(page, 'quiet').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+Shift+z');
    await publish(page);
    const stored = await test.api('GET', `/v3/automations/${id}`);
    expect(stored.activeVersion.trigger).toEqual(guide.trigger);
    expect(stored.activeVersion.steps).toEqual(guide.steps);
    expectNoProblems(REFUSED);
  });

  it('the appointment reminder of the guide is built with clicks', async () => {
    const guide = definitionInGuide('Appointment reminder', ids);
    const { name: channel } = await test.api('GET', `/v3/channels/${test.channelId}`);
    const { page, open, expectNoProblems } = await test.pageFor('admin', {
      viewport: { width: 1360, height: 900 },
    });
    await open('/automations');
    const id = await createEmpty(page, 'Appointment reminder');
    await node(page, '$trigger').click();
    await choose(page, 'How it begins', 'A program starts it');
    await choose(page, 'Channel', channel);
    for (const name of ['appointmentId', 'remindAt', 'when']) {
      await panel(page).getByRole('button', { name: 'Add a value' }).click();
      await panel(page).getByRole('group', { name: 'New value' }).getByLabel('Name').fill(name);
    }
    await addStep(page, '$trigger:next', 'Wait', 'sleep');
    await choose(page, 'What', 'Until a time');
    // The menu knows the values of the automation.
    await panel(page).getByRole('button', { name: 'Insert a value into: The time in a value' }).click();
    await page.getByRole('menuitem', { name: 'variables.remindAt' }).click();
    await addStep(page, 'sleep:next', 'Send a template', 'remind');
    await choose(page, 'Template', `appointment_reminder (en) · ${channel}`);
    await field(page, 'name').fill("{{ contact.firstName | default: 'there' }}");
    await field(page, 'when').fill('{{ variables.when }}');
    await addStep(page, 'remind:next', 'Wait for a reply', 'answer');
    await choose(page, 'Unit', 'hours');
    await field(page, 'Wait at most').fill('20');
    await addStep(page, 'answer:next', 'Decide', 'which');
    await addCondition(page, 1, 'yes');
    await panel(page).getByRole('button', { name: 'Add a case' }).click();
    await addCondition(page, 2, 'no');
    const url = (action: string): string =>
      `${ids.APPOINTMENTS_URL}/{{ variables.appointmentId | url_encode }}/${action}`;
    await addStep(page, 'which:case:0', 'Call a server', 'confirmed');
    await field(page, 'Address (URL)').fill(url('confirm'));
    await addStep(page, 'confirmed:next', 'Send a message', 'thanks');
    await field(page, 'Text').fill('Thank you, see you then!');
    await addStep(page, 'which:case:1', 'Call a server', 'cancelled');
    await field(page, 'Address (URL)').fill(url('cancel'));
    await addStep(page, 'cancelled:next', 'Send a message', 'sorry');
    await field(page, 'Text').fill('It is cancelled. Hope to see you another time.');
    await publish(page);
    const stored = await test.api('GET', `/v3/automations/${id}`);
    expect(stored.activeVersion).toMatchObject({ trigger: guide.trigger, variables: guide.variables });
    expect(stored.activeVersion.steps).toEqual(guide.steps);
    expectNoProblems(REFUSED);
  });

  it('keys alone create, insert, write, remove, undo and save', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/inbox');
    await page.getByRole('navigation').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Automations', exact: true }).first().waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await node(page, '$trigger').waitFor();
    await node(page, '$trigger').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // The first kind has the focus.
    await page.keyboard.press('Enter');
    await field(page, 'Text').waitFor();
    await field(page, 'Text').focus();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.dataset.item')).toBe('message');
    await page.keyboard.press('Delete');
    await node(page, 'message').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await node(page, 'message').getByText('“Hello”').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Version 2 is saved, not published').waitFor();
    const [stored] = await test.api('POST', '/v3/automations/search', { search: 'By keyboard' });
    expect(stored.latestVersion.steps[0]).toMatchObject({ id: 'message', parameters: { text: 'Hello' } });
    expectNoProblems(REFUSED);
  });

  it('unsaved changes survive a reload, and nobody overwrites a colleague unseen', async () => {
    const { id } = await test.api('POST', '/v3/automations', {
      name: 'Shared',
      trigger: { type: 'chat_opened' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'First' } }],
    });
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/automations/${id}`);
    await node(page, 'hello').click();
    await field(page, 'Text').fill(HOSTILE);
    await page.getByText('Not saved yet').waitFor();
    await page.reload();
    await page.getByText('They were kept in this browser.').waitFor();
    await node(page, 'hello').getByText('<img src=x onerror=alert(1)>').waitFor();
    await test.api('PUT', `/v3/automations/${id}`, {
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Theirs' } }],
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else has saved meanwhile' });
    await dialog.getByText('“Theirs” → “<img').waitFor();
    expect((await test.api('GET', `/v3/automations/${id}`)).latestVersion.number).toBe(2);
    await dialog.getByRole('button', { name: 'Save mine as a newer version' }).click();
    await page.getByText('Version 3 is saved, not published').waitFor();
    const { latestVersion } = await test.api('GET', `/v3/automations/${id}`);
    expect(latestVersion.steps[0].parameters.text).toBe(HOSTILE);

    // Theirs is still among the versions, and comes back.
    await page.getByRole('button', { name: 'Actions for Shared' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Version 2/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continue with version 2' }).click();
    await node(page, 'hello').getByText('“Theirs”').waitFor();
    expectNoProblems(REFUSED);
  });

  it('JSON and the picture follow each other', async () => {
    const { id } = await test.api('POST', '/v3/automations', {
      name: 'As JSON',
      trigger: { type: 'chat_opened' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'First' } }],
    });
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/automations/${id}`);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'JSON' });
    await editor.getByText('"First"').waitFor();
    await editor.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"trigger":{"type":"api"},"steps":[{"id":"bye","type":"end"}');
    await panel(page).getByText('This is not JSON yet.').waitFor();
    await node(page, 'hello').waitFor();
    await page.keyboard.insertText(']}');
    await node(page, 'bye').waitFor();
    expect(await page.getByText('This is not JSON yet.').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await node(page, 'hello').waitFor();
    await editor.getByText('"First"').waitFor();
    expectNoProblems(REFUSED);
  });

  it('those who may not change automations look at them', async () => {
    const { id } = await test.api('POST', '/v3/automations', {
      name: 'Only to look at',
      trigger: { type: 'chat_opened' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'First' } }],
    });
    const { page, open, expectNoProblems } = await test.pageFor('viewer');
    await open('/automations');
    await page.getByRole('link', { name: 'Only to look at' }).click();
    await node(page, 'hello').click();
    expect(await field(page, 'Text').isDisabled()).toBe(true);
    expect(page.url()).toContain(id);
    for (const name of ['Save', 'Publish', 'Undo', 'New automation', 'Remove the step'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await page.locator('[data-item*=":"]').count()).toBe(0);
    expectNoProblems();
  });

  it.each([
    'light',
    'dark',
  ] as const)('the editor and its windows are accessible, %s', async (colorScheme) => {
    const admin = await test.createPerson('admin');
    const { id } = await test.api('POST', '/v3/automations', definitionInGuide('Welcome', ids));
    for (const width of [360, 1280]) {
      const { page, open, context, expectNoProblems } = await test.pageOf(admin, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      const check = async (): Promise<void> => expect(await findViolations(page)).toEqual([]);
      await open(`/automations/${id}`);
      for (const step of ['$trigger', 'hello', 'which']) {
        await node(page, step).focus();
        await page.keyboard.press('Enter');
        await panel(page).waitFor();
        await check();
        await page.keyboard.press('Escape');
      }
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.getByRole('textbox', { name: 'JSON' }).waitFor();
      await check();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Actions for Welcome' }).click();
      await page.getByRole('menuitem', { name: 'Versions' }).click();
      await page.getByRole('dialog').getByText('Nothing is different.').waitFor();
      await check();
      expectNoProblems();
      await context.close();
    }
  });
});
