import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { request } from 'undici';
import type { Case, Side } from '../figure.ts';
import { createTemporaryFolder, onCleanup } from '../processes.ts';
import { seedChats } from '../seed.ts';
import { createResource, createSandboxChannel, type Target, type Tenant } from '../target.ts';
import { waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';
import { percentile } from './latency.ts';

const CHATS = 10_000;
const MESSAGES = 100;
const MESSAGES_PER_SECOND = 10;
const GOALS = { onScreenP95: 300, scriptPerFrame: 5 };
const WINDOW_PIXELS = 800;
/** A quick hand: two or three other chats in every frame. */
const PIXELS_PER_SECOND = 12_000;
const SCROLLED_PIXELS = 60_000;
const ROWS = 'a[id^="chat-"]';

/** A browser in which somebody with a role has logged in. */
export async function logIn(
  { server }: Target,
  tenant: Tenant,
  role: 'agent' | 'admin',
): Promise<BrowserContext> {
  const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium'].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (executablePath === undefined) throw new Error('There is no Chromium. CHROMIUM_PATH names it.');
  const env = { ...process.env, TMPDIR: await createTemporaryFolder() };
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], env });
  onCleanup(() => browser.close());
  const userId = await createResource(tenant, '/v3/users', {
    name: 'Ada',
    // A person of two tenants would be asked, or shown, the other one.
    email: `ada@${tenant.tenantId}.example.com`,
    role,
  });
  const { data: link } = await tenant.call<{ data: { url: string } }>(
    'POST',
    `/v3/users/${userId}/invitation`,
  );
  const url = `http://127.0.0.1:${server.port}`;
  const redeemed = await request(`${url}/v3/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.url.split('#')[1], password: 'four entirely random words' }),
  });
  await redeemed.body.dump();
  const [name, value] = String(redeemed.headers['set-cookie']).split(';')[0]?.split('=') as [string, string];
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-GB',
    viewport: { width: 1280, height: WINDOW_PIXELS },
  });
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  return context;
}

/** What runs in the page is text, because the types here are those of Node. */
const inPage = <T>(page: Page, script: string): Promise<T> => page.evaluate(script) as Promise<T>;

/** Notes when each numbered text is first shown, by the clock that all processes of a machine share. */
const WATCH = `
  globalThis.shownAt = {};
  new MutationObserver(() => {
    for (const row of document.querySelectorAll('${ROWS}')) {
      const number = /bench (\\d+)\\./.exec(row.textContent)?.[1];
      if (number !== undefined) shownAt[number] ??= performance.timeOrigin + performance.now();
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });`;

const sharedNow = (): number => performance.timeOrigin + performance.now();

/** Customers write; returns how long each text took to appear in the list. */
async function receive(page: Page, tenant: Tenant, channelId: string, first: number): Promise<number[]> {
  const sentAt = new Map<number, number>();
  for (let number = first; number < first + MESSAGES; number += 1) {
    sentAt.set(number, sharedNow());
    const from = `+1445${String(number % 50).padStart(7, '0')}`;
    await tenant.call('POST', `/v3/sandbox/${channelId}/inbound`, { from, text: `This is bench ${number}.` });
    await delay((sentAt.get(number) as number) + 1000 / MESSAGES_PER_SECOND - sharedNow());
  }
  await waitUntil(() => inPage(page, `shownAt[${first + MESSAGES - 1}] !== undefined`));
  const shownAt = await inPage<Record<string, number>>(page, 'shownAt');
  return [...sentAt].map(([number, at]) => (shownAt[number] as number) - at);
}

/** Jumps over so many pixels of the list in every frame, to its end or its beginning. */
const jump = (page: Page, pixels: number): Promise<void> =>
  inPage(
    page,
    `(async () => {
      const list = document.querySelector('${ROWS}').closest('ul').parentElement;
      for (let before = -1; before !== list.scrollTop; ) {
        before = list.scrollTop;
        list.scrollTop += ${pixels};
        await new Promise(requestAnimationFrame);
      }
    })()`,
  );

/** Scrolls the list as a hand does, because a script that scrolls makes the page lay itself out. Returns how many frames it took. */
async function scroll(page: Page, session: CDPSession, pixels: number): Promise<number> {
  const box = await page.locator(ROWS).first().boundingBox();
  await inPage(
    page,
    `globalThis.scrolledFrames = 0; globalThis.counting = true;
     requestAnimationFrame(function count() { scrolledFrames += 1; if (counting) requestAnimationFrame(count); });`,
  );
  await session.send('Input.synthesizeScrollGesture', {
    x: (box?.x ?? 0) + 100,
    y: WINDOW_PIXELS / 2,
    yDistance: -pixels,
    speed: PIXELS_PER_SECOND,
  });
  return inPage<number>(page, 'counting = false; scrolledFrames');
}

/** Until all chats have been read: the list reads the next page near its end. */
async function readAll(page: Page): Promise<void> {
  const height = `document.querySelector('${ROWS}').closest('ul').scrollHeight`;
  for (let before = 0, now = 1; now > before; ) {
    before = now;
    await jump(page, WINDOW_PIXELS * 4);
    await delay(500);
    now = await inPage<number>(page, height);
  }
  await jump(page, -WINDOW_PIXELS * 100);
}

async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
}

/** What somebody with the inbox open waits for: a message, the first paint, the next frame. */
export async function createConsole({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  const channelId = await createSandboxChannel(tenant, { name: 'Console', address: '+15550009993' });
  await seedChats(target.db, tenant.tenantId, channelId, CHATS);
  const context = await logIn(target, tenant, 'agent');
  const openInbox = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto('/console/inbox');
    await page.locator(ROWS).first().waitFor();
    return page;
  };
  const common = {
    warmUp: 1,
    count: () => 1,
    restarts: 'never',
    effort: { rounds: 5 },
    hasRate: false,
    hasCpu: false,
  } as const;
  const timed = async (work: () => Promise<Record<string, number>>) => {
    const startedAt = performance.now();
    const values = await work();
    return { operations: 1, seconds: (performance.now() - startedAt) / 1000, values };
  };
  let received = 0;
  let inbox: Page | undefined;
  let list: Page | undefined;
  return [
    {
      ...common,
      title: 'console: a message on screen',
      values: {
        p50: { title: 'console: inbound to on screen, p50', unit: 'ms' },
        p95: { title: '  p95', unit: 'ms', goal: GOALS.onScreenP95 },
      },
      ours: {
        ...chargeServer(target),
        async run() {
          if (!inbox) {
            inbox = await openInbox();
            await inPage(inbox, WATCH);
          }
          const page = inbox;
          const first = received;
          received += MESSAGES;
          return timed(async () => {
            const delays = await receive(page, tenant, channelId, first);
            return { p50: percentile(delays, 0.5), p95: percentile(delays, 0.95) };
          });
        },
      },
    },
    {
      ...common,
      title: 'console: first paint',
      values: {
        paint: { title: 'console: first paint of the inbox, nothing cached', unit: 'ms' },
        chats: { title: '  its chats are shown', unit: 'ms' },
      },
      ours: {
        ...chargeServer(target),
        run: () =>
          timed(async () => {
            await (await context.newCDPSession(await context.newPage())).send('Network.clearBrowserCache');
            const page = await openInbox();
            const chats = await inPage<number>(page, 'performance.now()');
            const paint = await inPage<number>(
              page,
              `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
            );
            for (const one of context.pages()) if (one !== inbox && one !== list) await one.close();
            return { paint, chats };
          }),
      },
    },
    {
      ...common,
      title: `console: scrolling ${CHATS} chats`,
      values: {
        script: {
          title: `console: script per frame, scrolling ${CHATS.toLocaleString('en')} chats`,
          unit: 'ms',
          digits: 1,
          goal: GOALS.scriptPerFrame,
        },
      },
      ours: {
        ...chargeServer(target),
        async run() {
          if (!list) {
            list = await openInbox();
            await readAll(list);
          }
          const page = list;
          const session = await context.newCDPSession(page);
          await session.send('Performance.enable');
          return timed(async () => {
            const before = await scriptSeconds(session);
            const frames =
              (await scroll(page, session, SCROLLED_PIXELS)) +
              (await scroll(page, session, -SCROLLED_PIXELS));
            const script = (((await scriptSeconds(session)) - before) * 1000) / frames;
            await session.detach();
            return { script };
          });
        },
      },
    },
  ];
}
