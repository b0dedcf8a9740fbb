import {
  createSavedReply,
  deleteSavedReply,
  type SavedReply,
  searchChannels,
  searchSavedReplies,
  updateSavedReply,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useUnusedFiles } from '../../api/unused-files.ts';
import { useText } from '../../i18n/i18n.tsx';
import { useIsDeleted } from '../../live/deleted.ts';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DeletedDialog } from '../../ui/deleted.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useActions } from './actions.tsx';
import { useFilter } from './filter.tsx';
import { ReplyFiles } from './reply-files.tsx';
import styles from './settings.module.css';

const KEY = ['savedReplies'];

/** Texts that are written again and again. */
export function Replies() {
  const t = useText();
  const canWrite = useScope('chats:write');
  const replies = useAll(KEY, searchSavedReplies, { sortBy: 'asc(shortcut)' });
  const [edited, setEdited] = useState<SavedReply | 'new'>();
  const [removed, setRemoved] = useState<SavedReply>();
  const isDeleted = useIsDeleted(edited === 'new' ? undefined : edited?.id);
  const add = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      {t('replies.new')}
    </Button>
  );
  return (
    <Page title={t('replies.title')} actions={add}>
      <Loaded query={replies}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="reply" title={t('replies.empty')} action={add}>
              {t('replies.intro')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('replies.intro')}</p>
              <RepliesTable replies={rows} onEdit={setEdited} onRemove={setRemoved} />
            </>
          )
        }
      </Loaded>
      {isDeleted && (
        <DeletedDialog name={`/${(edited as SavedReply).shortcut}`} onClose={() => setEdited(undefined)} />
      )}
      {edited && !isDeleted && (
        <ReplyDialog reply={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {removed && <RemoveDialog reply={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

interface RepliesTableProps {
  replies: readonly SavedReply[];
  onEdit: (reply: SavedReply) => void;
  onRemove: (reply: SavedReply) => void;
}

function RepliesTable({ replies, onEdit, onRemove }: RepliesTableProps) {
  const t = useText();
  const { found, field } = useFilter(replies, ({ shortcut, text }) => `${shortcut} ${text}`);
  const actions = useActions<SavedReply>(useScope('chats:write'), {
    nameOf: ({ shortcut }) => shortcut,
    onEdit,
    onRemove,
  });
  return (
    <>
      {field}
      <Table<SavedReply>
        label={t('replies.title')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'shortcut',
            title: t('replies.shortcut'),
            cell: ({ shortcut }) => <code>/{shortcut}</code>,
          },
          {
            id: 'text',
            title: t('replies.text'),
            cell: ({ text }) => <span className={styles.preview}>{text}</span>,
          },
          {
            id: 'files',
            title: t('replies.files'),
            isExtra: true,
            cell: ({ media }) => (
              <span className={styles.preview}>{media.map(({ filename }) => filename).join(', ')}</span>
            ),
          },
          ...actions,
        ]}
      />
    </>
  );
}

function ReplyDialog({ reply, onClose }: { reply: SavedReply | undefined; onClose: () => void }) {
  const t = useText();
  const channels = useAll(['channels'], searchChannels);
  const [shortcut, setShortcut] = useState(reply?.shortcut ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  /** Undefined until they are changed here: a file may have been deleted, or a colleague may change them. */
  const [media, setMedia] = useState<SavedReply['media']>();
  const changeMedia = (change: (files: SavedReply['media']) => SavedReply['media']): void =>
    setMedia((files = reply?.media ?? []) => change(files));
  const unused = useUnusedFiles();
  const [isUploading, setIsUploading] = useState(false);
  const [channelIds, setChannelIds] = useState<string[]>(reply?.channelIds ?? []);
  const save = useWrite(
    () => {
      const body = {
        shortcut: shortcut.trim().replace(/^\//, ''),
        text,
        ...(media && { media: media.map(({ fileId }) => ({ fileId })) }),
        channelIds,
      };
      return unused.keepFor(() =>
        reply
          ? updateSavedReply(client, { path: { savedReplyId: reply.id }, body })
          : createSavedReply(client, { body }),
      );
    },
    { invalidates: [KEY], done: 'saved', showsError: true, onSuccess: onClose },
  );
  return (
    <FormDialog
      title={reply ? `/${reply.shortcut}` : t('replies.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['shortcut', 'text']}
      isDisabled={isUploading}
    >
      <TextField
        label={t('replies.shortcut')}
        help={t('replies.shortcutHelp')}
        value={shortcut}
        onChange={(event) => setShortcut(event.target.value)}
        error={issueOf(save.error, 'shortcut')}
        maxLength={50}
        autoComplete="off"
        autoFocus
        required
      />
      <TextArea
        label={t('replies.text')}
        help={t('replies.textHelp', { example: '{{ contact.firstName }}' })}
        rows={6}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={issueOf(save.error, 'text')}
        maxLength={4096}
        required
      />
      <ReplyFiles
        files={media ?? reply?.media ?? []}
        onAdd={(added) => {
          unused.add(added.fileId);
          changeMedia((files) => [...files, added]);
        }}
        onRemove={(fileId) => {
          unused.discard(fileId);
          changeMedia((files) => files.filter((file) => file.fileId !== fileId));
        }}
        onBusy={setIsUploading}
      />
      <Choices
        label={t('replies.channels')}
        options={(channels.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        chosen={channelIds}
        onChange={setChannelIds}
        none={t('channels.none')}
      />
    </FormDialog>
  );
}

function RemoveDialog({ reply, onClose }: { reply: SavedReply; onClose: () => void }) {
  const t = useText();
  const remove = useWrite(() => deleteSavedReply(client, { path: { savedReplyId: reply.id } }), {
    invalidates: [KEY],
    done: 'deleted',
    showsError: true,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('replies.removeTitle', { name: `/${reply.shortcut}` })}
      text={t('replies.removeText', { name: `/${reply.shortcut}` })}
      action={t('action.delete')}
      write={remove}
      onClose={onClose}
    />
  );
}
