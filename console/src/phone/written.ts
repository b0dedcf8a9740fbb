import { uploadFile, type WriteInSandboxBody, writeInSandbox } from '@parley/sdk';
import { client } from '../api/api.ts';
import type { ChannelKind } from '../api/channel-kinds.ts';
import { createStore } from '../api/store.ts';
import type { Customer } from './customer.ts';

/** What a customer says, without the customer. */
export type Content = Omit<WriteInSandboxBody, 'from' | 'name' | 'media'>;

/** A message of a customer that is not in the chat yet. */
export interface Written {
  key: string;
  customer: Customer;
  /** The name in the profile, for somebody whom nobody knows yet. */
  name: string | undefined;
  content: Content;
  files: readonly File[];
  at: string;
  /** Set as soon as the vendor has it. */
  vendorId: string | undefined;
  /** Why the vendor did not take it. */
  error: unknown;
}

const all = createStore<readonly Written[]>([]);
const replace = (key: string, part: Partial<Written>): void =>
  all.write(all.read().map((one) => (one.key === key ? { ...one, ...part } : one)));

/** What a customer wrote and the chat does not have yet. */
export const useWritten = ({ channelId, from }: Customer): readonly Written[] =>
  all.use().filter(({ customer }) => customer.channelId === channelId && customer.from === from);

export const discardWritten = (key: string): void => all.write(all.read().filter((one) => one.key !== key));

/** The chat has it. */
export function forgetWritten(vendorId: string): void {
  if (all.read().some((one) => one.vendorId === vendorId))
    all.write(all.read().filter((one) => one.vendorId !== vendorId));
}

/** One after the other, in the order of writing. */
let queue: Promise<void> = Promise.resolve();

/** Uploads the files and sends the message. A retry has the same keys, so that it arrives once. */
async function transmit({ key, customer, name, content, files }: Written): Promise<void> {
  try {
    const media: { fileId: string }[] = [];
    for (const [index, file] of files.entries()) {
      const body = { file, isPrivate: true };
      media.push({ fileId: (await uploadFile(client, { body, idempotencyKey: `${key}-${index}` })).id });
    }
    const { channelId, from } = customer;
    const { vendorId } = await writeInSandbox(client, {
      path: { channelId },
      body: {
        ...content,
        from,
        ...(name === undefined ? {} : { name }),
        ...(media.length === 0 ? {} : { media }),
      },
      idempotencyKey: key,
    });
    replace(key, { vendorId });
  } catch (error) {
    replace(key, { error });
  }
}
const enqueue = (written: Written): void => {
  queue = queue.then(() => transmit(written));
};

let lastKey = 0;
/** Shows the message at once and sends it. */
export function write(
  customer: Customer,
  name: string | undefined,
  content: Content,
  files: readonly File[] = [],
): void {
  lastKey += 1;
  const key = `phone-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${lastKey}`;
  const at = new Date().toISOString();
  const written = { key, customer, name, content, files, at, vendorId: undefined, error: undefined };
  all.write([...all.read(), written]);
  enqueue(written);
}

export function retryWritten(key: string): void {
  const found = all.read().find((one) => one.key === key);
  if (!found?.error) return;
  replace(key, { error: undefined });
  enqueue(found);
}

/** The files that may have a text on WhatsApp. */
const TAKES_CAPTION = /^(image|video|application)\//;

/** The messages of a text and files. Mails and MMS take everything; elsewhere each file is a message. */
export function messagesOf(
  kind: ChannelKind,
  text: string,
  files: readonly File[],
): { content: Content; files: readonly File[] }[] {
  const content = text === '' ? {} : { text };
  const [first, ...rest] = files;
  if (!first || kind === 'email' || kind === 'sms') return [{ content, files }];
  const others = rest.map((file) => ({ content: {}, files: [file] }));
  if (text === '' || (kind === 'whatsapp' && TAKES_CAPTION.test(first.type)))
    return [{ content, files: [first] }, ...others];
  return [{ content, files: [] }, { content: {}, files: [first] }, ...others];
}
