import { beforeAll, describe, expect, it } from 'vitest';
import { contactFilters } from '../../../console/src/contact-filter/contact-filters.ts';
import { readFilter, writeFilter } from '../../../console/src/ui/filter.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;
const NAUGHTY = ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', 'javascript:alert(1)'];

describe('the chips of contacts', () => {
  it.each([
    [[]],
    [[{ field: 'name', value: 'a "quoted", \\ and) odd' }]],
    [
      [
        { field: 'label', value: '019a82a0-0000-7000-8000-000000000020' },
        { field: 'subscribed', value: 'false' },
        { field: 'created', value: 'P7D' },
        { field: 'phone', value: '+49' },
      ],
    ],
  ] as const)('become a filter and come back: %j', (chips) => {
    expect(readFilter(contactFilters, writeFilter(contactFilters, chips))).toEqual(chips);
  });

  it.each([
    'or(eq(isSubscribed,true),eq(language,"de"))',
    'eq(isSubscribed,true),',
    'eq(isSubscribed,true),eq(language,"de")',
    'and(eq(isSubscribed,true)) and more',
    'contains(fullName,"open',
    'eq(attributes.city,"Berlin")',
  ])('leave a filter alone that says more: %s', (filter) => {
    expect(readFilter(contactFilters, filter)).toBeUndefined();
  });
});

