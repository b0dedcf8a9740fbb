import { createChat } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { client, useWrite } from './api.ts';

/** Opens the chat with a contact on a channel; the first time it is created. */
export function useStartChat() {
  const navigate = useNavigate();
  return useWrite((body: { contactId: string; channelId: string }) => createChat(client, { body }), {
    onSuccess: ({ id }) => void navigate({ to: `/inbox/${id}` }),
  });
}
