import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from '../kit/program.ts';

const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== undefined && existsSync(path));

/** Nothing of the browser's own goes out either. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

if (!CHROMIUM) process.stdout.write('browser tests skipped: no Chromium found (CHROMIUM_PATH names one)\n');

describe.runIf(CHROMIUM)('the reference at /docs', () => {
  let parley: Program;
  let browser: Browser;
  beforeAll(async () => {
    parley = await startProgram();
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: QUIET });
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
