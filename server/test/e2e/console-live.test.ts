import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';

/** Counts the streams that the pages of a browser open, and those that are open. */
function countStreams(pages: readonly Page[]): { opened: number; open: Set<unknown> } {
  const counts = { opened: 0, open: new Set<unknown>() };
  for (const page of pages) {
    page.on('request', (request) => {
      if (!request.url().includes('/v3/events/stream')) return;
      counts.opened += 1;
      counts.open.add(request);
    });
    page.on('requestfailed', (request) => counts.open.delete(request));
    page.on('requestfinished', (request) => counts.open.delete(request));
    page.on('close', () => {
      for (const request of counts.open)
        if ((request as { frame(): { page(): Page } }).frame().page() === page) counts.open.delete(request);
    });
  }
  return counts;
}

describe.runIf(CHROMIUM)('the event stream of a browser', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });

  const heading = (page: Page) => page.getByRole('heading', { name: 'Your account' });

  it('is shared by its tabs, and continued by another when its tab is closed', async () => {
    const first = await test.pageFor('agent');
    const second = await first.context.newPage();
    const third = await first.context.newPage();
    const streams = countStreams([first.page, second, third]);
    for (const page of [first.page, second, third]) {
      await page.goto(`${test.url}/console/profile`);
      await heading(page).waitFor();
    }
    await expect.poll(() => streams.opened).toBe(1);
    await first.page.close();
    await expect.poll(() => streams.opened).toBe(2);
    expect(streams.open.size).toBe(1);
    await heading(third).waitFor();
  });

  it('begins again and reads everything again if its position is refused', async () => {
    const first = await test.pageFor('agent');
    const second = await first.context.newPage();
    await second.addInitScript(`const Original = BroadcastChannel;
      BroadcastChannel = class extends Original {
        constructor(name) {
          super(name);
          if (name.startsWith('parley.live.')) window.liveChannel ??= name;
        }
      };`);
    const positions: (string | undefined)[] = [];
    let reads = 0;
    second.on('request', (request) => {
      if (request.url().endsWith('/v3/session/sessions')) reads += 1;
    });
    await second.route('**/v3/events/stream**', async (route) => {
      const position = route.request().headers()['last-event-id'];
      positions.push(position);
      if (position === undefined) return route.continue();
      await route.fulfill({
        status: 409,
        json: { success: false, error: { messageKey: 'conflict', message: 'gone' } },
      });
    });
    for (const page of [first.page, second]) {
      await page.goto(`${test.url}/console/profile`);
      await heading(page).waitFor();
    }
    // An event gives all tabs a position.
    const heard = second.evaluate(`new Promise((resolve) => {
      const tabs = new BroadcastChannel(window.liveChannel);
      tabs.onmessage = ({ data }) => data.kind === 'event' && resolve(true);
    })`);
    await test.api('POST', `/v3/sandbox/${test.channelId}/inbound`, { from: '+15550001111', text: 'Hello' });
    await heard;
    const readsBefore = reads;
    await first.page.close();
    await expect.poll(() => positions.length).toBeGreaterThan(1);
    expect(positions[0]).toMatch(/^\d+/);
    expect(positions[1]).toBeUndefined();
    await expect.poll(() => reads).toBeGreaterThan(readsBefore);
  });

  it('says that it is lost, until it is back', async () => {
    const { page, open } = await test.pageFor('agent');
    const stream = '**/v3/events/stream**';
    await page.route(stream, (route) => route.abort());
    await open('/profile');
    const banner = page.getByText('The connection to the server is lost.');
    await banner.waitFor();
    await page.unroute(stream);
    await banner.waitFor({ state: 'detached' });
  });

  it('belongs to one tab and is closed while the tab is hidden, if the browser has no locks', async () => {
    const { page, open } = await test.pageFor('agent');
    await page.addInitScript(`delete Navigator.prototype.locks;
      let state = 'visible';
      Object.defineProperty(document, 'visibilityState', { get: () => state });
      window.setVisibility = (next) => { state = next; document.dispatchEvent(new Event('visibilitychange')); };`);
    const streams = countStreams([page]);
    await open('/profile');
    await heading(page).waitFor();
    await expect.poll(() => streams.open.size).toBe(1);
    await page.evaluate(`setVisibility('hidden')`);
    await expect.poll(() => streams.open.size).toBe(0);
    await page.evaluate(`setVisibility('visible')`);
    await expect.poll(() => streams.open.size).toBe(1);
  });
});
