import type { Chat } from '@parley/sdk';
import { type RefObject, useEffect, useRef } from 'react';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useCommands } from '../../keys/commands.ts';
import { type KeyBinding, useKeys } from '../../keys/keys.ts';
import { useChatActions } from './actions.ts';
import { findCachedChat } from './chat-cache.ts';
import type { ListHandle } from './chat-list.tsx';
import { rowId } from './chat-row.tsx';
import type { ComposerHandle } from './composer.tsx';
import type { ChatDialog } from './thread.tsx';

interface InboxKeysOptions {
  chats: readonly Chat[];
  chatId: string | undefined;
  rows: RefObject<ListHandle | null>;
  composer: RefObject<ComposerHandle | null>;
  searchField: RefObject<HTMLInputElement | null>;
  onBack: () => void;
  onDialog: (dialog: ChatDialog) => void;
}

/** Rows outside of what is seen do not exist until the list has scrolled to them. */
const FOCUS_ATTEMPTS = 20;
function focusRow(chatId: string, attempt = 0): void {
  const row = document.getElementById(rowId(chatId));
  if (row) row.focus();
  else if (attempt < FOCUS_ATTEMPTS) requestAnimationFrame(() => focusRow(chatId, attempt + 1));
}

/** Everything in the inbox by keyboard. */
export function useInboxKeys(options: InboxKeysOptions): void {
  const { chats, chatId, rows, composer, searchField, onBack, onDialog } = options;
  const t = useText();
  const canWrite = useScope('chats:write');
  const canSend = useScope('messages:write');
  const canLabel = useScope('contacts:write');
  const actions = useChatActions();
  /** The row that the keys are at: the one that was opened or focused last. */
  const cursor = useRef<string>(undefined);
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (chatId !== undefined) cursor.current = chatId;
    // Back in the list, the same row is where it goes on.
    else if (before.current !== undefined) {
      const last = before.current;
      rows.current?.show(chats.findIndex(({ id }) => id === last));
      focusRow(last);
    }
    before.current = chatId;
  }, [chatId, chats, rows]);

  function move(step: 1 | -1): void {
    const focused = document.activeElement?.id;
    const at = chats.findIndex(({ id }) => rowId(id) === focused || id === cursor.current);
    const index = at < 0 ? 0 : Math.min(chats.length - 1, Math.max(0, at + step));
    const next = chats[index];
    if (!next) return;
    cursor.current = next.id;
    rows.current?.show(index);
    focusRow(next.id);
  }
  /** The open chat, or else the one that the keys are at. */
  const withChat = (work: (chat: Chat) => void) => (): void => {
    const id = chatId ?? cursor.current;
    const chat = id === undefined ? undefined : findCachedChat(id);
    if (chat) work(chat);
  };
  const inChat = chatId !== undefined;
  const bindings: (KeyBinding & { id: string; isOffered: boolean })[] = [
    { id: 'next', keys: 'j', label: t('inbox.keys.next'), run: () => move(1), isOffered: false },
    { id: 'previous', keys: 'k', label: t('inbox.keys.previous'), run: () => move(-1), isOffered: false },
    {
      id: 'search',
      keys: '/',
      label: t('inbox.search'),
      run: () => searchField.current?.focus(),
      isOffered: true,
    },
    ...(inChat
      ? [
          {
            id: 'back',
            keys: 'Escape',
            label: t('inbox.toList'),
            whileTyping: true,
            run() {
              if (!document.querySelector('[role=menu]:popover-open') && !composer.current?.leave()) onBack();
            },
            isOffered: false,
          },
        ]
      : []),
    ...(inChat && canSend
      ? [
          {
            id: 'reply',
            keys: 'r',
            label: t('composer.reply'),
            run: () => composer.current?.write('reply'),
            isOffered: true,
          },
        ]
      : []),
    ...(inChat && canWrite
      ? [
          {
            id: 'note',
            keys: 'n',
            label: t('composer.note'),
            run: () => composer.current?.write('note'),
            isOffered: true,
          },
          {
            id: 'assign',
            keys: 'a',
            label: t('inbox.assign'),
            run: () => onDialog('assign'),
            isOffered: true,
          },
          {
            id: 'snooze',
            keys: 'h',
            label: t('inbox.snooze'),
            run: () => onDialog('snooze'),
            isOffered: true,
          },
        ]
      : []),
    ...(inChat && canLabel
      ? [
          {
            id: 'label',
            keys: 'l',
            label: t('contact.changeLabels'),
            run: () => onDialog('labels'),
            isOffered: true,
          },
        ]
      : []),
    ...(canWrite
      ? [
          {
            id: 'close',
            keys: 'e',
            label: t('inbox.keys.close'),
            run: withChat(
              (chat) => void (chat.status === 'open' ? actions.close(chat) : actions.reopen(chat)),
            ),
            isOffered: inChat,
          },
          {
            id: 'unread',
            keys: 'u',
            label: t('inbox.keys.unread'),
            run: withChat((chat) => void actions.mark(chat, !chat.isUnread)),
            isOffered: inChat,
          },
        ]
      : []),
  ];
  useKeys(bindings);
  useCommands(
    bindings
      .filter(({ isOffered }) => isOffered)
      .map(({ id, label, keys, run }) => ({
        id: `inbox-${id}`,
        label,
        keys,
        group: 'actions' as const,
        run,
      })),
  );
}
