import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { WAIT } from './inbox.ts';

/** What a page hears of the event stream, from its next load on. */
export async function useLive(page: Page) {
  await page.addInitScript(`const Original = BroadcastChannel;
    BroadcastChannel = class extends Original {
      constructor(name) {
        super(name);
        if (name.startsWith('parley.live.')) window.liveChannel ??= name;
      }
    };`);
  const reads = new Set<Request>();
  page.on('request', (request) => {
    if (request.url().includes('/v3/') && !request.url().includes('/events/stream')) reads.add(request);
  });
  const forget = (request: Request): void => void reads.delete(request);
  page.on('requestfinished', forget).on('requestfailed', forget);

  /** Listens for an event. The function that it returns waits until the page has dealt with it. */
  async function listenFor(type: string): Promise<() => Promise<unknown>> {
    await page.evaluate(`void (window.heard = new Promise((resolve) => {
      const tabs = new BroadcastChannel(window.liveChannel);
      tabs.onmessage = ({ data }) => data.kind === 'event' && data.event.type === '${type}' && resolve(true);
    }))`);
    return () => page.evaluate('window.heard');
  }
  return {
    listenFor,
    /** To be called before the page is loaded. The function that it returns waits until its event stream is open. */
    opening(): () => Promise<void> {
      reads.clear();
      const answered = page.waitForResponse((answer) => answer.url().includes('/events/stream'), WAIT);
      return async () => void (await answered);
    },
    /** When the stream opens everything is read again: waits for an event that comes afterwards, and for all answers. */
    async settled(happen: () => Promise<unknown>, type: string): Promise<void> {
      const heard = await listenFor(type);
      await happen();
      await heard();
      await expect.poll(() => reads.size, WAIT).toBe(0);
    },
  };
}
