import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { useBrowser } from '../kit/browser.ts';
import { useProgram } from '../kit/program.ts';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

it('takes the picture of the API reference', async () => {
  const parley = await useProgram();
  const browser = await useBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const answer = await page.goto(`${parley.url}/docs`, { waitUntil: 'networkidle' });
  expect(answer?.status()).toBe(200);
  // What is not in the network any more may still be drawn.
  await page.getByPlaceholder('Token').filter({ visible: true }).first().waitFor();
  await page.screenshot({ path: `${IMAGES}reference.png` });
});
