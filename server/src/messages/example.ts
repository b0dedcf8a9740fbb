import { exampleChat } from '../chats/example.ts';
import type { Message } from './schema.ts';

/** The API reference's example of a message that is queued. */
export const exampleQueuedMessage: Message = {
  ...(exampleChat.latestMessage as Message),
  id: '019a82a0-0000-7000-8000-000000000015',
  vendorId: null,
  sender: 'outbound',
  author: { type: 'api', id: '019a82a0-0000-7000-8000-000000000062', name: 'Shop' },
  text: 'It is. Shall I put it aside for you?',
  status: 'queued',
};

/** The same after the vendor has accepted it. */
export const exampleSentMessage: Message = {
  ...exampleQueuedMessage,
  vendorId: 'sandbox-019a82a0-0000-7000-8000-000000000015',
  status: 'sent',
};
