import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type LoggedIn, type TestConsole, useConsole } from '../kit/console.ts';

const DIST = new URL('../../../console/dist/', import.meta.url);
const KB = 1_000;
const WIDTHS = [360, 1280];
const THEMES = ['light', 'dark'] as const;

/** The screens that the palette offers, by their addresses. */
async function listScreens(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('option').first().waitFor();
  const ids = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[role=option]')].map(({ id }) => id)`,
  );
  await page.keyboard.press('Escape');
  return ids.flatMap((id) => /-screen-(\/.*)$/.exec(id)?.[1] ?? []);
}

/** A screen is there when it has a heading and nothing is loading. */
async function waitForScreen(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('load');
  await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
}

describe.runIf(CHROMIUM)('every screen of the console', () => {
  let test: TestConsole;
  let owner: LoggedIn;
  beforeAll(async () => {
    test = await useConsole();
    owner = await test.createPerson('owner', { name: 'Ada Lovelace' });
  });

  it.each(
    THEMES.flatMap((theme) => WIDTHS.map((width) => [theme, width] as const)),
  )('is accessible and quiet, %s, %i px wide', async (colorScheme, width) => {
    const view = { colorScheme, viewport: { width, height: 800 } };
    const own = await test.pageOf(owner, view);
    await own.open('/');
    await waitForScreen(own.page);
    const screens = await listScreens(own.page);
    expect(screens).toContain('/profile');
    for (const screen of [...screens, '/no/such/screen']) {
      await own.open(screen);
      await waitForScreen(own.page);
      expect(await findViolations(own.page), screen).toEqual([]);
      const overflow = await own.page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, `${screen} is wider than the window`).toBe(0);
    }
    own.expectNoProblems();

    const anybody = await test.newPage(view);
    for (const screen of ['/login', '/welcome', '/welcome#wrong', '/login/oidc?error=not_invited']) {
      await anybody.open('/login');
      await anybody.open(screen);
      await anybody.page.reload();
      await waitForScreen(anybody.page);
      expect(await findViolations(anybody.page), screen).toEqual([]);
    }
    // The browser reports the answers to wrong links.
    anybody.expectNoProblems(/status of (401|404)/);
    await own.context.close();
    await anybody.context.close();
  });

  it('fits into the limits of a slow network', () => {
    const { script, styles, preload, files } = JSON.parse(
      readFileSync(new URL('manifest.json', DIST), 'utf8'),
    ) as { script: string; styles: string; preload: string[]; files: string[] };
    const size = (name: string): number =>
      gzipSync(readFileSync(new URL(`assets/${name}`, DIST)), { level: 9 }).length;
    const initial = [script, styles, ...preload];
    expect(initial.reduce((sum, name) => sum + size(name), 0)).toBeLessThanOrEqual(180 * KB);
    const lazy = files.filter((name) => name.endsWith('.js') && !initial.includes(name));
    expect(lazy.length).toBeGreaterThan(3);
    for (const name of lazy) expect(size(name), name).toBeLessThanOrEqual(120 * KB);
  });
});
