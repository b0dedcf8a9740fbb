import { createView, deleteView, updateView, type View } from '@parley/sdk';
import { useEffect, useId, useRef, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { isShownByFields, issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { chatFilters } from './chat-filter.ts';
import { useChatFields } from './chat-filter-fields.ts';
import styles from './inbox.module.css';

/** The orders of the list. A view may have another one, which stays until somebody chooses one of these. */
const SORTS = [
  'desc(latestMessageAt)',
  'asc(latestMessageAt)',
  'asc(waitingSince)',
  'desc(createdAt)',
] as const;
const FIELDS = ['name', 'query'];

interface ViewDialogProps {
  /** Undefined: a new one. */
  view: View | undefined;
  onClose: () => void;
  onSaved: (view: View) => void;
}

/** A filter of chats with a name, for oneself or for all. */
export function ViewDialog({ view, onClose, onSaved }: ViewDialogProps) {
  const t = useText();
  const id = useId();
  const fields = useChatFields();
  const nameField = useRef<HTMLInputElement>(null);
  // A dialog that opens focuses its first button.
  useEffect(() => nameField.current?.focus(), []);
  const [name, setName] = useState(view?.name ?? '');
  const [query, setQuery] = useState(view?.query ?? 'eq(status,"open")');
  const [sortBy, setSortBy] = useState<string>(view?.sortBy ?? SORTS[0]);
  const [isShared, setIsShared] = useState(view?.isShared ?? false);
  const save = useWrite(
    () => {
      const body = { name: name.trim(), query, sortBy, isShared };
      return view ? updateView(client, { path: { viewId: view.id }, body }) : createView(client, { body });
    },
    { invalidates: [['views']], showsError: true, onSuccess: onSaved },
  );
  const isDisabled = name.trim() === '' || query === '';
  const isOther = !SORTS.some((known) => known === sortBy);
  return (
    <Dialog
      title={t(view ? 'views.edit' : 'views.new')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={id} look="primary" disabled={isDisabled} isBusy={save.isPending}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isDisabled && !save.isPending) save.mutate();
        }}
      >
        <TextField
          label={t('views.name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={issueOf(save.error, 'name')}
          maxLength={100}
          required
          ref={nameField}
        />
      </form>
      <fieldset className={styles.filter}>
        <legend>{t('views.filter')}</legend>
        <FilterBar
          texts={chatFilters}
          fields={fields}
          filter={query}
          error={save.error}
          example={'and(eq(status,"open"),isNull(assignedUserId))'}
          onChange={setQuery}
        />
        {query === '' && <p className={styles.help}>{t('views.noFilter')}</p>}
      </fieldset>
      <SelectField
        label={t('views.sort')}
        value={sortBy}
        options={[
          ...SORTS.map((value) => ({ value: value as string, label: t(`views.sort.${value}`) })),
          ...(isOther ? [{ value: sortBy, label: sortBy }] : []),
        ]}
        onChange={setSortBy}
      />
      <label className={styles.share}>
        <input type="checkbox" checked={isShared} onChange={(event) => setIsShared(event.target.checked)} />
        <span>
          {t('views.shared')}
          <span className={styles.help}>{t('views.sharedText')}</span>
        </span>
      </label>
      {save.error && !isShownByFields(save.error, FIELDS) ? <ErrorNotice error={save.error} /> : null}
    </Dialog>
  );
}

interface DeleteViewProps {
  view: View;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteViewDialog({ view, onClose, onDeleted }: DeleteViewProps) {
  const t = useText();
  const remove = useWrite(() => deleteView(client, { path: { viewId: view.id } }), {
    invalidates: [['views']],
    showsError: true,
    done: 'views.deleted',
    onSuccess: onDeleted,
  });
  const { name } = view;
  return (
    <ConfirmDialog
      title={t('views.deleteTitle', { name })}
      text={t(view.isShared ? 'views.deleteSharedText' : 'views.deleteText', { name })}
      action={t('views.delete')}
      write={remove}
      onClose={onClose}
    />
  );
}
