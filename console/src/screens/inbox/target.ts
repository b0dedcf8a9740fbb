import { searchChatMessages, searchNotes } from '@parley/sdk';
import { useEffect, useRef } from 'react';
import { client, useRead } from '../../api/api.ts';

/** A message or a note that a chat is opened at. */
export interface Target {
  kind: 'message' | 'note';
  id: string;
}

export const entryId = (id: string): string => `entry-${id}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** What the address says: `?message=…` or `?note=…`. It may be anything. */
export function targetOf({ message, note }: { message?: unknown; note?: unknown }): Target | undefined {
  if (isId(message)) return { kind: 'message', id: message };
  return isId(note) ? { kind: 'note', id: note } : undefined;
}

/** Whether the chat has it: otherwise all messages would be read to find out. */
const useExists = (chatId: string, { kind, id }: Target, enabled: boolean): boolean => {
  const query = useRead(
    ['targets', chatId, kind, id],
    async (signal) => {
      const input = {
        path: { chatId },
        body: { query: `eq(id,"${id}")`, pagination: { limit: 1 } },
        signal,
      };
      const { items } =
        kind === 'message' ? await searchChatMessages(client, input) : await searchNotes(client, input);
      return items.length > 0;
    },
    { enabled },
  );
  return query.data === true;
};

const NONE: Target = { kind: 'message', id: '' };

/** Reads older messages until the target is there, and shows it once. */
export function useTarget(
  chatId: string,
  target: Target | undefined,
  { isThere, readOlder }: { isThere: boolean; readOlder: (() => void) | undefined },
): void {
  const exists = useExists(chatId, target ?? NONE, target !== undefined && !isThere);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (!target || shown.current === target.id) return;
    const element = document.getElementById(entryId(target.id));
    if (element) {
      shown.current = target.id;
      element.scrollIntoView({ block: 'center' });
    } else if (exists) readOlder?.();
  });
}
