import { createLabel, deleteLabel, type Label, searchLabels, updateLabel } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf, statusOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LabelTag } from '../../ui/label-tag.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useActions } from './actions.tsx';
import { useFilter } from './filter.tsx';
import styles from './settings.module.css';

const FIRST_COLOR = '#0f766e';

/** Words that sort contacts. */
export function Labels() {
  const t = useText();
  const canWrite = useScope('contacts:write');
  const labels = useAll(['labels'], searchLabels);
  const [edited, setEdited] = useState<Label | 'new'>();
  const [removed, setRemoved] = useState<Label>();
  const add = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      {t('labels.new')}
    </Button>
  );
  return (
    <Page title={t('labels.title')} actions={add}>
      <Loaded query={labels}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="label" title={t('labels.empty')} action={add}>
              {t('labels.intro')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('labels.intro')}</p>
              <LabelsTable labels={rows} onEdit={setEdited} onRemove={setRemoved} />
            </>
          )
        }
      </Loaded>
      {edited && (
        <LabelDialog label={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {removed && <RemoveDialog label={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

interface LabelsTableProps {
  labels: readonly Label[];
  onEdit: (label: Label) => void;
  onRemove: (label: Label) => void;
}

function LabelsTable({ labels, onEdit, onRemove }: LabelsTableProps) {
  const { t, formatDate } = useTranslator();
  const { found, field } = useFilter(labels, ({ name }) => name);
  const actions = useActions<Label>(useScope('contacts:write'), {
    nameOf: ({ name }) => name,
    onEdit,
    onRemove,
  });
  return (
    <>
      {field}
      <Table<Label>
        label={t('labels.title')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('labels.name'),
            cell: ({ name, color }) => <LabelTag name={name} color={color} />,
          },
          {
            id: 'created',
            title: t('labels.created'),
            isExtra: true,
            cell: ({ createdAt }) => formatDate(new Date(createdAt)),
          },
          ...actions,
        ]}
      />
    </>
  );
}

function LabelDialog({ label, onClose }: { label: Label | undefined; onClose: () => void }) {
  const t = useText();
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState(label?.color ?? FIRST_COLOR);
  const save = useWrite(
    () => {
      const body = { name: name.trim(), color };
      return label
        ? updateLabel(client, { path: { labelId: label.id }, body })
        : createLabel(client, { body });
    },
    { invalidates: [['labels'], ['contacts']], done: 'saved', showsError: true, onSuccess: onClose },
  );
  return (
    <FormDialog
      title={label ? label.name : t('labels.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['name', 'color']}
    >
      <TextField
        label={t('labels.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(save.error, 'name')}
        maxLength={100}
        autoComplete="off"
        autoFocus
        required
      />
      <Field label={t('labels.color')} error={issueOf(save.error, 'color')}>
        {(control) => (
          <div className={styles.color}>
            <input
              {...control}
              type="color"
              value={color}
              onChange={(event) => setColor(event.target.value)}
            />
            <LabelTag name={name.trim() || t('labels.name')} color={color} />
          </div>
        )}
      </Field>
    </FormDialog>
  );
}

/** A label that an automation or a campaign uses is deleted only by those who insist. */
function RemoveDialog({ label, onClose }: { label: Label; onClose: () => void }) {
  const t = useText();
  const [isUsed, setIsUsed] = useState(false);
  const remove = useWrite(
    () =>
      deleteLabel(client, {
        path: { labelId: label.id },
        ...(isUsed ? { query: { force: true } } : {}),
      }).catch((error) => {
        setIsUsed(statusOf(error) === 409);
        throw error;
      }),
    { invalidates: [['labels'], ['contacts']], done: 'deleted', showsError: true, onSuccess: onClose },
  );
  return (
    <ConfirmDialog
      title={t('labels.removeTitle', { name: label.name })}
      text={t('labels.removeText', { name: label.name })}
      action={t(isUsed ? 'action.deleteAnyway' : 'action.delete')}
      typed={label.name}
      write={remove}
      onClose={onClose}
    />
  );
}
