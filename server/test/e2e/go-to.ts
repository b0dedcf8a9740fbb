import type { Page } from 'playwright-core';

/**
 * Presses `g` and the key of a screen. At once: the console takes them for one sequence only if they come within about a second, and
 * a busy machine takes longer between two calls.
 */
export async function goTo(page: Page, key: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);
}
