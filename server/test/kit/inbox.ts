import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestConsole } from './console.ts';

/** A busy machine takes its time. */
export const WAIT = { timeout: 60_000 };

/** What tests look for in the inbox. */
export const rows = (page: Page): Locator => page.locator('a[id^="chat-"]');
export const row = (page: Page, name: string): Locator => rows(page).filter({ hasText: name });
export const thread = (page: Page): Locator => page.getByRole('log');
export const title = (page: Page, name: string): Locator => page.getByRole('heading', { name, exact: true });
/** Waits until the page knows the kind of the channel: it decides what can be written, and in how many messages. */
export const waitForKind = (page: Page, name: string, kind: string): Promise<void> =>
  page.locator('header').filter({ hasText: name }).getByText(kind, { exact: true }).waitFor(WAIT);
export const view = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });
export const reply = (page: Page): Locator => page.getByRole('textbox', { name: 'Reply' });

interface Written {
  channelId?: string;
  from?: string;
  content?: object;
}

export interface TestInbox {
  channelId: string;
  /** Creates another channel of the sandbox. */
  createChannel(name: string, address: string, kind?: string): Promise<string>;
  /** A customer writes: a new one, unless `from` says who. Returns the number or address. */
  write(name: string, text: string, options?: Written): Promise<string>;
  /** The chat with somebody, as soon as there is one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  chatWith(name: string): Promise<any>;
  /** Everything that was sent from the first channel, as JSON. */
  outbox(): Promise<string>;
}

let written = 0;

/** A channel of the sandbox, and customers who write to it. */
export async function useInbox(test: TestConsole, number = '+12025550100'): Promise<TestInbox> {
  const createChannel: TestInbox['createChannel'] = async (name, address, kind = 'whatsapp') =>
    (await test.api('POST', '/v3/channels', { kind, provider: 'sandbox', name, address })).id;
  const channelId = await createChannel('Shop', number);
  return {
    channelId,
    createChannel,
    async write(name, text, { channelId: to = channelId, from, content } = {}) {
      written += 1;
      const sender = from ?? `+1202556${String(1000 + written).padStart(4, '0')}`;
      await test.api('POST', `/v3/sandbox/${to}/inbound`, {
        from: sender,
        name,
        text,
        ...(content === undefined ? {} : { content }),
      });
      return sender;
    },
    async chatWith(name) {
      const find = async () => (await test.api('POST', '/v3/chats/search', { search: name }))[0];
      await expect.poll(find, WAIT).toBeDefined();
      return find();
    },
    outbox: async () => JSON.stringify(await test.api('GET', `/v3/sandbox/${channelId}/outbox`)),
  };
}
