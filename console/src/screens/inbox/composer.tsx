import { type Chat, createNote, renderSavedReply, type User } from '@parley/sdk';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { KeyCaps } from '../../keys/key-caps.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { RelativeTime, useNow } from '../../ui/time.tsx';
import { useChatActions } from './actions.ts';
import { findCachedChat } from './chat-cache.ts';
import styles from './composer.module.css';
import { useChannel, useSavedReplies, useUsers } from './data.ts';
import { type Draft, useDraft } from './drafts.ts';
import { sendOptimistically } from './outgoing.ts';
import { Picker } from './picker.tsx';
import { TemplateForm } from './template-form.tsx';
import { storeNote } from './thread-cache.ts';

export interface ComposerHandle {
  write(mode: Draft['mode']): void;
  /** Whether somebody was writing; the focus is taken away. */
  leave(): boolean;
}

interface ComposerProps {
  chat: Chat;
  handle: RefObject<ComposerHandle | null>;
}

const MAX_LINES = 10;
/** Files that take a text below them; others are sent with a message of their own. */
const TAKES_CAPTION = /^(image|video|application)\//;

/** Where answers and notes are written. */
export function Composer({ chat, handle }: ComposerProps) {
  const t = useText();
  const now = useNow();
  const canSend = useScope('messages:write');
  const canNote = useScope('chats:write');
  const kind = useChannel(chat.channelId)?.kind;
  const [draft, change] = useDraft(chat.id);
  const [picking, setPicking] = useState<'savedReply' | 'mention'>();
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const { close } = useChatActions();
  const { mode, files } = draft;
  const isNote = mode === 'note';
  const text = draft[mode];
  const isClosed = chat.openUntil !== null && Date.parse(chat.openUntil) <= now.getTime();

  const note = useWrite(
    () => {
      const mentionedUserIds = draft.mentioned
        .filter(({ name }) => draft.note.includes(`@${name}`))
        .map(({ id }) => id);
      return createNote(client, {
        path: { chatId: chat.id },
        body: { text: draft.note.trim(), ...(mentionedUserIds.length > 0 ? { mentionedUserIds } : {}) },
      });
    },
    {
      onSuccess: (stored) => {
        storeNote(stored);
        change({ note: '', mentioned: [] });
      },
      showsError: true,
    },
  );
  const render = useWrite(
    (savedReplyId: string) => renderSavedReply(client, { path: { savedReplyId }, body: { chatId: chat.id } }),
    { onSuccess: (rendered) => insert(rendered.text) },
  );

  useEffect(() => {
    handle.current = {
      write(next) {
        change({ mode: next });
        // The field may be another one after the change.
        setTimeout(() => field.current?.focus());
      },
      leave() {
        const active = document.activeElement;
        if (!(active instanceof HTMLElement) || active !== field.current) return false;
        active.blur();
        return true;
      },
    };
    return () => {
      handle.current = null;
    };
  });

  /** At the cursor. */
  function insert(added: string): void {
    const { selectionStart = text.length, selectionEnd = text.length } = field.current ?? {};
    change({ [mode]: text.slice(0, selectionStart) + added + text.slice(selectionEnd) });
    const end = selectionStart + added.length;
    setTimeout(() => {
      field.current?.focus();
      field.current?.setSelectionRange(end, end);
    });
  }

  const isEmpty = text.trim() === '' && (isNote || files.length === 0);
  async function submit(closes: boolean): Promise<void> {
    if (isEmpty || note.isPending || (!isNote && isClosed)) return;
    if (isNote) return note.mutate();
    change({ reply: '', files: [] });
    const sent = await Promise.all(
      bodiesOf(text.trim(), files, kind === 'email').map(([body, own]) =>
        sendOptimistically(chat.id, body, own),
      ),
    );
    if (closes && sent.every((message) => message !== undefined))
      await close(findCachedChat(chat.id) ?? chat);
  }
  useKeys([
    { keys: 'mod+Enter', label: t('composer.send'), run: () => void submit(false) },
    { keys: 'mod+shift+Enter', label: t('composer.sendAndClose'), run: () => void submit(true) },
  ]);

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing) return;
    if (!isNote && event.key === '/' && text === '') {
      event.preventDefault();
      setPicking('savedReply');
    }
    if (isNote && event.key === '@') {
      event.preventDefault();
      setPicking('mention');
    }
  }
  const addFiles = (added: Iterable<File>): void => change({ files: [...files, ...added] });

  if (!canSend && !canNote) return null;
  const modes = [...(canSend ? (['reply'] as const) : []), ...(canNote ? (['note'] as const) : [])];
  return (
    <section
      className={classes(styles.composer, isNote && styles.note)}
      aria-label={t('composer.label')}
      onDragOver={(event) => {
        if (!isNote && !isClosed) event.preventDefault();
      }}
      onDrop={(event) => {
        if (isNote || isClosed) return;
        event.preventDefault();
        addFiles(event.dataTransfer.files);
      }}
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
          <Field
            field={field}
            label={t(`composer.${mode}`)}
            placeholder={t(isNote ? 'composer.notePlaceholder' : 'composer.replyPlaceholder')}
            text={text}
            onChange={(value) => change({ [mode]: value })}
            onKeyDown={onKeyDown}
            onFiles={isNote ? undefined : addFiles}
          />
          {!isNote && <Files files={files} onChange={(next) => change({ files: next })} />}
          {isNote && note.error ? <ErrorNotice error={note.error} /> : null}
          <div className={styles.bar}>
            {isNote ? (
              <IconButton icon="people" label={t('composer.mention')} onClick={() => setPicking('mention')} />
            ) : (
              <>
                <IconButton
                  icon="attach"
                  label={t('composer.attach')}
                  onClick={() => chooser.current?.click()}
                />
                <input
                  ref={chooser}
                  type="file"
                  multiple
                  hidden
                  onChange={(event) => {
                    addFiles(event.target.files ?? []);
                    event.target.value = '';
                  }}
                />
                <IconButton
                  icon="template"
                  label={t('composer.savedReplies')}
                  onClick={() => setPicking('savedReply')}
                />
              </>
            )}
            <span className={styles.spacer}>
              <KeyCaps keys="mod+Enter" />
            </span>
            <Button
              look="primary"
              icon={isNote ? 'note' : 'send'}
              disabled={isEmpty}
              isBusy={note.isPending}
              onClick={() => void submit(false)}
            >
              {t(isNote ? 'composer.addNote' : 'composer.send')}
            </Button>
          </div>
        </>
      )}
      {picking === 'savedReply' && (
        <SavedReplies
          channelId={chat.channelId}
          onPick={(id) => render.mutate(id)}
          onClose={() => setPicking(undefined)}
        />
      )}
      {picking === 'mention' && (
        <Mentions
          onPick={({ id, name }) => {
            change({ mentioned: [...draft.mentioned, { id, name }] });
            insert(`@${name} `);
          }}
          onCancel={() => insert('@')}
          onClose={() => setPicking(undefined)}
        />
      )}
    </section>
  );
}

