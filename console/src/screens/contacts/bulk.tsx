import { type ChangeContactsBody, changeContacts, type StartedJob, searchLabels } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useAttributes } from '../../api/attributes.ts';
import { CONTACTS_KEY } from '../../api/contacts.ts';
import { issueOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { AttributeField } from '../../contact-form/contact-form.tsx';
import { LabelAutomations } from '../../contact-form/label-automations.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { JobDialog } from '../../ui/job-dialog.tsx';
import styles from './bulk.module.css';

type Action = ChangeContactsBody['action'];
const TYPES = ['add_label', 'remove_label', 'set_attributes', 'delete'] as const;

/** Which contacts: some by their ids, or all that match a filter. */
type Selection = { ids: readonly string[] } | { query: string; total: number };

interface BulkBarProps {
  selection: Selection;
  /** Selects all that match; undefined where that is not possible. */
  onSelectAll: (() => void) | undefined;
  /** How many match, as it is shown. */
  total: string;
  onClear: () => void;
}

/** What may be done to many contacts. It is done by a job, whose progress is shown. */
export function BulkBar({ selection, onSelectAll, total, onClear }: BulkBarProps) {
  const { t, formatNumber } = useTranslator();
  const cache = useQueryClient();
  const canErase = useScope('contacts:delete');
  const [opened, setOpened] = useState<Action['type']>();
  const [job, setJob] = useState<StartedJob>();
  const count = 'ids' in selection ? selection.ids.length : selection.total;
  const close = (): void => setOpened(undefined);
  const start = (started: StartedJob): void => {
    close();
    setJob(started);
  };
  return (
    <>
      <div className={styles.bar} role="toolbar" aria-label={t('contactBulk.title')}>
        <span className={styles.count} role="status">
          {'ids' in selection
            ? t('contactBulk.selected', { count })
            : t('contactBulk.allSelected', { total })}
        </span>
        {onSelectAll && (
          <Button look="quiet" onClick={onSelectAll}>
            {t('contactBulk.selectAll', { total })}
          </Button>
        )}
        <span className={styles.space} />
        {TYPES.filter((type) => type !== 'delete' || canErase).map((type) => (
          <Button
            key={type}
            look={type === 'delete' ? 'danger' : 'normal'}
            disabled={count === 0}
            onClick={() => setOpened(type)}
          >
            {t(`contactBulk.${type}`)}
          </Button>
        ))}
        <Button look="quiet" icon="close" onClick={onClear}>
          {t('contactBulk.clear')}
        </Button>
      </div>
      {(opened === 'add_label' || opened === 'remove_label') && (
        <LabelDialog type={opened} selection={selection} onClose={close} onStart={start} />
      )}
      {opened === 'set_attributes' && (
        <AttributeDialog selection={selection} onClose={close} onStart={start} />
      )}
      {opened === 'delete' && (
        <EraseDialog count={formatNumber(count)} selection={selection} onClose={close} onStart={start} />
      )}
      {job && (
        <JobDialog
          title={t(`contactBulk.${job.action?.type as (typeof TYPES)[number]}`)}
          jobId={job.jobId}
          onEnd={() => void cache.invalidateQueries({ queryKey: CONTACTS_KEY })}
          onClose={() => {
            setJob(undefined);
            onClear();
          }}
        />
      )}
    </>
  );
}

interface DialogProps {
  selection: Selection;
  onClose: () => void;
  onStart: (job: StartedJob) => void;
}

const useBulk = (selection: Selection, onStart: (job: StartedJob) => void) =>
  useWrite(
    (action: Action) =>
      changeContacts(client, {
        body: { ...('ids' in selection ? { ids: [...selection.ids] } : { query: selection.query }), action },
      }),
    { showsError: true, onSuccess: onStart },
  );

interface LabelDialogProps extends DialogProps {
  type: 'add_label' | 'remove_label';
}

function LabelDialog({ type, selection, onClose, onStart }: LabelDialogProps) {
  const t = useText();
  const labels = useAll(['labels'], searchLabels).data ?? [];
  const [labelId, setLabelId] = useState('');
  const [starts, setStarts] = useState(false);
  const change = useBulk(selection, onStart);
  return (
    <FormDialog
      title={t(`contactBulk.${type}`)}
      submit={t(`contactBulk.${type}`)}
      onSubmit={() => change.mutate({ type, labelId, ...(starts ? { triggerAutomations: true } : {}) })}
      onClose={onClose}
      isBusy={change.isPending}
      error={change.error}
      fields={['labelId']}
      isDisabled={labelId === ''}
    >
      {labels.length === 0 ? (
        <p>{t('contactBulk.noLabels')}</p>
      ) : (
        <SelectField
          label={t('contactBulk.label')}
          value={labelId}
          options={[
            { value: '', label: t('contactBulk.chooseLabel') },
            ...labels.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={setLabelId}
          error={issueOf(change.error, 'labelId')}
        />
      )}
      {type === 'add_label' && <LabelAutomations starts={starts} onChange={setStarts} />}
    </FormDialog>
  );
}

function AttributeDialog({ selection, onClose, onStart }: DialogProps) {
  const t = useText();
  const attributes = useAttributes();
  const [chosenId, setChosenId] = useState<string>();
  const [value, setValue] = useState('');
  const change = useBulk(selection, onStart);
  const all = attributes.data ?? [];
  const attribute = all.find(({ id }) => id === chosenId) ?? all[0];
  return (
    <FormDialog
      title={t('contactBulk.set_attributes')}
      submit={t(value.trim() === '' ? 'contactBulk.removeValue' : 'contactBulk.set_attributes')}
      onSubmit={() =>
        attribute &&
        change.mutate({
          type: 'set_attributes',
          attributes: [{ id: attribute.id, value: value.trim() || null }],
        })
      }
      onClose={onClose}
      isBusy={change.isPending}
      error={change.error}
      fields={['value']}
      isDisabled={!attribute}
    >
      {attribute ? (
        <>
          <SelectField
            label={t('contactBulk.attribute')}
            value={attribute.id}
            options={all.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => {
              setChosenId(id);
              setValue('');
            }}
          />
          <AttributeField
            key={attribute.id}
            attribute={attribute}
            value={value}
            error={issueOf(change.error, 'value')}
            onChange={setValue}
          />
          <p className={styles.muted}>{t('contactBulk.emptyRemoves')}</p>
        </>
      ) : (
        <p>{t('contactBulk.noAttributes')}</p>
      )}
    </FormDialog>
  );
}

function EraseDialog({ count, selection, onClose, onStart }: DialogProps & { count: string }) {
  const t = useText();
  const erase = useBulk(selection, onStart);
  return (
    <ConfirmDialog
      title={t('contactBulk.eraseTitle', { count })}
      text={t('contactBulk.eraseText', { count })}
      action={t('contactBulk.delete')}
      typed={count}
      write={{ ...erase, mutate: () => erase.mutate({ type: 'delete' }) }}
      onClose={onClose}
    />
  );
}
