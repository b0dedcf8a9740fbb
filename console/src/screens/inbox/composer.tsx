import { type Chat, createNote, type Message } from '@parley/sdk';
import { type KeyboardEvent, lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { client, useWrite } from '../../api/api.ts';
import { hasReplyWindow } from '../../api/channel-kinds.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { classes } from '../../ui/classes.ts';
import { ErrorNotice, Warning } from '../../ui/notices.tsx';
import { RelativeTime, useNow } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useChatActions } from './actions.ts';
import { storedFilesOf } from './attachment.ts';
import { findCachedChat } from './chat-cache.ts';
import styles from './composer.module.css';
import { ComposerBar } from './composer-bar.tsx';
import { ComposerButtons } from './composer-buttons.tsx';
import { AttachedFiles, ComposerField, QuotedMessage } from './composer-field.tsx';
import { Mentions, SavedReplies } from './composer-pickers.tsx';
import { useChannel } from './data.ts';
import { summarise } from './describe-message.ts';
import { type Draft, useDraft } from './drafts.ts';
import { excessWithButtons, maxButtonsOn, titlesOf } from './message-bodies.ts';
import { TypingLine } from './present.tsx';
import { SendButtons } from './send-buttons.tsx';
import { sendDraft } from './send-draft.ts';
import { TemplateForm } from './template-form.tsx';
import { storeNote } from './thread-cache.ts';
import { TimePicker } from './time-picker.tsx';

const EmojiPicker = lazy(async () => ({ default: (await import('./emoji-picker.tsx')).EmojiPicker }));

export interface ComposerHandle {
  write(mode: Draft['mode']): void;
  /** Whether somebody was writing; the focus is taken away. */
  leave(): boolean;
  /** Adds files to the reply, or says why it cannot have any. */
  attach(files: Iterable<File>): void;
  /** Begins a reply to one message. */
  answer(message: Message): void;
  /** Puts what was not sent into the empty field. Returns whether it was empty. */
  restore(unsent: Pick<Draft, 'reply' | 'buttons' | 'files'>): boolean;
}

interface ComposerProps {
  chat: Chat;
  handle: RefObject<ComposerHandle | null>;
  /** Called while somebody writes what the customer will get. */
  onTyping: (isTyping: boolean) => void;
}