describe.runIf(CHROMIUM)('the contacts', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
    await test.api('POST', '/v3/labels', { name: 'Gold', color: '#aa8800' });
    await test.api('POST', '/v3/attributes', { name: 'City', externalId: 'city', type: 'text' });
  });

  it('somebody is created, edited, labelled, unsubscribed and erased with the name typed', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/contacts');
    await page.getByRole('button', { name: 'New contact' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First name').fill('Katherine');
    await dialog.getByLabel('Last name').fill('Johnson');
    await dialog.getByLabel('Phone number').fill('not a number');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Phone number').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Phone number').fill('+493012345678');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const drawer = page.getByRole('complementary', { name: 'Katherine Johnson' });
    await drawer.waitFor();
    const id = page.url().split('/').at(-1) as string;

    await drawer.getByRole('button', { name: 'Add a label' }).click();
    await page.getByRole('menuitem', { name: 'Gold' }).click();
    await drawer.getByRole('button', { name: 'Remove the label Gold' }).waitFor();
    await drawer.getByRole('button', { name: 'Unsubscribe from SMS' }).click();
    await drawer.getByRole('button', { name: 'Subscribe to SMS' }).waitFor();
    await drawer.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('City').fill('Hampton');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('Hampton').waitFor();
    expect(await test.api('GET', `/v3/contacts/${id}`)).toMatchObject({
      firstName: 'Katherine',
      isSubscribed: false,
      labels: [{ name: 'Gold' }],
      attributes: [{ externalId: 'city', value: 'Hampton' }],
    });
    // Another person changes it, and this page shows it.
    await test.api('PUT', `/v3/contacts/${id}`, { lastName: 'Goble' });
    const renamed = page.getByRole('complementary', { name: 'Katherine Goble' });
    await renamed.getByRole('button', { name: 'Erase' }).click();
    const erase = dialog.getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Type "Katherine Goble" to confirm').fill('Katherine Goble');
    await erase.click();
    await renamed.waitFor({ state: 'detached' });
    await open(`/contacts/${id}`);
    await page.getByRole('heading', { name: 'This contact does not exist any more' }).waitFor();
    expectNoProblems(REFUSED);
  });

  it.each(['light', 'dark'] as const)('the contact and its forms are accessible, %s', async (colorScheme) => {
    const { id } = await test.api('POST', '/v3/contacts', {
      firstName: 'Axe',
      email: `${colorScheme}@example.com`,
    });
    const owner = await test.createPerson('owner', { name: 'Ada Lovelace' });
    for (const width of [360, 1280]) {
      const own = await test.pageOf(owner, { colorScheme, viewport: { width, height: 800 } });
      await own.open(`/contacts/${id}`);
      await own.page.getByRole('heading', { name: 'Axe' }).waitFor();
      expect(await findViolations(own.page)).toEqual([]);
      await own.page.getByRole('button', { name: 'Edit' }).click();
      await own.page.getByRole('dialog').getByLabel('City').waitFor();
      expect(await findViolations(own.page)).toEqual([]);
      own.expectNoProblems();
      await own.context.close();
    }
  });

  it('chips become the filter of the API, which can be edited; a reload keeps both', async () => {
    await test.api('POST', '/v3/contacts', { firstName: 'Filtered', lastName: 'One', language: 'de' });
    await test.api('POST', '/v3/contacts', { firstName: 'Filtered', lastName: 'Two', language: 'fr' });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/contacts');
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What').selectOption('Name contains');
    await dialog.getByLabel('Value').fill('filtered');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await link('Filtered One').waitFor();
    await expect.poll(() => page.getByRole('status').filter({ hasText: '2 contacts' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Show as text' }).click();
    const text = page.getByLabel('Filter as text');
    expect(await text.inputValue()).toBe('contains(fullName,"filtered")');
    await text.fill('and(contains(fullName,"filtered"),eq(language,"de"))');
    await page.keyboard.press('Enter');
    await page.getByText('Language: de').waitFor();
    await link('Filtered Two').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Language: de').waitFor();
    await link('Filtered One').waitFor();
    await page.getByRole('button', { name: 'Show as text' }).click();
    await text.fill('eq(nothing,1)');
    await page.keyboard.press('Enter');
    await page.getByText('Filter written by hand').waitFor();
    await expect.poll(() => text.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Remove the filter' }).click();
    await link('Filtered Two').waitFor();
    expectNoProblems(REFUSED);
  });

  it('is searched, walked through and left by keyboard alone', async () => {
    for (const lastName of ['Alpha', 'Beta'])
      await test.api('POST', '/v3/contacts', { firstName: 'Keyboard', lastName });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/contacts');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('keyboard');
    await page.waitForURL('**/contacts?search=keyboard');
    await page.getByRole('link', { name: 'Keyboard Beta' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Keyboard Beta' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'Keyboard Alpha' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('complementary', { name: 'Keyboard Beta' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/contacts?search=keyboard');
    expectNoProblems();
  });

  it('renders only the rows in sight, and reads the next pages while one scrolls', async () => {
    const count = 250;
    for (let index = 0; index < count; index += 1)
      await test.api('POST', '/v3/contacts', { firstName: 'Many', lastName: String(index).padStart(4, '0') });
    const { page, open, expectNoProblems } = await test.pageFor('viewer');
    await open('/contacts?search=many');
    await page.getByRole('link', { name: 'Many 0249' }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByRole('link', { name: 'Many 0249' }).hover();
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 3_000);
          return page.getByRole('link', { name: 'Many 0000' }).count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    // A viewer changes nothing.
    expect(await page.getByRole('button', { name: 'New contact' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Many 0000' }).click();
    const drawer = page.getByRole('complementary', { name: 'Many 0000' });
    await drawer.waitFor();
    await expect
      .poll(() => drawer.getByRole('button').allTextContents())
      .toEqual(['', 'Profile', 'Timeline', 'Why?']);
    expectNoProblems();
  });

  it('shows names as they are, whatever they contain', async () => {
    const ids: string[] = [];
    for (const firstName of NAUGHTY) ids.push((await test.api('POST', '/v3/contacts', { firstName })).id);
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const [index, id] of ids.entries()) {
      await open(`/contacts/${id}`);
      await page.getByRole('heading', { name: NAUGHTY[index] as string }).waitFor();
      await open(`/contacts?filter=${encodeURIComponent(`contains(fullName,"${NAUGHTY[2]}")`)}`);
      await page.getByText(`Name contains ${NAUGHTY[2]}`).waitFor();
    }
    expect(dialogs).toEqual([]);
    expectNoProblems();
  });
});
