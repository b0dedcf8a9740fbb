import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';

const REFUSED = /status of 4\d\d/;
const HOSTILE = '<img src=x onerror=alert(1)>';
const ROWS = 5_000;

/** As Excel writes it: UTF-16 with a mark, semicolons, numbers kept as texts by a formula. */
const wideTable = (): Buffer =>
  Buffer.from(
    `\uFEFF${[
      `Vorname;Nachname;Handy;${HOSTILE};=1+1`,
      ...Array.from({ length: ROWS }, (_, index) =>
        index % 1000 === 999
          ? `${HOSTILE};=cmd|' /C calc'!A0;${HOSTILE};x;y`
          : `Änne ${index};"Müller; ${HOSTILE}";="0170 ${1_000_000 + index}";x;y`,
      ),
    ].join('\r\n')}`,
    'utf16le',
  );

const chooseFile = (page: Page, name: string, buffer: Buffer): Promise<void> =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });

/** What the button says that has the focus. */
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent');

/** With `console.test.ts`, which opens every screen in all four. */
const VIEWS = [
  ['light', 360, 'de-DE'],
  ['dark', 1280, 'en-GB'],
] as const;

describe.runIf(CHROMIUM)('imports', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
    await test.api('POST', '/v3/attributes', { name: HOSTILE, externalId: 'odd', type: 'text' });
  });

  it('5,000 rows of a spreadsheet are mapped, checked and imported by mouse', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open('/contacts');
    await page.getByRole('button', { name: 'Import contacts' }).click();
    await chooseFile(page, 'kunden.csv', wideTable());
    const dialog = page.getByRole('dialog', { name: 'kunden.csv' });
    const becomes = (name: string) => dialog.getByRole('combobox', { name: `What ${name} becomes` });
    expect(await becomes('Vorname').inputValue()).toBe('firstName');
    expect(await becomes('Handy').inputValue()).toBe('phoneNumber');
    await becomes(HOSTILE).selectOption('attributes.odd');
    // The whole name instead of its parts, and back.
    await becomes('=1+1').selectOption('fullName');
    expect(await becomes('Vorname').inputValue()).toBe('');
    await becomes('Vorname').selectOption('firstName');
    expect(await becomes('=1+1').inputValue()).toBe('');
    await becomes('Nachname').selectOption('lastName');
    await dialog.getByText('Some numbers have no country code').waitFor();
    await dialog.getByLabel('Country of the phone numbers').selectOption('Germany');
    await dialog.getByText('Some numbers have no country code').waitFor({ state: 'detached' });
    await dialog.getByLabel('New label').fill('Fair 2026');
    await dialog.getByRole('button', { name: 'Add the label' }).click();
    await expect.poll(() => dialog.getByLabel('Fair 2026').isChecked()).toBe(true);
    await dialog.getByText('First rows of the file').click();
    await dialog
      .getByRole('cell', { name: `Müller; ${HOSTILE}` })
      .first()
      .waitFor();

    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await dialog.getByText('Checked. Nothing is stored yet.').waitFor();
    await dialog.getByRole('cell', { name: '1,001', exact: true }).waitFor();
    await dialog
      .getByRole('cell', { name: `DE has no number such as ${HOSTILE}` })
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Import 4,995 rows' }).click();
    await dialog.getByText('Imported', { exact: true }).waitFor();
    const link = dialog.getByRole('link', { name: 'Download the rows with problems' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'Änne 4998 Müller; <img' }).first().waitFor();
    const found = await test.api('POST', '/v3/contacts/search', { search: 'Änne 4998' });
    expect(found).toMatchObject([{ phoneNumber: '+491701004998', labels: [{ name: 'Fair 2026' }] }]);
    expectNoProblems(REFUSED);
  });

  it('goes on after the window was closed, and is found in the list by keyboard', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/contacts');
    await page.getByRole('button', { name: 'New contact' }).waitFor();
    await page.keyboard.press('i');
    await page.getByRole('dialog', { name: 'Import contacts' }).waitFor();
    await chooseFile(page, 'keys.csv', Buffer.from('Name,Phone\nKey Board,+15550008181\nNobody,\n'));
    // The next step has the focus.
    await expect.poll(() => focused(page)).toBe('Check the file');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Import 1 row');
    await page.keyboard.press('Enter');
    await page.getByText('Imported', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Imports');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'keys.csv' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Has neither a phone number nor an email address' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/console/imports');
    expectNoProblems(REFUSED);
  });

  it('says what is wrong with a file, and keeps none that was not used', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    const countFiles = async () =>
      (await test.api('POST', '/v3/files/search', { query: 'contains(filename,"unused")' })).length;
    await open('/imports/new');
    // A workbook that was not saved as CSV.
    await chooseFile(page, 'unused.xlsx', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(60)]));
    await page.getByText('Must be a CSV file').waitFor();
    await chooseFile(page, 'unused.csv', Buffer.from('Color,Size\nred,1\n'));
    const dialog = page.getByRole('dialog', { name: 'unused.csv' });
    await dialog.getByText('Choose the column with the phone number').waitFor();
    expect(await dialog.getByRole('button', { name: 'Check the file' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(countFiles).toBe(0);
    expectNoProblems(REFUSED);
  });

  it.each(VIEWS)('every step is accessible, %s, %i px', async (colorScheme, width, locale) => {
    const owner = await test.createPerson('owner');
    const own = await test.pageOf(owner, { colorScheme, locale, viewport: { width, height: 800 } });
    await own.open('/imports/new');
    await own.page.getByRole('dialog').waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await chooseFile(own.page, 'axe.csv', Buffer.from(`Telefon,${HOSTILE}\n017,x\n+15550008282,x\n`));
    const check = own.page.getByRole('button', { name: /Check the file|Datei prüfen/ });
    await check.waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await check.click();
    await own.page.getByRole('button', { name: /Import 1 row|1 Zeile importieren/ }).waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    own.expectNoProblems();
  });
});
