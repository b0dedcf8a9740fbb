import { exampleChat } from '../chats/example.ts';
import type { Message } from './schema.ts';

/** The message that the reference shows where one is sent: the vendor has not taken it yet. */
export const exampleQueuedMessage: Message = {
  ...(exampleChat.latestMessage as Message),
  id: '019a82a0-0000-7000-8000-000000000015',
  vendorId: null,
  sender: 'outbound',
  author: 'api',
  text: 'It is. Shall I put it aside for you?',
  status: 'queued',
};

/** The same once the vendor has. */
export const exampleSentMessage: Message = {
  ...exampleQueuedMessage,
  vendorId: 'sandbox-019a82a0-0000-7000-8000-000000000015',
  status: 'sent',
};
