import { deleteNote, type Note, updateNote } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { Clock } from './entries.tsx';
import { PlainText } from './message-content.tsx';
import { entryId } from './target.ts';
import styles from './thread.module.css';
import { removeNote, storeNote } from './thread-cache.ts';

/** What colleagues wrote about the chat. */
export function NoteEntry({ note, isTarget }: { note: Note; isTarget: boolean }) {
  const t = useText();
  const canWrite = useScope('chats:write');
  const [opened, setOpened] = useState<'edit' | 'delete'>();
  const close = (): void => setOpened(undefined);
  return (
    <div
      id={entryId(note.id)}
      className={classes(styles.bubble, styles.noteBubble, isTarget && styles.target)}
    >
      {opened === 'edit' ? (
        <EditNote note={note} onClose={close} />
      ) : (
        note.text !== null && <PlainText text={note.text} />
      )}
      <p className={styles.foot}>
        {note.updatedAt !== note.createdAt && <span>{t('message.edited')}</span>}
        <Clock at={note.createdAt} />
      </p>
      {canWrite && opened !== 'edit' && (
        <Menu
          label={t('note.actions')}
          className={styles.more}
          items={[
            { id: 'edit', label: t('note.edit'), icon: 'edit', run: () => setOpened('edit') },
            {
              id: 'delete',
              label: t('note.delete'),
              icon: 'trash',
              isDanger: true,
              run: () => setOpened('delete'),
            },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
      {opened === 'delete' && <DeleteNote note={note} onClose={close} />}
    </div>
  );
}

interface NoteDialogProps {
  note: Note;
  onClose: () => void;
}

function EditNote({ note, onClose }: NoteDialogProps) {
  const t = useText();
  const [text, setText] = useState(note.text ?? '');
  const save = useWrite(
    () => updateNote(client, { path: { noteId: note.id }, body: { text: text.trim() } }),
    {
      showsError: true,
      onSuccess: (stored) => {
        storeNote(stored);
        onClose();
      },
    },
  );
  const isDisabled = text.trim() === '' || save.isPending;
  return (
    <form
      className={styles.editNote}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDisabled) save.mutate();
      }}
      onKeyDown={(event) => {
        const isSaving = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (event.key !== 'Escape' && !isSaving) return;
        event.preventDefault();
        event.stopPropagation();
        if (!isSaving) onClose();
        else if (!isDisabled) save.mutate();
      }}
    >
      <textarea
        className={styles.noteField}
        aria-label={t('note.edit')}
        dir="auto"
        rows={3}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        // biome-ignore lint/a11y/noAutofocus: somebody has just asked for it
        autoFocus
      />
      {save.error ? <ErrorNotice error={save.error} /> : null}
      <div className={styles.retry}>
        <Button look="quiet" onClick={onClose}>
          {t('action.cancel')}
        </Button>
        <Button type="submit" look="primary" disabled={isDisabled} isBusy={save.isPending}>
          {t('action.save')}
        </Button>
      </div>
    </form>
  );
}

function DeleteNote({ note, onClose }: NoteDialogProps) {
  const t = useText();
  const name = note.author.name ?? t(`message.author.${note.author.type}`);
  const remove = useWrite(() => deleteNote(client, { path: { noteId: note.id } }), {
    showsError: true,
    done: 'note.deleted',
    onSuccess: () => {
      onClose();
      removeNote(note);
    },
  });
  return (
    <ConfirmDialog
      title={t('note.deleteTitle')}
      text={t('note.deleteText', { name })}
      action={t('note.delete')}
      write={remove}
      onClose={onClose}
    />
  );
}
