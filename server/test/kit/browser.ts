import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { cleanUp } from './clean-up.ts';
import { useTempFolder } from './temp-folder.ts';

export const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== undefined && existsSync(path));

/**
 * What Playwright switches off, which a second list replaces, and the suggestions below the address bar: they are two
 * pages of their own for each window, and took 1.0 of the 1.5 seconds of CPU that an empty page costs (Chromium 156).
 */
const OFF = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];
/** The browser itself sends no requests either. */
const FLAGS = [
  `--disable-features=${OFF.join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

if (!CHROMIUM)
  process.stdout.write('browser tests skipped: no Chromium found; set CHROMIUM_PATH to its path\n');

export async function useBrowser(): Promise<Browser> {
  // Chromium does not remove its own temporary folders.
  const env = { ...process.env, TMPDIR: await useTempFolder() };
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args: FLAGS, env });
  cleanUp(() => browser.close());
  return browser;
}
