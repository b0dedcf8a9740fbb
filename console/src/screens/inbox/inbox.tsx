import './live.ts';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useScope, useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { PhoneButton, useIsPhoneOpen, WithPhone } from '../../phone/beside.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/notices.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { BulkBar, type BulkDialog, useBulkAction } from './bulk-bar.tsx';
import { rememberView } from './chat-cache.ts';
import { ChatList, type ListHandle } from './chat-list.tsx';
import { rowId } from './chat-row.tsx';
import type { ComposerHandle } from './composer.tsx';
import { ContactPanel } from './contact-panel.tsx';
import { useChat, useChatList, useCounts, useViews } from './data.ts';
import { AssignDialog, LabelDialog, SnoozeDialog, WhyOfChat } from './dialogs.tsx';
import styles from './inbox.module.css';
import { useInboxKeys } from './keys.ts';
import { MessageResults, resultId, useMessageResults } from './message-results.tsx';
import { NewChatDialog } from './new-chat.tsx';
import { SearchPlaces } from './search-places.tsx';
import { useSelection } from './selection.ts';
import { targetOf } from './target.ts';
import { Thread } from './thread.tsx';
import type { ChatDialog } from './thread-header.tsx';
import { builtInView, exportPathOf, isBuiltIn, SEARCH_VIEW, savedView } from './views.ts';
import { ViewSelect, ViewsPane } from './views-pane.tsx';

/** From this width on the contact is shown beside the chat without being asked for. */
const WIDE_PX = 1400;
const WIDER_PX = 1740;

/** What the address says: `?view=mine`, `?q=ada`, `?q=invoice&in=messages`, and what a chat is opened at. */
interface InboxSearch {
  view?: unknown;
  q?: unknown;
  in?: unknown;
  message?: unknown;
  note?: unknown;
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
  const { userId, tenantId } = useWorkspace().membership;
  const { chatId } = useParams({ strict: false }) as { chatId?: string };
  const address = useSearch({ strict: false }) as InboxSearch;
  const viewId = String(address.view ?? 'open');
  const text = address.q === undefined ? '' : String(address.q);
  const isInMessages = text !== '' && address.in === 'messages';
  const searchFor = (q: string, inMessages: boolean) => ({
    ...(viewId === 'open' ? {} : { view: viewId }),
    ...(q === '' ? {} : { q, ...(inMessages ? { in: 'messages' } : {}) }),
  });
  const search = searchFor(text, isInMessages);
  const target = targetOf(address);

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
  const list = useChatList(view, text, !isInMessages);
  const results = useMessageResults(text, isInMessages);
  const chats = list.chats ?? [];
  const canWrite = useScope('chats:write');
  const count = counts.get(view.id);
  const total = count?.totalIsCapped ? undefined : count?.total;
  const chosenChats = useSelection(`${view.id} ${view.query} ${text}`, chats, total);
  const selection = canWrite && !isInMessages ? chosenChats : undefined;
  // A search has no filter, so what it finds can be chosen one by one.
  const query = text === '' ? view.query : undefined;

  const [showsContact, setShowsContact] = useState(() => window.innerWidth >= WIDE_PX);
  const isPhoneOpen = useIsPhoneOpen();
  // The phone takes the place of the contact, unless there is room for both.
  useEffect(() => {
    if (isPhoneOpen && window.innerWidth < WIDER_PX) setShowsContact(false);
  }, [isPhoneOpen]);
  const [dialog, setDialog] = useState<OpenedDialog>();
  const [bulkDialog, setBulkDialog] = useState<BulkDialog>();
  const [isStarting, setIsStarting] = useState(false);
  const composer = useRef<ComposerHandle>(null);
  const rows = useRef<ListHandle>(null);
  const searchField = useRef<HTMLInputElement>(null);

  const goToList = (): void => void navigate({ to: '/inbox', search: search as never });
  useInboxKeys({
    rows: isInMessages
      ? (results.rows ?? []).map((message) => ({
          elementId: resultId(message.id),
          chatId: message.chatId,
        }))
      : chats.map(({ id }) => ({ elementId: rowId(id), chatId: id })),
    chatId,
    list: rows,
    composer,
    searchField,
    selection,
    onBack: goToList,
    onDialog: (name, ofChat) => setDialog({ name, chatId: ofChat }),
    onBulk: useBulkAction(chosenChats, query),
    onBulkDialog: setBulkDialog,
    onNewChat: () => setIsStarting(true),
  });

  return (
    <div
      className={classes(
        styles.inbox,
        chatId !== undefined && styles.hasChat,
        showsContact && styles.hasContact,
      )}
    >
      <ViewsPane
        current={text === '' ? view.id : ''}
        saved={saved}
        counts={counts}
        exportPath={exportPathOf({ tenantId, query, search: text })}
      />
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
            ref={searchField}
            label={t('inbox.search')}
            placeholder={t('inbox.searchShort')}
            text={text}
            onSearch={(q) =>
              void navigate({ to: '.', search: searchFor(q, isInMessages) as never, replace: true })
            }
          />
          <PhoneButton />
          {canWrite && (
            <IconButton icon="plus" label={t('newChat.title')} onClick={() => setIsStarting(true)} />
          )}
        </div>
        <div>
          {text !== '' && (
            <SearchPlaces
              isInMessages={isInMessages}
              onChoose={(inMessages) =>
                void navigate({ to: '.', search: searchFor(text, inMessages) as never, replace: true })
              }
            />
          )}
          {selection && (
            <BulkBar selection={selection} query={query} dialog={bulkDialog} onDialog={setBulkDialog} />
          )}
        </div>
        {isInMessages ? (
          <MessageResults results={results} text={text} shownId={target?.id} search={search} />
        ) : (
          <ChatList
            key={view.id}
            list={list}
            viewId={viewId}
            text={text}
            shownId={chatId}
            search={search}
            selection={selection}
            handle={rows}
          />
        )}
      </div>
      {isStarting && <NewChatDialog onClose={() => setIsStarting(false)} />}
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
            target={target}
            showsContact={showsContact}
            onBack={goToList}
            onToggleContact={() => setShowsContact((shown) => !shown)}
            onDialog={(name) => setDialog({ name, chatId })}
          />
          {showsContact && (
            <ShownContact
              chatId={chatId}
              search={search}
              onLabels={() => setDialog({ name: 'labels', chatId })}
              onClose={() => setShowsContact(false)}
            />
          )}
        </>
      )}
      {dialog && <DialogOfChat {...dialog} onClose={() => setDialog(undefined)} />}
    </div>
  );
}

interface ShownContactProps {
  chatId: string;
  search: Record<string, unknown>;
  onLabels: () => void;
  onClose: () => void;
}

/** Whom the open chat is with. */
function ShownContact({ chatId, ...props }: ShownContactProps) {
  const { chat } = useChat(chatId);
  return (
    chat && (
      <div className={styles.contact}>
        <ContactPanel chat={chat} {...props} />
      </div>
    )
  );
}

const DIALOGS = { assign: AssignDialog, snooze: SnoozeDialog, labels: LabelDialog, why: WhyOfChat };

/** A dialog about one chat: the open one, or the row that the keys are at. */
interface OpenedDialog {
  name: ChatDialog;
  chatId: string;
}

function DialogOfChat({ name, chatId, onClose }: OpenedDialog & { onClose: () => void }) {
  const { chat } = useChat(chatId);
  const Opened = DIALOGS[name];
  return chat && <Opened chat={chat} onClose={onClose} />;
}
