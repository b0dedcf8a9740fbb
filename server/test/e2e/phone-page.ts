import type { Page } from 'playwright-core';

export { WAIT } from '../kit/inbox.ts';

/** The phone on which one plays the customer. */
export const phone = (page: Page) => page.getByRole('region', { name: 'Play the customer' });
export const onPhone = (page: Page) => phone(page).getByRole('log', { name: 'Messages on the phone' });
const field = (page: Page) => phone(page).getByRole('textbox', { name: 'Write as the customer' });

export async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

/** The chat in the inbox. */
export const thread = (page: Page) => page.getByRole('log', { name: 'Messages', exact: true });
export const row = (page: Page, name: string) => page.locator('a[id^="chat-"]').filter({ hasText: name });
