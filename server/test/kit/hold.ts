import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { WAIT } from './inbox.ts';

/** Keeps the answer to the first request that fits back, as the server has given it, until `release` is called. */
export async function hold(page: Page, url: RegExp, fits: (request: Request) => boolean = () => true) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  let isHeld = false;
  await page.route(url, async (route) => {
    if (!fits(route.request())) return route.continue();
    count += 1;
    if (count > 1) return route.continue();
    const response = await route.fetch();
    isHeld = true;
    await released;
    // The page may not want it any more.
    await route.fulfill({ response }).catch(() => {});
  });
  return { held: () => expect.poll(() => isHeld, WAIT).toBe(true), release };
}
