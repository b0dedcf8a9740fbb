import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 4\d\d/;

describe.runIf(CHROMIUM)('the work with contacts', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
    await test.api('POST', '/v3/labels', { name: 'Gold', color: '#aa8800' });
    await test.api('POST', '/v3/attributes', { name: 'City', externalId: 'city', type: 'text' });
    await test.api('POST', '/v3/attributes', { name: 'Age', externalId: 'age', type: 'number' });
  });

  const createContact = (body: object): Promise<{ id: string }> => test.api('POST', '/v3/contacts', body);

  it('the timeline shows what happened, what happens now, and older items by the page', async () => {
    await test.api('POST', `/v3/sandbox/${test.channelId}/inbound`, {
      from: '+15550004242',
      name: 'Dorothy Vaughan',
      text: 'Is the computer on?',
    });
    const findContact = async () =>
      (await test.api('POST', '/v3/contacts/search', { search: 'Dorothy Vaughan' }))[0];
    await expect.poll(findContact).toBeTruthy();
    const { id } = await findContact();
    for (let turn = 0; turn < 110; turn += 1)
      await test.api('PUT', `/v3/contacts/${id}`, { language: turn % 2 === 0 ? 'de' : 'fr' });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/contacts/${id}`);
    const drawer = page.getByRole('complementary', { name: 'Dorothy Vaughan' });
    await drawer.getByRole('button', { name: 'Timeline' }).click();
    await page.waitForURL('**?tab=timeline');
    await drawer.getByText('Language: de → fr').first().waitFor();
    expect(await drawer.getByText('Contact created').count()).toBe(0);
    await drawer.getByRole('button', { name: 'Show older' }).click();
    await drawer.getByText('Contact created').waitFor();
    await drawer.getByText('Is the computer on?').waitFor();

    const [label] = await test.api('POST', '/v3/labels/search', { search: 'Gold' });
    await test.api('POST', `/v3/contacts/${id}/labels`, { labels: [{ id: label.id }] });
    await drawer.getByText('Labels added').waitFor();
    await drawer.getByText('Labels: Gold').waitFor();
    const [chat] = await test.api('POST', '/v3/chats/search', { query: `eq(contactId,"${id}")` });
    await test.api('POST', `/v3/chats/${chat.id}/notes`, { text: 'Asks about the machine' });
    await drawer.getByText('Asks about the machine').waitFor();
    await page.reload();
    await drawer.getByRole('link', { name: 'Note by' }).first().click();
    await page.waitForURL(`**/inbox/${chat.id}`);
    expectNoProblems();
  });

  it('the contact shows its runs of automations as they go on', async () => {
    const { id } = await createContact({ firstName: 'Evelyn', lastName: 'Boyd' });
    const automation = await test.api('POST', '/v3/automations', {
      name: 'After an order',
      trigger: { type: 'api', parameters: {} },
      steps: [
        { id: 'pause', type: 'wait', parameters: { for: 'P1D' } },
        { id: 'done', type: 'end', parameters: {} },
      ],
    });
    await test.api('POST', `/v3/automations/${automation.id}/publish`, {});
    const { page, open, expectNoProblems } = await test.pageFor('viewer');
    await open(`/contacts/${id}`);
    const drawer = page.getByRole('complementary', { name: 'Evelyn Boyd' });
    await drawer.getByText('No chats yet').waitFor();
    await test.api('POST', `/v3/automations/${automation.id}/trigger`, { contactId: id });
    await drawer.getByText('After an order').waitFor();
    await drawer.getByText('Waiting', { exact: true }).waitFor();
    const [run] = await test.api('POST', '/v3/automation_runs/search', { query: `eq(contactId,"${id}")` });
    await test.api('POST', `/v3/automation_runs/${run.id}/cancel`);
    await drawer.getByText('Cancelled', { exact: true }).waitFor();
    expectNoProblems();
  });

  it('two contacts become one, after a look at what would be', async () => {
    const kept = await createContact({
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'ada@example.com',
      attributes: [{ externalId: 'city', value: 'London' }],
    });
    const other = await createContact({
      firstName: 'Ada',
      lastName: 'Byron King',
      phoneNumber: '+441632960001',
      attributes: [{ externalId: 'age', value: 36 }],
    });
    const owner = await test.createPerson('owner');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1280]) {
        const own = await test.pageOf(owner, { colorScheme, viewport: { width, height: 800 } });
        await own.open(`/contacts/${kept.id}`);
        await own.page.getByRole('button', { name: 'Merge with another contact' }).click();
        await own.page.getByRole('dialog').getByText('Ada Byron King').click();
        await own.page.getByText('After the merge').waitFor();
        expect(await findViolations(own.page)).toEqual([]);
        own.expectNoProblems();
        await own.context.close();
      }
    // Whatever was looked at, nothing has changed.
    expect((await test.api('GET', `/v3/contacts/${other.id}`)).lastName).toBe('Byron King');

    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/contacts/${kept.id}`);
    await page.getByRole('button', { name: 'Merge with another contact' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Merge with another contact' }).isDisabled()).toBe(true);
    // Those of the same name are offered without typing.
    await dialog.getByText('Ada Byron King').click();
    await dialog.getByText('ada@example.com · +441632960001').waitFor();
    await dialog.getByText('London').waitFor();
    await dialog.getByText('The contact Ada Byron King no longer exists then').waitFor();
    await dialog.getByRole('button', { name: 'Merge Ada Byron King' }).click();
    await dialog.waitFor({ state: 'detached' });
    const drawer = page.getByRole('complementary', { name: 'Ada Byron' });
    await drawer.getByText('+441632960001').waitFor();
    await page.getByRole('link', { name: 'Ada Byron King' }).waitFor({ state: 'detached' });
    expect(await test.api('GET', `/v3/contacts/${kept.id}`)).toMatchObject({
      lastName: 'Byron',
      email: 'ada@example.com',
      phoneNumber: '+441632960001',
    });
    await drawer.getByRole('button', { name: 'Timeline' }).click();
    await drawer.getByText('Merged with another contact').waitFor();
    expectNoProblems();
  });

  it('the table is downloaded as it is filtered and searched', async () => {
    await createContact({ firstName: 'Export', lastName: 'Wanted', language: 'de' });
    await createContact({ firstName: 'Export', lastName: 'Other', language: 'fr' });
    await createContact({ firstName: 'Somebody', lastName: 'Else', language: 'de' });
    const path = `/contacts?search=export&filter=${encodeURIComponent('eq(language,"de")')}`;
    const viewer = await test.pageFor('viewer');
    await viewer.open(path);
    await viewer.page.getByRole('link', { name: 'Export Wanted' }).waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Export', exact: true }).count()).toBe(0);
    viewer.expectNoProblems();
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(path);
    await page.getByRole('link', { name: 'Export Wanted' }).waitFor();
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe('contacts.csv');
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(',Export,Wanted,');
    expectNoProblems();
  });

  it('labels and attributes are changed for many, with the progress shown; bad values are shown at the field', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 120; index += 1)
      ids.push((await createContact({ firstName: 'Bulk', lastName: String(index), language: 'nl' })).id);
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open(`/contacts?filter=${encodeURIComponent('eq(language,"nl")')}`);
    await page.getByRole('checkbox', { name: 'Select Bulk 119' }).check();
    await page.getByRole('checkbox', { name: 'Select Bulk 118' }).check();
    const bar = page.getByRole('toolbar', { name: 'Selected contacts' });
    await bar.getByText('2 selected').waitFor();
    // Erasing needs a right of its own.
    expect(await bar.getByRole('button', { name: 'Erase' }).count()).toBe(0);
    await bar.getByRole('button', { name: 'Set an attribute' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Attribute').selectOption('Age');
    await dialog.getByLabel('Age').fill('old');
    await dialog.getByRole('button', { name: 'Set an attribute' }).click();
    await expect.poll(() => dialog.getByLabel('Age').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Age').fill('42');
    await dialog.getByRole('button', { name: 'Set an attribute' }).click();
    await dialog.getByText('2 of 2').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await bar.waitFor({ state: 'detached' });
    expect((await test.api('GET', `/v3/contacts/${ids[119]}`)).attributes).toMatchObject([
      { externalId: 'age', value: '42' },
    ]);

    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await bar.getByText('100 selected').waitFor();
    await bar.getByRole('button', { name: 'Select all 120' }).click();
    await bar.getByText('All 120 selected').waitFor();
    await bar.getByRole('button', { name: 'Add a label' }).click();
    expect(await dialog.getByRole('button', { name: 'Add a label' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Label').selectOption('Gold');
    await dialog.getByRole('button', { name: 'Add a label' }).click();
    await dialog.getByText('120 of 120').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Gold').first().waitFor();
    const labelled = await test.api('POST', '/v3/contacts/search', {
      query: 'eq(language,"nl")',
      pagination: { limit: 100 },
    });
    expect(labelled.every(({ labels }: { labels: object[] }) => labels.length === 1)).toBe(true);
    expectNoProblems(REFUSED);
  });

  it('many are erased by those who may, with their number typed', async () => {
    for (const lastName of ['One', 'Two', 'Three']) await createContact({ firstName: 'Gone', lastName });
    const own = await test.pageFor('owner', { viewport: { width: 360, height: 800 } });
    const { page } = own;
    await own.open('/contacts?search=gone');
    await page.getByRole('checkbox', { name: 'Select Gone One' }).check();
    await page.getByRole('checkbox', { name: 'Select Gone Two' }).check();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog');
    const erase = dialog.getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Type "2" to confirm').fill('2');
    await erase.click();
    await dialog.getByText('2 of 2').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'Gone One' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Gone Three' }).waitFor();
    expect(await test.api('POST', '/v3/contacts/search', { search: 'Gone' })).toHaveLength(1);
    own.expectNoProblems();
  });

  it('is done in German, in the dark and on a phone', async () => {
    const { id } = await createContact({ firstName: 'Hedy', lastName: 'Lamarr' });
    const own = await test.pageFor('admin', {
      locale: 'de-DE',
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    });
    await own.open(`/contacts/${id}?tab=timeline`);
    await own.page.getByText('Kontakt angelegt').waitFor();
    await own.page.getByText('Vorname: Hedy').waitFor();
    expect(await findViolations(own.page)).toEqual([]);
    await own.page.getByRole('button', { name: 'Mit einem anderen Kontakt zusammenführen' }).waitFor();
    own.expectNoProblems();
  });

  it('viewers select nobody, and people of a team merge nobody', async () => {
    const { id } = await createContact({ firstName: 'Seen', lastName: 'Only' });
    const viewer = await test.pageFor('viewer');
    await viewer.open('/contacts');
    await viewer.page.getByRole('link', { name: 'Seen Only' }).waitFor();
    expect(await viewer.page.getByRole('checkbox').count()).toBe(0);

    const agent = await test.createPerson('agent');
    await test.api('PUT', `/v3/users/${agent.userId}`, { access: 'teams' });
    const restricted = await test.pageOf(agent);
    await restricted.open(`/contacts/${id}`);
    await restricted.page.getByRole('button', { name: 'Edit' }).waitFor();
    expect(await restricted.page.getByRole('button', { name: 'Merge' }).count()).toBe(0);
    viewer.expectNoProblems();
    restricted.expectNoProblems();
  });
});
