import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { node } from '../e2e/automation-page.ts';
import { CUSTOMER, type GuideConsole, openShop, useGuideConsole } from '../e2e/guide-shop.ts';
import { WAIT } from '../e2e/phone-page.ts';
import { guideNames } from '../kit/guides.ts';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const MAX_BYTES = 150_000;
const DAY_MS = 24 * 3600_000;

let started: GuideConsole;
beforeAll(async () => {
  started = await useGuideConsole();
});

type Shop = Awaited<ReturnType<typeof openShop>>;
interface Story {
  image: string;
  /** The step whose panel the picture of the editor shows. */
  opened: string;
  /** What the customer does, until the run has ended. */
  play: (shop: Shop, automationId: string) => Promise<void>;
  heights: { editor: number; run: number };
}

const write = (shop: Shop, text: string) =>
  shop.api('POST', `/v3/sandbox/${shop.ids.CHANNEL_ID}/inbound`, {
    from: '+12025550141',
    name: CUSTOMER,
    text,
  });
const letPass = (shop: Shop, by: string) => shop.api('POST', '/v3/clock/advance', { by });
const waitForRun = async (shop: Shop, status: string) => {
  const find = async () =>
    (await shop.api('POST', '/v3/automation_runs/search', { query: `eq(status,"${status}")` }))[0];
  await expect.poll(find, WAIT).toBeDefined();
};
const confirm = async (shop: Shop, automationId: string): Promise<void> => {
  const [remindAt, at] = [1, 2].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
  const given: Record<string, string | undefined> = {
    appointmentId: '4711',
    remindAt,
    at,
    when: '15 January, 9:00',
  };
  const variables = Object.fromEntries((shop.guide.variables ?? []).map(({ name }) => [name, given[name]]));
  await shop.api('POST', `/v3/automations/${automationId}/trigger`, { contactId: shop.contactId, variables });
  await letPass(shop, 'P1D');
  await letPass(shop, 'PT1H');
  await write(shop, 'Yes, thanks');
};

const STORIES: Readonly<Record<string, Story>> = {
  Welcome: {
    image: 'welcome',
    opened: 'which',
    heights: { editor: 800, run: 840 },
    async play(shop) {
      await write(shop, 'Hi');
      await waitForRun(shop, 'waiting');
      await write(shop, 'My order, please');
    },
  },
  'Appointment reminder': {
    image: 'reminder',
    opened: 'remind',
    heights: { editor: 800, run: 840 },
    play: confirm,
  },
  'Abandoned cart': {
    image: 'cart',
    opened: 'still_1',
    heights: { editor: 1100, run: 1100 },
    async play(shop) {
      await write(shop, 'Do you have this in blue?');
      const path = `/v3/contacts/${shop.contactId}/labels`;
      await expect.poll(async () => (await shop.api('POST', '/v3/chats/search', {})).length, WAIT).toBe(1);
      await shop.api('POST', path, { labels: [{ id: shop.ids.CART_LABEL_ID }] });
      await letPass(shop, 'PT2H');
      await letPass(shop, 'P1D');
      await write(shop, 'Is there a larger one?');
    },
  },
  'Appointment assistant': {
    image: 'assistant',
    opened: 'confirmed',
    heights: { editor: 800, run: 840 },
    play: confirm,
  },
};

async function take(page: Page, name: string, height: number): Promise<void> {
  await page.setViewportSize({ width: 1120, height });
  // The picture has taken over the new size.
  await page.evaluate('new Promise((done) => setTimeout(done, 300))');
  await page.getByRole('button', { name: 'Show everything' }).click();
  await page.mouse.move(0, 0);
  // The browser has painted the picture at its new size: right after the click, lines of the size before may still be there.
  await page.evaluate('new Promise((done) => setTimeout(done, 300))');
  const path = `${IMAGES}${name}.png`;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  expect((await stat(path)).size, name).toBeLessThan(MAX_BYTES);
}

it.each(guideNames)('takes the pictures of the guide: %s', async (title) => {
  const { image, opened, heights, play } = STORIES[title] as Story;
  const shop = await openShop(started, title, { colorScheme: 'light', reducedMotion: 'reduce' });
  const { page, open, api, guide } = shop;
  const { id } = await api('POST', '/v3/automations', guide);
  await api('POST', `/v3/automations/${id}/publish`);
  await open(`/automations/${id}`);
  await node(page, opened).click();
  await page.getByRole('complementary').waitFor();
  await take(page, `automation-${image}`, heights.editor);
  await play(shop, id);
  await waitForRun(shop, 'completed');
  await open(`/automations/${id}/runs`);
  await page.getByRole('link', { name: CUSTOMER }).click(WAIT);
  await page.getByRole('heading', { name: `Run for ${CUSTOMER}` }).waitFor();
  await take(page, `automation-${image}-run`, heights.run);
});
