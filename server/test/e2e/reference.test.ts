import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchBrowser } from '../kit/browser.ts';
import { type Program, startProgram } from '../kit/program.ts';

describe.runIf(CHROMIUM)('the reference at /docs', () => {
  let parley: Program;
  let browser: Browser;
  beforeAll(async () => {
    parley = await startProgram();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await parley?.stop();
  });

  it('sends a request with the printed token, and none that leaves the machine', async () => {
    const token = /^TOKEN=(.+)$/m.exec(parley.output())?.[1] as string;
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${parley.url}/docs`, { waitUntil: 'networkidle' });
    await page.getByPlaceholder('Token').first().fill(token);
    await page.getByText('Who am I?').first().click();
    await page
      .getByRole('button', { name: /test request/i })
      .first()
      .click();
    const answered = page.waitForResponse((response) => response.url().endsWith('/v3/me'));
    await page.getByRole('button', { name: /^send/i }).first().click();
    const answer = await answered;
    expect(answer.status()).toBe(200);
    expect(await answer.json()).toMatchObject({ success: true, data: { tenant: { name: 'demo' } } });
    await page.getByText('200 OK').waitFor();

    const elsewhere = requested.filter((url) => !url.startsWith(parley.url) && !url.startsWith('data:'));
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
