import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { audit } from '../../../console/src/i18n/en/audit.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { PASSWORD } from '../kit/people.ts';
import { QUESTIONS } from '../kit/questions.ts';

/** Names that would run a script if a page took them for anything but text. */
const NAUGHTY = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '{{ user.name }}',
  'javascript:alert(1)',
  '\u202Ereversed',
  '𝓤𝓷𝓲𝓬𝓸𝓭𝓮 🇩🇪 ﷽',
];

/** A test fails if any page shows a dialog of the browser. */
function refuseDialogs(page: Page): string[] {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return dialogs;
}

const actionsFor = (page: Page, name: string) => page.getByRole('button', { name: `Actions for ${name}` });

describe.runIf(CHROMIUM)('the settings', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });

  it('invites a person, who joins with the link, gets another role and a team, and is removed', async () => {
    const team = await test.api('POST', '/v3/teams', { name: 'Night shift' });
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/people');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Grace Hopper');
    await dialog.getByLabel('Email').fill('grace@example.com');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const link = (await dialog.locator('code').textContent()) as string;
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Invited', { exact: true }).waitFor();

    const joined = await test.newPage();
    await joined.page.goto(link);
    await joined.page.getByLabel('Password').fill(PASSWORD);
    await joined.page.keyboard.press('Enter');
    await joined.page.getByRole('button', { name: 'Account and settings' }).first().waitFor();

    await actionsFor(page, 'Grace Hopper').click();
    await page.getByRole('menuitem', { name: 'Change role and teams' }).click();
    await dialog.getByLabel('Role').selectOption('viewer');
    await dialog.getByLabel('Sees').selectOption('teams');
    await dialog.getByLabel('Night shift').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Chats of their teams').waitFor();
    const [user] = await test.api('POST', '/v3/users/search', { query: 'eq(email,"grace@example.com")' });
    expect(user).toMatchObject({ role: 'viewer', access: 'teams', hasLogin: true });
    expect((await test.api('GET', `/v3/teams/${team.id}`)).userIds).toEqual([user.id]);

    await page.reload();
    await actionsFor(page, 'Grace Hopper').click();
    await page.getByRole('menuitem', { name: 'Make a link for a new password' }).click();
    expect(await dialog.locator('code').textContent()).toContain('/console/welcome#');
    await page.keyboard.press('Escape');
    await actionsFor(page, 'Grace Hopper').click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog.getByText('Grace Hopper (grace@example.com)').waitFor();
    await dialog.getByRole('textbox').fill('Grace Hopper');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await actionsFor(page, 'Grace Hopper').waitFor({ state: 'detached' });
    expectNoProblems();
  });

  it('shows what is wrong beside the field, and nothing is stored', async () => {
    await test.createPerson('agent', { name: 'Taken' });
    const { email } = await test.createPerson('agent');
    const { page, open } = await test.pageFor('admin');
    await open('/settings/people');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Somebody');
    await dialog.getByLabel('Email').fill(email);
    // An admin makes no owners.
    expect(await dialog.getByRole('option').allTextContents()).not.toContain('Owner');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Somebody');
    const found = await test.api('POST', '/v3/users/search', { query: 'eq(name,"Somebody")' });
    expect(found).toEqual([]);
  });

  it('creates a team, a label, a saved reply and a token by keyboard alone, and deletes them by name', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    const dialog = page.getByRole('dialog');
    /** Presses Tab until something with this name has the focus. */
    const tabTo = async (name: string): Promise<void> => {
      const focused = () =>
        page.evaluate<string>(`(() => {
          const e = document.activeElement;
          return e?.getAttribute('aria-label') ?? e?.labels?.[0]?.textContent ?? e?.textContent ?? '';
        })()`);
      for (let presses = 0; presses < 80; presses += 1) {
        if ((await focused()).trim() === name) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${name}`);
    };
    const create = async (title: string, button: string, fields: [string, string][]): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(title);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await tabTo(button);
      await page.keyboard.press('Enter');
      for (const [label, value] of fields) {
        await tabTo(label);
        await page.keyboard.type(value);
      }
    };
    await open('/settings');
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();

    await create('Labels', 'New label', [['Name', 'Press']]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await create('Saved replies', 'New saved reply', [
      ['Shortcut', 'bye'],
      ['Text', 'Good bye'],
    ]);
    await tabTo('Save');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await create('Teams', 'New team', [['Name', 'Day shift']]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await create('Tokens', 'New token', [['Name', 'Shop']]);
    await page.keyboard.press('Enter');
    await dialog.getByText('it is not shown again').waitFor();
    const token = (await dialog.locator('code').textContent()) as string;
    const me = await fetch(`${test.url}/v3/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(me.status).toBe(200);
    // Nobody loses it by a key, or by a click beside it.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.locator('code').textContent()).toBe(token);
    await dialog.getByRole('button', { name: 'I have copied it' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });

    const removals = [
      ['labels', 'Press', 'Delete', true],
      ['replies', 'bye', 'Delete', false],
      ['teams', 'Day shift', 'Delete', true],
      ['tokens', 'Shop', 'Revoke', false],
    ] as const;
    for (const [address, name, action, isTyped] of removals) {
      await open(`/settings/${address}`);
      await actionsFor(page, name).waitFor();
      await tabTo(`Actions for ${name}`);
      await page.keyboard.press('Enter');
      const focusedRole = () => page.evaluate<string | null>(`document.activeElement.getAttribute('role')`);
      await expect.poll(focusedRole).toBe('menuitem');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await dialog.getByText(name).first().waitFor();
      if (isTyped) {
        expect(await dialog.getByRole('button', { name: action }).isDisabled()).toBe(true);
        await dialog.getByLabel(`Type "${name}" to confirm`).pressSequentially(name);
      }
      await tabTo(action);
      await page.keyboard.press('Enter');
      await actionsFor(page, name).waitFor({ state: 'detached' });
    }
    const refused = await fetch(`${test.url}/v3/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(401);
    expectNoProblems();
  });

  it('the audit log tells who did what, and finds it', async () => {
    const person = await test.createPerson('owner', { name: 'Audrey Tester' });
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/settings/labels');
    await page.getByRole('button', { name: 'New label' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    // The field has the focus.
    await page.keyboard.type('Audited');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open('/settings/audit');
    await page.getByLabel('Who').selectOption('Audrey Tester');
    await page.getByLabel('Operation').selectOption('created a label');
    const sentence = page.getByText('Audrey Tester created a label');
    await sentence.waitFor();
    await expect.poll(() => page.locator('details').count()).toBe(1);
    await sentence.click();
    await page.getByText('createLabel').waitFor();
    await page.getByLabel('Search for a name or an id').fill('nobody of that name');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    expectNoProblems();
  });

  it('the audit log has a sentence for every operation that it can contain', async () => {
    const { paths } = (await (await fetch(`${test.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const changes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'get' && !QUESTIONS.test(path))
        .map(([, { operationId }]) => `did.${operationId}`),
    );
    expect(changes.filter((key) => !Object.hasOwn(audit, key))).toEqual([]);
  });

  it('shows each role only what it may do', async () => {
    await test.api('POST', '/v3/labels', { name: 'VIP' });
    const agent = await test.pageFor('agent');
    await agent.open('/settings/tokens');
    await agent.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    const links = agent.page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    expect(await links.allTextContents()).toEqual([
      'People',
      'Teams',
      'Business hours',
      'Saved replies',
      'Labels',
      'Attributes',
      'Tenant',
    ]);
    await agent.open('/settings/people');
    await agent.page.getByRole('table').waitFor();
    expect(await agent.page.getByRole('main').getByRole('button').count()).toBe(0);
    await agent.open('/settings/labels');
    await agent.page.getByRole('button', { name: 'New label' }).waitFor();

    const viewer = await test.pageFor('viewer');
    for (const address of [
      '/settings/people',
      '/settings/teams',
      '/settings/replies',
      '/settings/labels',
      '/channels',
    ]) {
      await viewer.open(address);
      await viewer.page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => viewer.page.getByText('Loading', { exact: true }).count()).toBe(0);
      expect(await viewer.page.getByRole('main').getByRole('button').count(), address).toBe(0);
    }
    agent.expectNoProblems();
    viewer.expectNoProblems();
  });

  it('shows names as they are, whatever they contain', async () => {
    for (const [index, name] of NAUGHTY.entries()) {
      await test.api('POST', '/v3/labels', { name });
      await test.api('POST', '/v3/teams', { name });
      await test.api('POST', '/v3/users', { name, email: `naughty${index}@example.com`, role: 'agent' });
      await test.api('POST', '/v3/saved_replies', { shortcut: `naughty${index}`, text: name });
      await test.api('POST', '/v3/channels', {
        kind: 'sms',
        provider: 'sandbox',
        name,
        address: `+1555100000${index}`,
      });
    }
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    const dialogs = refuseDialogs(page);
    for (const address of ['labels', 'teams', 'people', 'replies', 'audit']
      .map((id) => `/settings/${id}`)
      .concat('/channels')) {
      await open(address);
      await page.getByRole('table').waitFor();
      if (address.endsWith('audit')) continue;
      for (const name of NAUGHTY) await page.getByText(name).first().waitFor();
    }
    expect(dialogs).toEqual([]);
    expectNoProblems();
  });
});
