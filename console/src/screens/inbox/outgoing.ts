import { type Message, type SendChatMessageBody, sendChatMessage, uploadFile } from '@parley/sdk';
import { client } from '../../api/api.ts';
import { createStore } from '../../api/store.ts';
import { addUnsavedCheck } from '../../app/leave-page.ts';
import { type Attachment, isStoredFile } from './attachment.ts';
import { refreshChat } from './chat-cache.ts';
import { isStored, storeMessage } from './thread-cache.ts';
import type { Outgoing } from './thread-items.ts';

const all = createStore<readonly Outgoing[]>([]);
/** What has not arrived would be lost with the page. */
addUnsavedCheck(() => all.read().length > 0);

const without = (key: string): Outgoing[] => all.read().filter((one) => one.key !== key);
const replace = (key: string, part: Partial<Outgoing>): void =>
  all.write(all.read().map((one) => (one.key === key ? { ...one, ...part } : one)));

export const useOutgoing = (chatId: string): readonly Outgoing[] =>
  all.use().filter((one) => one.chatId === chatId);

export const discardOutgoing = (key: string): void => all.write(without(key));

/** By chat: one after the other, so that the chat has them in the order of writing. */
const queues = new Map<string, Promise<unknown>>();

/** The chats for which a request is under way, and what events said about new messages in them meanwhile. */
const posting = new Map<string, Map<string, Message>>();

/**
 * Whether an event about a new message must wait: it may be the one that is being sent, which is shown already. It is stored
 * when the answer says which one that is.
 */
export function withhold(message: Message): boolean {
  const held = message.author.type === 'user' ? posting.get(message.chatId) : undefined;
  if (!held || isStored(message)) return false;
  const before = held.get(message.id);
  if (!before || before.updatedAt <= message.updatedAt) held.set(message.id, message);
  return true;
}

async function post(chatId: string, send: () => Promise<Message>): Promise<Message> {
  const held = new Map<string, Message>();
  posting.set(chatId, held);
  try {
    const message = await send();
    storeMessage(message);
    return message;
  } finally {
    posting.delete(chatId);
    for (const message of held.values()) storeMessage(message);
  }
}

async function upload(file: File, idempotencyKey: string) {
  const { id, filename } = await uploadFile(client, { body: { file, isPrivate: true }, idempotencyKey });
  return { fileId: id, filename };
}

/** Uploads the new files and sends the message. A retry has the same key, so that it arrives once. */
async function transmit({ key, chatId, body, files }: Outgoing): Promise<Message | undefined> {
  try {
    const media: { fileId: string; filename: string }[] = [];
    for (const [index, file] of files.entries()) {
      media.push(
        isStoredFile(file)
          ? { fileId: file.fileId, filename: file.name }
          : await upload(file, `${key}-${index}`),
      );
    }
    const message = await post(chatId, () =>
      sendChatMessage(client, {
        path: { chatId },
        body: { ...body, ...(media.length === 0 ? {} : { media }) },
        idempotencyKey: key,
      }),
    );
    all.write(without(key));
    refreshChat(chatId);
    return message;
  } catch (error) {
    replace(key, { error });
    return undefined;
  }
}

function enqueue(outgoing: Outgoing): Promise<Message | undefined> {
  const { chatId } = outgoing;
  const sent = (queues.get(chatId) ?? Promise.resolve()).then(() => transmit(outgoing));
  queues.set(chatId, sent);
  void sent.then(() => queues.get(chatId) === sent && queues.delete(chatId));
  return sent;
}

let lastKey = 0;
/** Shows the message at once and sends it. Resolves to what was sent, or undefined if it failed. */
export function sendOptimistically(
  chatId: string,
  body: SendChatMessageBody,
  files: readonly Attachment[] = [],
  text = body.text ?? '',
): Promise<Message | undefined> {
  lastKey += 1;
  const key = `console-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${lastKey}`;
  const outgoing = { key, chatId, body, files, text, at: new Date().toISOString(), error: undefined };
  all.write([...all.read(), outgoing]);
  return enqueue(outgoing);
}

export function retryOutgoing(key: string): void {
  const found = all.read().find((one) => one.key === key);
  if (!found?.error) return;
  replace(key, { error: undefined });
  void enqueue(found);
}
