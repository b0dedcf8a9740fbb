import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole, waitForShell } from '../kit/console.ts';
import { PASSWORD } from '../kit/people.ts';
import { codeOf } from '../kit/session-calls.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

describe.runIf(CHROMIUM)('logging in to the console', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });

  it('the printed link makes the first person an operator and an owner, and works once', async () => {
    expect(test.firstLink).toMatch(/\/console\/welcome#[\w-]{43}$/);
    const { page, open, expectNoProblems } = await test.newPage();
    await page.goto(test.url);
    await page.waitForURL('**/console/login**');
    await page.goto(test.firstLink);
    await page.getByLabel('Your name').fill('Ada <b>Lovelace</b>');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('password12');
    await page.getByRole('button', { name: 'Create account' }).click();
    // A common password is refused beside its field.
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await waitForShell(page);
    expect(new URL(page.url()).hash).toBe('');
    await open('/profile');
    await page.getByText('Operator of this server').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada <b>Lovelace</b>');
    await page.goto(test.firstLink);
    await page.reload();
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    expectNoProblems(REFUSED);
  });

  it('a wrong password says so, the right one leads back to where one wanted to go', async () => {
    const { email } = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.newPage();
    await open('/profile?tab=x');
    await page.waitForURL('**/console/login?next=**');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('Email or password are wrong.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/profile?tab=x');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expectNoProblems(REFUSED);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
  ])('does not leave the console after a login with next=%s', async (next) => {
    const { email } = await test.createPerson('viewer');
    const { page, open, context, expectNoProblems } = await test.newPage();
    await open(`/login?next=${encodeURIComponent(JSON.stringify(next))}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toBe(`${test.url}/console/inbox`);
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    expectNoProblems(REFUSED);
    await context.close();
  });

  it('an ended session leads to the login, and back to the same place', async () => {
    const person = await test.createPerson('agent');
    const { page, open } = await test.pageOf(person);
    await open('/profile?tab=y');
    await page.getByRole('heading', { name: 'Where you are logged in' }).waitFor();
    const ended = await fetch(`${test.url}/v3/session`, {
      method: 'DELETE',
      headers: { cookie: `parley=${person.cookie}`, origin: test.url },
    });
    expect(ended.status).toBe(200);
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/profile?tab=y');
  });

  it('two-factor login is switched on, asked for, and switched off', async () => {
    const person = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/profile');
    await page.getByRole('button', { name: 'Switch on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const secret = (await dialog.locator('code').textContent()) as string;
    await dialog.getByRole('textbox', { name: 'Code' }).fill('000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('The code is wrong').waitFor();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await dialog.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    const recoveryCode = (await dialog.locator('code').first().textContent()) as string;
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('On. Logging in asks for a code').waitFor();

    const other = await test.newPage();
    await other.open('/login');
    await other.page.getByLabel('Email').fill(person.email);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.keyboard.press('Enter');
    await other.page.getByLabel('Code').fill(recoveryCode);
    await other.page.keyboard.press('Enter');
    await waitForShell(other.page);

    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByLabel('Code').fill(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    expectNoProblems(REFUSED);
    other.expectNoProblems(REFUSED);
  });

  it('the own name is changed, and another session is ended', async () => {
    const person = await test.createPerson('admin');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/profile');
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect((await test.api('GET', `/v3/users/${person.userId}`)).name).toBe('Grace Hopper');

    const second = await test.newPage();
    await second.open('/login');
    await second.page.getByLabel('Email').fill(person.email);
    await second.page.getByLabel('Password').fill(PASSWORD);
    await second.page.keyboard.press('Enter');
    await waitForShell(second.page);
    await page.reload();
    await page.getByRole('button', { name: 'Log out there' }).click();
    await second.page.getByText('Your session has ended.').waitFor();
    expectNoProblems();
  });

  it('logging out forgets everything', async () => {
    const { page, open } = await test.pageFor('owner');
    await open('/profile');
    await page.getByRole('button', { name: 'Account and settings' }).first().click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await open('/profile');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });
});
