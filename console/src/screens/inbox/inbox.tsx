import './live.ts';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { PhoneButton, useIsPhoneOpen, WithPhone } from '../../phone/beside.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState } from '../../ui/notices.tsx';
import { rememberView } from './chat-cache.ts';
import { ChatList, type ListHandle } from './chat-list.tsx';
import type { ComposerHandle } from './composer.tsx';
import { ContactPanel } from './contact-panel.tsx';
import { useChat, useChatList, useCounts, useViews } from './data.ts';
import { AssignDialog, LabelDialog, SnoozeDialog } from './dialogs.tsx';
import styles from './inbox.module.css';
import { useInboxKeys } from './keys.ts';
import { type ChatDialog, Thread } from './thread.tsx';
import { builtInView, isBuiltIn, SEARCH_VIEW, savedView } from './views.ts';
import { ViewSelect, ViewsPane } from './views-pane.tsx';

/** From this width on the contact is shown beside the chat without being asked for. */
const WIDE_PX = 1400;
const WIDER_PX = 1740;
const SEARCH_DELAY_MS = 250;

/** What of the address is about the list: `?view=mine&q=ada`. */
interface InboxSearch {
  view?: unknown;
  q?: unknown;
}

/** The inbox, and the phone beside it. */
export function Inbox() {
  const { chatId } = useParams({ strict: false }) as { chatId?: string };
  return (
    <WithPhone chatId={chatId}>
      <Panes />
    </WithPhone>
  );
}

/** Chats of all channels: views, a list, one chat, and whom it is with. */
function Panes() {
  const t = useText();
  const navigate = useNavigate();
  const { userId } = useWorkspace().membership;
  const { chatId } = useParams({ strict: false }) as { chatId?: string };
  const address = useSearch({ strict: false }) as InboxSearch;
  const viewId = String(address.view ?? 'open');
  const text = address.q === undefined ? '' : String(address.q);
  const search = {
    ...(viewId === 'open' ? {} : { view: viewId }),
    ...(text === '' ? {} : { q: text }),
  };

  const saved = useViews().data ?? [];
  const counts = useCounts(saved.map(savedView));
  const chosen = saved.find(({ id }) => id === viewId);
  const view =
    text !== ''
      ? SEARCH_VIEW
      : isBuiltIn(viewId)
        ? builtInView(viewId, userId)
        : chosen
          ? savedView(chosen)
          : builtInView('open', userId);
  rememberView(view);
  const list = useChatList(view, text);

  const [showsContact, setShowsContact] = useState(() => window.innerWidth >= WIDE_PX);
  const isPhoneOpen = useIsPhoneOpen();
  // The phone takes the place of the contact, unless there is room for both.
  useEffect(() => {
    if (isPhoneOpen && window.innerWidth < WIDER_PX) setShowsContact(false);
  }, [isPhoneOpen]);
  const [dialog, setDialog] = useState<ChatDialog>();
  const composer = useRef<ComposerHandle>(null);
  const rows = useRef<ListHandle>(null);
  const searchField = useRef<HTMLInputElement>(null);

  const goToList = (): void => void navigate({ to: '/inbox', search: search as never });
  useInboxKeys({
    chats: list.chats ?? [],
    chatId,
    rows,
    composer,
    searchField,
    onBack: goToList,
    onDialog: setDialog,
  });

  return (
    <div
      className={classes(
        styles.inbox,
        chatId !== undefined && styles.hasChat,
        showsContact && styles.hasContact,
      )}
    >
      <ViewsPane current={text === '' ? view.id : ''} saved={saved} counts={counts} />
      <div className={styles.listPane}>
        <h1 className="visually-hidden">{t('inbox.title')}</h1>
        <div className={styles.bar}>
          <ViewSelect
            current={viewId}
            saved={saved}
            counts={counts}
            onChoose={(id) => void navigate({ to: '/inbox', search: { view: id } as never })}
          />
          <SearchField
            field={searchField}
            text={text}
            onSearch={(q) =>
              void navigate({
                to: '.',
                search: {
                  ...(viewId === 'open' ? {} : { view: viewId }),
                  ...(q === '' ? {} : { q }),
                } as never,
                replace: true,
              })
            }
          />
          <PhoneButton />
        </div>
        <ChatList
          key={view.id}
          list={list}
          viewId={viewId}
          text={text}
          shownId={chatId}
          search={search}
          handle={rows}
        />
      </div>
      {chatId === undefined ? (
        <div className={styles.nothing}>
          <EmptyState icon="inbox" title={t('inbox.choose')}>
            {t('inbox.chooseText')}
          </EmptyState>
        </div>
      ) : (
        <>
          <Thread
            chatId={chatId}
            composer={composer}
            showsContact={showsContact}
            onBack={goToList}
            onToggleContact={() => setShowsContact((shown) => !shown)}
            onDialog={setDialog}
          />
          <ChatExtras
            chatId={chatId}
            search={search}
            showsContact={showsContact}
            dialog={dialog}
            onDialog={setDialog}
            onCloseContact={() => setShowsContact(false)}
          />
        </>
      )}
    </div>
  );
}

interface ChatExtrasProps {
  chatId: string;
  search: Record<string, unknown>;
  showsContact: boolean;
  dialog: ChatDialog | undefined;
  onDialog: (dialog: ChatDialog | undefined) => void;
  onCloseContact: () => void;
}

const DIALOGS = { assign: AssignDialog, snooze: SnoozeDialog, labels: LabelDialog };

/** What is shown beside and above a chat. */
function ChatExtras({ chatId, search, showsContact, dialog, onDialog, onCloseContact }: ChatExtrasProps) {
  const { chat } = useChat(chatId);
  if (!chat) return null;
  const Opened = dialog && DIALOGS[dialog];
  return (
    <>
      {showsContact && (
        <div className={styles.contact}>
          <ContactPanel
            chat={chat}
            search={search}
            onLabels={() => onDialog('labels')}
            onClose={onCloseContact}
          />
        </div>
      )}
      {Opened && <Opened chat={chat} onClose={() => onDialog(undefined)} />}
    </>
  );
}

interface SearchFieldProps {
  field: React.RefObject<HTMLInputElement | null>;
  text: string;
  onSearch: (text: string) => void;
}

/** Searches a moment after the last key. */
function SearchField({ field, text, onSearch }: SearchFieldProps) {
  const t = useText();
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // Another address, such as after Back.
  if (text !== shown) {
    setShown(text);
    setTyped(text);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string): void => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setShown(next.trim());
      onSearch(next.trim());
    }, SEARCH_DELAY_MS);
  };
  return (
    <div className={styles.search}>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        className={styles.searchInput}
        aria-label={t('inbox.search')}
        placeholder={t('inbox.search')}
        value={typed}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          if (typed === '') field.current?.blur();
          else change('');
        }}
      />
    </div>
  );
}