/** Where answers and notes are written. */
export function Composer({ chat, handle, onTyping }: ComposerProps) {
  const t = useText();
  const now = useNow();
  const canSend = useScope('messages:write');
  const canNote = useScope('chats:write');
  const kind = useChannel(chat.channelId)?.kind;
  const { draft, change, forgetNote } = useDraft(chat.id, canSend ? 'reply' : 'note');
  const [picking, setPicking] = useState<'savedReply' | 'mention' | 'emoji' | 'time'>();
  const section = useRef<HTMLElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const toast = useToast();
  const { close } = useChatActions();
  const { mode, files, buttons, replyTo } = draft;
  const maxButtons = maxButtonsOn(kind);
  const isNote = mode === 'note';
  const text = draft[mode];
  // A comment may be answered once, whatever the window says.
  const isClosed =
    (chat.openUntil === null ? hasReplyWindow(kind) : Date.parse(chat.openUntil) <= now.getTime()) &&
    replyTo?.isComment !== true;
  const takesFiles = canSend && !isNote && !isClosed;
  const addFiles = (added: Iterable<File>): void => change((now) => ({ files: [...now.files, ...added] }));

  const note = useWrite(
    (written: string) => {
      const mentionedUserIds = draft.mentioned
        .filter(({ name }) => written.includes(`@${name}`))
        .map(({ id }) => id);
      return createNote(client, {
        path: { chatId: chat.id },
        body: { text: written, ...(mentionedUserIds.length > 0 ? { mentionedUserIds } : {}) },
      });
    },
    {
      onSuccess: (stored, text) => {
        storeNote(stored);
        forgetNote(text);
      },
      showsError: true,
    },
  );

  useEffect(() => {
    handle.current = {
      write(next) {
        // The field may be another one after the change.
        flushSync(() => change({ mode: next }));
        field.current?.focus();
        onTyping(false);
      },
      leave() {
        const active = document.activeElement;
        const isWriting = active === field.current || active?.matches('input') === true;
        if (!(active instanceof HTMLElement) || !isWriting || !section.current?.contains(active))
          return false;
        active.blur();
        return true;
      },
      attach(added) {
        if (takesFiles) addFiles(added);
        else toast({ text: t(isNote ? 'composer.noFilesInNotes' : 'composer.noFilesNow'), look: 'bad' });
        field.current?.focus();
      },
      answer(message) {
        const { id, type } = message;
        const quoted = { id, text: summarise(message, t), isComment: type === 'comment' };
        flushSync(() => change({ mode: 'reply', replyTo: quoted }));
        field.current?.focus();
      },
      restore(unsent) {
        if (draft.reply !== '' || titlesOf(buttons).length > 0) return false;
        flushSync(() => change({ ...unsent, mode: 'reply', files: [...files, ...unsent.files] }));
        field.current?.focus();
        return true;
      },
    };
    return () => {
      handle.current = null;
    };
  });

  /** At the cursor, with the cursor after it: all before the next key, however fast somebody types. */
  function insert(into: Draft['mode'], added: string, more?: (now: Draft) => Partial<Draft>): void {
    flushSync(() => change({ mode: into }));
    const { selectionStart: start = Infinity, selectionEnd: end = Infinity } = field.current ?? {};
    flushSync(() => {
      setPicking(undefined);
      change((now) => ({
        [into]: now[into].slice(0, start) + added + now[into].slice(end),
        ...more?.(now),
      }));
    });
    field.current?.focus();
    field.current?.setSelectionRange(start + added.length, start + added.length);
  }
  function closePicker(): void {
    flushSync(() => setPicking(undefined));
    field.current?.focus();
  }

  // Buttons belong to a text.
  const needsText = isNote || files.length === 0 || titlesOf(buttons).length > 0;
  const isEmpty = text.trim() === '' && needsText;
  const excess = isNote ? 0 : excessWithButtons({ text, buttons }, kind);
  const canSubmit = !isEmpty && excess === 0;
  async function submit(closes: boolean, at?: Date): Promise<void> {
    if (!canSubmit || note.isPending || (!isNote && isClosed)) return;
    if (isNote) return note.mutate(text.trim());
    change({ reply: '', files: [], buttons: [], replyTo: undefined });
    onTyping(false);
    const written = { text: text.trim(), files, buttons, replyToMessageId: replyTo?.id, at };
    const isSent = await sendDraft(chat.id, written, kind);
    if (closes && isSent) await close(findCachedChat(chat.id) ?? chat);
  }
  useKeys([
    { keys: 'mod+Enter', label: t('composer.send'), run: () => void submit(false) },
    { keys: 'mod+shift+Enter', label: t('composer.sendAndClose'), run: () => void submit(true) },
  ]);

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing) return;
    const opens = !isNote && event.key === '/' && text === '' ? 'savedReply' : undefined;
    const opened = isNote && event.key === '@' ? 'mention' : opens;
    if (!opened) return;
    event.preventDefault();
    setPicking(opened);
  }

  if (!canSend && !canNote) return null;
  const modes = [...(canSend ? (['reply'] as const) : []), ...(canNote ? (['note'] as const) : [])];
  return (
    <section
      ref={section}
      className={classes(styles.composer, isNote && styles.note)}
      aria-label={t('composer.label')}
    >
      <div className={styles.top}>
        <div role="tablist" aria-label={t('composer.label')} className={styles.tabs}>
          {modes.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={mode === one}
              className={styles.tab}
              onClick={() => handle.current?.write(one)}
            >
              {t(`composer.${one}`)}
            </button>
          ))}
        </div>
        <TypingLine chatId={chat.id} />
        {!isNote && chat.openUntil !== null && !isClosed && (
          <span className={styles.meta}>
            {t('composer.closes')} <RelativeTime at={chat.openUntil} />
          </span>
        )}
      </div>
      {!isNote && isClosed ? (
        <TemplateForm chat={chat} />
      ) : (
        <>
          {!isNote && replyTo && (
            <QuotedMessage text={replyTo.text} onRemove={() => change({ replyTo: undefined })} />
          )}
          <ComposerField
            field={field}
            label={t(`composer.${mode}`)}
            placeholder={t(isNote ? 'composer.notePlaceholder' : 'composer.replyPlaceholder')}
            text={text}
            onChange={(value) => {
              change({ [mode]: value });
              // The customer sees it as well, and must not wait for a note.
              if (!isNote) onTyping(value !== '');
            }}
            onKeyDown={onKeyDown}
            onFiles={isNote ? undefined : addFiles}
          />
          {!isNote && (
            <ComposerButtons
              buttons={buttons}
              max={maxButtons}
              onChange={(next) => {
                change({ buttons: next });
                // What had the focus may be gone.
                if (next.length < buttons.length) field.current?.focus();
              }}
            />
          )}
          {excess > 0 && <Warning>{t('composer.tooLongWithButtons', { count: excess })}</Warning>}
          {!isNote && <AttachedFiles files={files} onChange={(next) => change({ files: next })} />}
          {isNote && note.error ? <ErrorNotice error={note.error} /> : null}
          <ComposerBar
            isNote={isNote}
            onPick={setPicking}
            onFiles={addFiles}
            onButtons={maxButtons > 0 && buttons.length === 0 ? () => change({ buttons: [''] }) : undefined}
          >
            <SendButtons
              isNote={isNote}
              isDisabled={!canSubmit}
              isBusy={note.isPending}
              canClose={canNote && chat.status !== 'closed'}
              onSend={(closes) => void submit(closes)}
              onLater={() => setPicking('time')}
            />
          </ComposerBar>
        </>
      )}
      {picking === 'savedReply' && (
        <SavedReplies
          chat={chat}
          onPick={(written, media) =>
            insert('reply', written, (now) => ({ files: [...now.files, ...storedFilesOf(media)] }))
          }
          onClose={closePicker}
        />
      )}
      {picking === 'mention' && (
        <Mentions
          onPick={({ id, name }) =>
            insert('note', `@${name} `, (now) => ({ mentioned: [...now.mentioned, { id, name }] }))
          }
          onClose={() => insert('note', '@')}
        />
      )}
      {picking === 'time' && (
        <TimePicker
          purpose="send"
          before={replyTo?.isComment === true ? null : chat.openUntil}
          onPick={(at) => {
            closePicker();
            void submit(false, at);
          }}
          onClose={closePicker}
        />
      )}
      {picking === 'emoji' && (
        <Suspense>
          <EmojiPicker onPick={(sign) => insert(mode, sign)} onClose={closePicker} />
        </Suspense>
      )}
    </section>
  );
}