type OutgoingBody = [body: { text?: string }, files: readonly File[]];

/** A mail takes everything; elsewhere each file is a message, and the text belongs to the first one if it can. */
function bodiesOf(text: string, files: readonly File[], isMail: boolean): OutgoingBody[] {
  const own = text === '' ? {} : { text };
  if (isMail || files.length === 0) return [[own, files]];
  const [first, ...rest] = files as [File, ...File[]];
  const others = rest.map((file): OutgoingBody => [{}, [file]]);
  if (text === '' || TAKES_CAPTION.test(first.type)) return [[own, [first]], ...others];
  return [[own, []], [{}, [first]], ...others];
}

interface FieldProps {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  placeholder: string;
  text: string;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** Undefined: files cannot be pasted. */
  onFiles: ((files: Iterable<File>) => void) | undefined;
}

/** Grows with its text. */
function Field({ field, label, placeholder, text, onChange, onKeyDown, onFiles }: FieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <textarea
        ref={field}
        id={id}
        className={styles.field}
        rows={Math.min(MAX_LINES, Math.max(2, text.split('\n').length))}
        dir="auto"
        placeholder={placeholder}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (!onFiles || event.clipboardData.files.length === 0) return;
          event.preventDefault();
          onFiles(event.clipboardData.files);
        }}
      />
    </>
  );
}

function Files({ files, onChange }: { files: readonly File[]; onChange: (files: readonly File[]) => void }) {
  const t = useText();
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t('composer.files')}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
        <li key={index} className={styles.file}>
          <Icon name="attach" />
          <span dir="auto">{file.name}</span>
          <IconButton
            icon="close"
            label={t('composer.removeFile', { name: file.name })}
            onClick={() => onChange(files.filter((_, other) => other !== index))}
          />
        </li>
      ))}
    </ul>
  );
}

interface SavedRepliesProps {
  channelId: string;
  onPick: (id: string) => void;
  onClose: () => void;
}

function SavedReplies({ channelId, onPick, onClose }: SavedRepliesProps) {
  const t = useText();
  const replies = useSavedReplies().data ?? [];
  const usable = replies.filter(
    ({ channelIds }) => channelIds.length === 0 || channelIds.includes(channelId),
  );
  return (
    <Picker
      title={t('composer.savedReplies')}
      placeholder={t('composer.savedRepliesPlaceholder')}
      choices={usable.map(({ id, shortcut, text }) => ({ id, label: `/${shortcut}`, detail: text }))}
      empty={t('composer.noSavedReplies')}
      onPick={(id) => {
        onClose();
        onPick(id);
      }}
      onClose={onClose}
    />
  );
}

interface MentionsProps {
  onPick: (user: User) => void;
  onCancel: () => void;
  onClose: () => void;
}

function Mentions({ onPick, onCancel, onClose }: MentionsProps) {
  const t = useText();
  const users = useUsers().data ?? [];
  return (
    <Picker
      title={t('composer.mention')}
      placeholder={t('composer.mentionPlaceholder')}
      choices={users.map(({ id, name }) => ({
        id,
        label: name,
        picture: <Avatar name={name} id={id} size="small" />,
      }))}
      empty=""
      onPick={(id) => {
        onClose();
        const user = users.find((one) => one.id === id);
        if (user) onPick(user);
      }}
      onClose={() => {
        onClose();
        onCancel();
      }}
    />
  );
}
