import { type Attribute, createAttribute, deleteAttribute, updateAttribute } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { ATTRIBUTES_KEY, useAttributes } from '../../api/attributes.ts';
import { issueOf, issueWithin, statusOf } from '../../api/errors.ts';
import { externalIdFor } from '../../api/external-id.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useActions } from './actions.tsx';
import { useFilter } from './filter.tsx';
import styles from './settings.module.css';

const TYPES = ['text', 'number', 'boolean', 'date', 'datetime', 'url', 'select'] as const;

/** What is known about contacts besides names and addresses, such as a customer number. */
export function Attributes() {
  const t = useText();
  const canWrite = useScope('attributes:write');
  const attributes = useAttributes();
  const [edited, setEdited] = useState<Attribute | 'new'>();
  const [removed, setRemoved] = useState<Attribute>();
  const add = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      {t('attributes.new')}
    </Button>
  );
  return (
    <Page title={t('attributes.title')} actions={add}>
      <Loaded query={attributes}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="attribute" title={t('attributes.empty')} action={add}>
              {t('attributes.intro')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('attributes.intro')}</p>
              <AttributesTable attributes={rows} onEdit={setEdited} onRemove={setRemoved} />
            </>
          )
        }
      </Loaded>
      {edited && (
        <AttributeDialog
          attribute={edited === 'new' ? undefined : edited}
          others={attributes.data ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed && <RemoveDialog attribute={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

interface AttributesTableProps {
  attributes: readonly Attribute[];
  onEdit: (attribute: Attribute) => void;
  onRemove: (attribute: Attribute) => void;
}

function AttributesTable({ attributes, onEdit, onRemove }: AttributesTableProps) {
  const t = useText();
  const { found, field } = useFilter(attributes, ({ name, externalId }) => `${name} ${externalId}`);
  const actions = useActions<Attribute>(useScope('attributes:write'), {
    nameOf: ({ name }) => name,
    onEdit,
    onRemove,
  });
  return (
    <>
      {field}
      <Table<Attribute>
        label={t('attributes.title')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('attributes.name'),
            cell: ({ name, description }) => (
              <>
                <div className={styles.name} dir="auto">
                  {name}
                </div>
                {description !== null && <div className={styles.muted}>{description}</div>}
              </>
            ),
          },
          {
            id: 'type',
            title: t('attributes.type'),
            cell: ({ type, options }) => (
              <>
                {t(`attributes.type.${type}`)}
                {type === 'select' && <div className={styles.muted}>{options.join(', ')}</div>}
              </>
            ),
          },
          {
            id: 'externalId',
            title: t('attributes.externalId'),
            isExtra: true,
            cell: ({ externalId }) => <code>{externalId}</code>,
          },
          ...actions,
        ]}
      />
    </>
  );
}

interface AttributeDialogProps {
  attribute: Attribute | undefined;
  others: readonly Attribute[];
  onClose: () => void;
}

/** What is stored of it depends on its type and on what programs call it, so these stay as they are. */
function AttributeDialog({ attribute, others, onClose }: AttributeDialogProps) {
  const t = useText();
  const [name, setName] = useState(attribute?.name ?? '');
  const [type, setType] = useState<Attribute['type']>(attribute?.type ?? 'text');
  const [lines, setLines] = useState(attribute?.options.join('\n') ?? '');
  const [description, setDescription] = useState(attribute?.description ?? '');
  const [typedId, setTypedId] = useState<string>();
  const taken = others.map(({ externalId }) => externalId);
  const externalId = typedId ?? externalIdFor(name, taken);
  const save = useWrite(
    () => {
      const options = [...new Set(lines.split('\n').map((line) => line.trim()))].filter(Boolean);
      const body = {
        name: name.trim(),
        description: description.trim() || null,
        ...(type === 'select' ? { options } : {}),
      };
      return attribute
        ? updateAttribute(client, { path: { attributeId: attribute.id }, body })
        : createAttribute(client, { body: { ...body, type, externalId: externalId.trim() } });
    },
    { invalidates: [ATTRIBUTES_KEY, ['contacts']], done: 'saved', showsError: true, onSuccess: onClose },
  );
  return (
    <FormDialog
      title={attribute ? attribute.name : t('attributes.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['name', 'options', 'description', 'externalId']}
    >
      <TextField
        label={t('attributes.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(save.error, 'name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
      {!attribute && (
        <SelectField
          label={t('attributes.type')}
          value={type}
          options={TYPES.map((value) => ({ value, label: t(`attributes.type.${value}`) }))}
          onChange={setType}
        />
      )}
      {type === 'select' && (
        <TextArea
          label={t('attributes.options')}
          help={t('attributes.optionsHelp')}
          value={lines}
          onChange={(event) => setLines(event.target.value)}
          error={issueWithin(save.error, 'options')}
          required
        />
      )}
      <TextField
        label={t('attributes.description')}
        help={t('attributes.descriptionHelp')}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        error={issueOf(save.error, 'description')}
        maxLength={1000}
        autoComplete="off"
      />
      {!attribute && (
        <TextField
          label={t('attributes.externalId')}
          help={t('attributes.externalIdHelp', { example: `{{ attributes.${externalId || 'size'} }}` })}
          value={name.trim() === '' && typedId === undefined ? '' : externalId}
          onChange={(event) => setTypedId(event.target.value)}
          error={issueOf(save.error, 'externalId')}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          required
        />
      )}
    </FormDialog>
  );
}

/** One that an automation or a segment uses is deleted only by those who insist. */
function RemoveDialog({ attribute, onClose }: { attribute: Attribute; onClose: () => void }) {
  const t = useText();
  const [isUsed, setIsUsed] = useState(false);
  const remove = useWrite(
    () =>
      deleteAttribute(client, {
        path: { attributeId: attribute.id },
        ...(isUsed ? { query: { force: true } } : {}),
      }).catch((error) => {
        setIsUsed(statusOf(error) === 409);
        throw error;
      }),
    { invalidates: [ATTRIBUTES_KEY, ['contacts']], done: 'deleted', showsError: true, onSuccess: onClose },
  );
  return (
    <ConfirmDialog
      title={t('attributes.removeTitle', { name: attribute.name })}
      text={t('attributes.removeText', { name: attribute.name })}
      action={t(isUsed ? 'action.deleteAnyway' : 'action.delete')}
      typed={attribute.name}
      write={remove}
      onClose={onClose}
    />
  );
}
