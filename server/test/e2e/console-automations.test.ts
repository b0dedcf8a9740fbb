import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { readGuide } from '../kit/guides.ts';
import { addStep, createEmpty, field, node, panel } from './automation-page.ts';
import { goTo } from './go-to.ts';

const HOSTILE =
  '<img src=x onerror=alert(1)> "></script>{% raw %}‮ ﷽ 👩‍👩‍👧 \\u0000 javascript:alert(1){% endraw %}';
/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

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
    };
  });

  it('says what is missing where it is, and a step that was removed comes back', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/automations');
    await createEmpty(page, 'Faults');
    await addStep(page, '$trigger:next', 'Send a message', 'hello');
    // The API says what is missing, at the field and on the node.
    await panel(page).getByRole('alert').filter({ hasText: 'This is still missing.' }).waitFor();
    await node(page, 'hello').getByText('1 problem').waitFor({ state: 'attached' });
    await field(page, 'Text').fill('Hello');
    await node(page, 'hello').getByText('1 problem').waitFor({ state: 'detached' });
    // By mouse and by keyboard.
    await panel(page).getByRole('button', { name: 'Remove the step' }).click();
    await node(page, 'hello').waitFor({ state: 'detached' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await node(page, 'hello').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+Shift+z');
    await node(page, 'hello').getByText('“Hello”').waitFor();
    expectNoProblems(REFUSED);
  });

  it('follows new steps, and a plus that the browser scrolls to stays under the pointer', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin', {
      viewport: { width: 1280, height: 600 },
    });
    await open('/automations');
    await createEmpty(page, 'Long');
    const isInSight = (item: string) =>
      page.evaluate<boolean>(`(() => {
        const { top, bottom } = document.querySelector('[data-item="${item}"]').getBoundingClientRect();
        const canvas = document.querySelector('.react-flow').getBoundingClientRect();
        return top >= canvas.top && bottom <= canvas.bottom;
      })()`);
    let before = '$trigger';
    for (const id of ['one', 'two', 'three', 'four', 'five', 'six']) {
      await addStep(page, `${before}:next`, 'Wait', id);
      await expect.poll(() => isInSight(id)).toBe(true);
      await expect.poll(() => isInSight(`${id}:next`)).toBe(true);
      before = id;
    }
    expect(await isInSight('$trigger')).toBe(false);
    // The first view begins with the trigger. What is not saved yet is still there.
    await page.reload();
    await node(page, 'six:next').waitFor();
    await expect.poll(() => isInSight('$trigger')).toBe(true);
    expect(await isInSight('six:next')).toBe(false);
    const plus = node(page, 'six:next');
    await plus.scrollIntoViewIfNeeded();
    const box = await plus.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 12);
    await page.mouse.down();
    // What was scrolled back came two frames later.
    await page.evaluate('new Promise((done) => setTimeout(done, 200))');
    await page.mouse.up();
    await page.getByRole('dialog').getByText('Send a message').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show everything' }).click();
    for (const item of ['$trigger', 'one', 'six:next', 'done']) expect(await isInSight(item)).toBe(true);
    expectNoProblems(REFUSED);
  });

  it('keys alone create, insert, write, remove, undo and save', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/inbox');
    await page.getByRole('navigation').first().waitFor();
    await goTo(page, 'a');
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

  it('publishing that failed works when it is tried again', async () => {
    const { id } = await test.api('POST', '/v3/automations', {
      name: 'Tried twice',
      trigger: { type: 'chat_opened' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'First' } }],
    });
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/automations/${id}`);
    await node(page, 'hello').click();
    await field(page, 'Text').fill('Second');
    await page.route('**/publish', (route) => route.abort());
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish Tried twice?' });
    const publish = dialog.getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    await dialog.getByText('The server does not answer.').waitFor();
    await page.unroute('**/publish');
    await publish.click();
    await page.getByText('Version 2 is published').waitFor();
    expectNoProblems(/ERR_FAILED/);
  });

  it('nobody publishes what a colleague has saved unseen, and their new name is shown and kept', async () => {
    const { id } = await test.api('POST', '/v3/automations', {
      name: 'Ours',
      trigger: { type: 'chat_opened' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'First' } }],
    });
    const stored = () => test.api('GET', `/v3/automations/${id}`);
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/automations/${id}`);
    const publishButton = page.getByRole('button', { name: 'Publish', exact: true });
    await publishButton.click();
    const dialog = page.getByRole('dialog', { name: 'Publish Ours?' });
    await dialog.getByText('Version 1 is published.').waitFor();
    await test.api('PUT', `/v3/automations/${id}`, {
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Theirs' } }],
    });
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else has saved meanwhile' });
    await conflict.getByRole('button', { name: 'Continue with theirs' }).click();
    expect((await stored()).activeVersionId).toBe(null);
    await node(page, 'hello').getByText('“Theirs”').waitFor();

    await node(page, 'hello').click();
    await field(page, 'Text').fill('Mine');
    await page.getByText('Not saved yet').waitFor();
    await test.api('PUT', `/v3/automations/${id}`, { name: 'Renamed' });
    await page.reload();
    const name = page.getByRole('textbox', { name: 'Name', exact: true }).first();
    await expect.poll(() => name.inputValue()).toBe('Renamed');
    await test.api('PUT', `/v3/automations/${id}`, { name: 'Renamed again' });
    await page.getByRole('link', { name: 'All automations' }).click();
    await page.getByRole('link', { name: /Renamed/ }).click();
    await expect.poll(() => name.inputValue()).toBe('Renamed again');
    await publishButton.click();
    const again = page.getByRole('dialog', { name: 'Publish Renamed again?' });
    await again.getByText('Your changes are saved as a new version').waitFor();
    await again.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Version 3 is published').waitFor();
    const { name: kept, activeVersion } = await stored();
    expect([kept, activeVersion.number, activeVersion.steps[0].parameters.text]).toEqual([
      'Renamed again',
      3,
      'Mine',
    ]);
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
    // What is on the screen could not be published.
    const publishButton = page.getByRole('button', { name: 'Publish', exact: true });
    await expect.poll(() => publishButton.isDisabled()).toBe(true);
    await node(page, 'hello').waitFor();
    await page.keyboard.insertText(']}');
    await node(page, 'bye').waitFor();
    expect(await page.getByText('This is not JSON yet.').count()).toBe(0);
    await expect.poll(() => publishButton.isEnabled()).toBe(true);
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
    const { id } = await test.api('POST', '/v3/automations', readGuide('Welcome', ids));
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
