import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { hold } from '../kit/hold.ts';
import { WAIT } from '../kit/inbox.ts';

const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });

describe.runIf(CHROMIUM)('the files of saved replies', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });
  async function openReplies() {
    const opened = await test.pageFor('owner');
    const { page } = opened;
    await opened.open('/settings/replies');
    await page.getByRole('button', { name: 'New saved reply' }).first().waitFor(WAIT);
    const dialog = page.getByRole('dialog');
    return { ...opened, dialog, input: dialog.locator('input[type=file]') };
  }

  it('are ten at most, leave the focus where it is, and are deleted if nobody saves them', async () => {
    const { page, dialog, input, expectNoProblems } = await openReplies();
    const uploaded: string[] = [];
    const deleted: string[] = [];
    page.on('response', async (response) => {
      const isUpload = response.request().method() === 'POST' && response.url().endsWith('/v3/files');
      if (isUpload) uploaded.push((await response.json()).data.id);
    });
    page.on('request', (request) => {
      if (request.method() === 'DELETE') deleted.push(request.url().split('/').at(-1) as string);
    });
    await page.getByRole('button', { name: 'New saved reply' }).first().click();
    const focused = input.and(page.locator(':focus'));
    const upload = await hold(page, /\/v3\/files$/);
    await input.focus();
    await input.setInputFiles(Array.from({ length: 12 }, (_, index) => file(`part-${index + 1}.txt`)));
    await upload.held();
    expect([await focused.count(), await input.getAttribute('aria-disabled')]).toEqual([1, 'true']);
    await dialog.getByText('Left out: part-11.txt, part-12.txt').waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    upload.release();
    await dialog.getByRole('button', { name: 'Remove part-10.txt' }).waitFor(WAIT);
    await expect.poll(() => input.getAttribute('aria-disabled'), WAIT).toBeNull();
    await dialog.getByRole('button', { name: 'Remove part-1.txt' }).press('Enter');
    await expect.poll(() => deleted, WAIT).toEqual([uploaded[0]]);
    await focused.waitFor(WAIT);
    expect(await dialog.getByText('Left out').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => [...deleted].sort(), WAIT).toEqual([...uploaded].sort());
    expect(uploaded).toHaveLength(10);
    expectNoProblems();
  });

  it('are kept when they are saved, and do not keep anybody from correcting the text', async () => {
    const { page, dialog, input, expectNoProblems } = await openReplies();
    await page.getByRole('button', { name: 'New saved reply' }).first().click();
    await dialog.getByLabel('Shortcut').fill('list');
    await dialog.getByLabel('Text').fill('The lsit');
    await input.setInputFiles([file('list.txt')]);
    await dialog.getByRole('button', { name: 'Remove list.txt' }).waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'list.txt' }).waitFor(WAIT);
    const find = async () =>
      (await test.api('POST', '/v3/saved_replies/search', { query: 'eq(shortcut,"list")' }))[0];
    const { media } = await find();
    await test.api('GET', `/v3/files/${media[0].fileId}`);
    await test.api('DELETE', `/v3/files/${media[0].fileId}`);
    await page.getByRole('button', { name: 'Actions for list' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByLabel('Text').fill('The list');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached', ...WAIT });
    expect(await find()).toMatchObject({ text: 'The list', media });
    expectNoProblems();
  });
});
