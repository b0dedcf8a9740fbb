import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, useBrowser } from '../kit/browser.ts';
import { type Program, useProgram } from '../kit/program.ts';

interface OpenApi {
  paths: Record<string, { get: { summary: string } }>;
}

describe.runIf(CHROMIUM)('the reference at /docs', () => {
  let parley: Program;
  let browser: Browser;
  beforeAll(async () => {
    parley = await useProgram();
    browser = await useBrowser();
  });

  it('sends a request with the printed token, and loads nothing from elsewhere', async () => {
    const token = /^TOKEN=(.+)$/m.exec(parley.output())?.[1] as string;
    const { paths } = (await (await fetch(`${parley.url}/openapi.json`)).json()) as OpenApi;
    const summary = paths['/v3/me']?.get.summary as string;
    const page = await browser.newPage();
    const requested: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${parley.url}/docs`, { waitUntil: 'networkidle' });
    // The form that sends a request has a field for the token too, and is hidden until it is opened.
    await page.getByPlaceholder('Token').filter({ visible: true }).first().fill(token);
    await page.getByText(summary).first().click();
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
    expect(errors).toEqual([]);
    await page.close();
  });

  it('links to the guides, which link back, in light and in dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme });
      const requested: string[] = [];
      const errors: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.goto(`${parley.url}/docs`, { waitUntil: 'networkidle' });
      // The reference adds the shown section behind a # as soon as it knows it.
      expect(new URL(page.url()).pathname).toBe('/docs/');
      expect(await page.getByRole('link', { name: 'Guides' }).first().getAttribute('href')).toContain(
        '/docs/guides',
      );
      await page.goto(`${parley.url}/docs/guides`);
      await page.getByRole('link', { name: 'Webhooks' }).first().click();
      await page.getByRole('heading', { name: 'Verify a request' }).waitFor();
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 23, 29)');
      await page.getByRole('link', { name: 'API reference' }).click();
      await page.waitForURL(({ pathname }) => pathname === '/docs/');

      const elsewhere = requested.filter((url) => !url.startsWith(parley.url) && !url.startsWith('data:'));
      expect(elsewhere).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    }
  });
});
