import type { Chat } from '@parley/sdk';
import { type RefObject, useEffect, useRef } from 'react';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useCommands } from '../../keys/commands.ts';
import { type KeyBinding, useKeys } from '../../keys/keys.ts';
import { useChatActions } from './actions.ts';
import type { BulkAction } from './bulk.ts';
import type { BulkDialog } from './bulk-bar.tsx';
import { findCachedChat } from './chat-cache.ts';
import type { ListHandle } from './chat-list.tsx';
import type { ComposerHandle } from './composer.tsx';
import type { Selection } from './selection.ts';
import type { ChatDialog } from './thread-header.tsx';

/** A row of the list: its element, and the chat that it opens. */
interface Row {
  elementId: string;
  chatId: string;
}

interface InboxKeysOptions {
  rows: readonly Row[];
  chatId: string | undefined;
  list: RefObject<ListHandle | null>;
  composer: RefObject<ComposerHandle | null>;
  searchField: RefObject<HTMLInputElement | null>;
  /** Undefined where nothing can be chosen. */
  selection: Selection | undefined;
  onBack: () => void;
  onDialog: (dialog: ChatDialog, chatId: string) => void;
  onBulk: (action: BulkAction) => void;
  onBulkDialog: (dialog: BulkDialog) => void;
  onNewChat: () => void;
}

/** Rows outside of what is seen do not exist until the list has scrolled to them. */
const FOCUS_ATTEMPTS = 20;
function focusRow(elementId: string, attempt = 0): void {
  const row = document.getElementById(elementId);
  if (row) row.focus();
  else if (attempt < FOCUS_ATTEMPTS) requestAnimationFrame(() => focusRow(elementId, attempt + 1));
}

