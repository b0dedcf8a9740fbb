import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole, waitForShell } from '../kit/console.ts';
import { PASSWORD } from '../kit/people.ts';
import { decodeQr } from '../kit/qr.ts';
import { codeOf } from '../kit/session-calls.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

describe.runIf(CHROMIUM)('the own account', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });

  it('two-factor login is switched on with a QR code, which says what the secret says', async () => {
    const person = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.pageOf(person, {
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    });
    await open('/profile');
    await page.getByRole('button', { name: 'Switch on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await dialog.getByText('Email or password are wrong.').waitFor();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const code = dialog.getByRole('img', { name: 'QR code for the authenticator app' });
    await code.waitFor();
    expect(await findViolations(page)).toEqual([]);
    const uri = (await dialog
      .getByRole('link', { name: 'Open in the app on this device' })
      .getAttribute('href')) as string;
    const path = (await code.locator('path').getAttribute('d')) as string;
    const size = Number((await code.getAttribute('viewBox'))?.split(' ')[2]) - 8;
    const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${y} ${x}`));
    const modules = Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (_, column) => dark.has(`${row + 4} ${column + 4}`)),
    );
    expect(decodeQr(modules).text).toBe(uri);
    const secret = (await dialog.locator('code').textContent()) as string;
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);

    await dialog.getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('The code is wrong').waitFor();
    await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await dialog.getByText('Recovery codes').waitFor();
    const [recovery] = await dialog.locator('li code').allTextContents();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    expect(await dialog.locator('li code').first().textContent()).toBe(recovery);
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('On. Logging in asks for a code').waitFor();
    expectNoProblems(REFUSED);

    const other = await test.newPage();
    await other.open('/login');
    await other.page.getByLabel('Email').fill(person.email);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.keyboard.press('Enter');
    await other.page.getByLabel('Code').fill(recovery as string);
    await other.page.keyboard.press('Enter');
    await waitForShell(other.page);
    other.expectNoProblems(REFUSED);
  });
});