/** Moves in the list by keys. Returns the steps, and the chat that the keys are at. */
function useCursor({ rows, chatId, list }: Pick<InboxKeysOptions, 'rows' | 'chatId' | 'list'>) {
  /** The row that was opened or focused last. */
  const cursor = useRef<string>(undefined);
  const before = useRef<string>(undefined);
  /** Where that row is or was: once its chat is closed, another one stands there. */
  const place = useRef(0);
  const indexOf = (id: string | undefined): number => rows.findIndex((row) => row.chatId === id);
  const focusedIndex = (): number => rows.findIndex((row) => row.elementId === document.activeElement?.id);
  const focus = (index: number): void => {
    const row = rows[index];
    if (!row) return;
    list.current?.show(index);
    focusRow(row.elementId);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a chat is opened or left
  useEffect(() => {
    if (chatId !== undefined) cursor.current = chatId;
    // Back in the list, the same row is where it goes on.
    else if (before.current !== undefined) focus(indexOf(before.current));
    before.current = chatId;
  }, [chatId]);
  useEffect(() => {
    const found = indexOf(cursor.current);
    if (found >= 0) place.current = found;
  });
  const move = (step: 1 | -1) => (): void => {
    const at = focusedIndex() >= 0 ? focusedIndex() : indexOf(cursor.current);
    const next = at >= 0 ? at + step : place.current + Math.min(0, step);
    const index = Math.min(rows.length - 1, Math.max(0, next));
    cursor.current = rows[index]?.chatId ?? cursor.current;
    focus(index);
  };
  // A chat that has left the list is not acted on by somebody who cannot see it.
  const focused = (): string | undefined =>
    rows[focusedIndex()]?.chatId ?? chatId ?? rows[indexOf(cursor.current)]?.chatId;
  return { move, focused };
}

/** Everything in the inbox by keyboard. What is done to a chat is done to all that are chosen. */
export function useInboxKeys(options: InboxKeysOptions): void {
  const { chatId, composer, searchField, selection, onBack, onDialog, onBulk, onBulkDialog } = options;
  const t = useText();
  const canWrite = useScope('chats:write');
  const canSend = useScope('messages:write');
  const canLabel = useScope('contacts:write');
  const canExplain = useScope('automations:read');
  const actions = useChatActions();
  const { move, focused } = useCursor(options);
  const inChat = chatId !== undefined;
  const isSelecting = selection !== undefined && selection.ids.size > 0;
  /** The open chat, or else the one that the keys are at. */
  const withChat = (work: (chat: Chat) => void) => (): void => {
    const id = chatId ?? focused();
    const chat = id === undefined ? undefined : findCachedChat(id);
    if (chat) work(chat);
  };
  const openDialog = (dialog: BulkDialog) =>
    isSelecting ? () => onBulkDialog(dialog) : withChat(({ id }) => onDialog(dialog, id));
  const hasChat = inChat || isSelecting;

  const all: (KeyBinding & { id: string; isOffered?: boolean; isUsable?: boolean })[] = [
    { id: 'next', keys: 'j', label: t('inbox.keys.next'), run: move(1) },
    { id: 'previous', keys: 'k', label: t('inbox.keys.previous'), run: move(-1) },
    {
      id: 'search',
      keys: '/',
      label: t('inbox.search'),
      run: () => searchField.current?.focus(),
      isOffered: true,
    },
    {
      id: 'newChat',
      keys: 'c',
      label: t('newChat.title'),
      run: options.onNewChat,
      isOffered: true,
      isUsable: canWrite,
    },
    {
      id: 'back',
      keys: 'Escape',
      label: t('inbox.toList'),
      whileTyping: true,
      run() {
        if (document.querySelector('[popover=auto]:popover-open') || composer.current?.leave()) return;
        if (isSelecting) selection.clear();
        else if (inChat) onBack();
      },
      isUsable: inChat || isSelecting,
    },
    {
      id: 'select',
      keys: 'x',
      label: t('bulk.key'),
      run() {
        const id = focused();
        if (id !== undefined) selection?.toggle(id);
      },
      isUsable: canWrite && selection !== undefined,
    },
    {
      id: 'reply',
      keys: 'r',
      label: t('composer.reply'),
      run: () => composer.current?.write('reply'),
      isOffered: true,
      isUsable: inChat && canSend,
    },
    {
      id: 'note',
      keys: 'n',
      label: t('composer.note'),
      run: () => composer.current?.write('note'),
      isOffered: true,
      isUsable: inChat && canWrite,
    },
    {
      id: 'assign',
      keys: 'a',
      label: t('inbox.assign'),
      run: openDialog('assign'),
      isOffered: hasChat,
      isUsable: canWrite,
    },
    {
      id: 'snooze',
      keys: 'h',
      label: t('inbox.snooze'),
      run: openDialog('snooze'),
      isOffered: hasChat,
      isUsable: canWrite,
    },
    {
      id: 'label',
      keys: 'l',
      label: t('contact.changeLabels'),
      run: openDialog('labels'),
      isOffered: hasChat,
      isUsable: canLabel,
    },
    {
      id: 'why',
      keys: 'y',
      label: t('why.title'),
      run: withChat(({ id }) => onDialog('why', id)),
      isOffered: true,
      isUsable: inChat && canExplain,
    },
    {
      id: 'close',
      keys: 'e',
      label: t('inbox.keys.close'),
      run: isSelecting
        ? () => onBulk({ type: 'status', status: 'closed' })
        : withChat((chat) => void (chat.status === 'open' ? actions.close(chat) : actions.reopen(chat))),
      isOffered: inChat,
      isUsable: canWrite,
    },
    {
      id: 'unread',
      keys: 'u',
      label: t('inbox.keys.unread'),
      run: isSelecting
        ? () => onBulk({ type: 'unread' })
        : withChat((chat) => void actions.mark(chat, !chat.isUnread)),
      isOffered: inChat,
      isUsable: canWrite,
    },
  ];
  const bindings = all.filter(({ isUsable = true }) => isUsable);
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
