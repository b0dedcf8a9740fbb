import { createAutomation } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { AUTOMATIONS_KEY } from './data.ts';
import styles from './dialogs.module.css';
import { storeDraft, useDraftKey } from './draft.ts';
import { type TemplateName, templateNames, templateOf } from './templates.ts';

/** A new automation: empty, or from a template whose labels, team and channel are chosen afterwards. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const group = useId();
  const keyOf = useDraftKey();
  const [template, setTemplate] = useState<TemplateName>('empty');
  const [name, setName] = useState('');
  const given = name.trim() || t(`automations.template.${template}`);
  const create = useWrite(
    // The API takes complete definitions only. What is still to be chosen in a template is edited as a draft.
    () =>
      createAutomation(client, {
        body: { name: given, trigger: { type: 'message_received' }, steps: [{ id: 'done', type: 'end' }] },
      }),
    {
      invalidates: [[...AUTOMATIONS_KEY, 'all']],
      showsError: true,
      onSuccess: ({ id, latestVersionId }) => {
        const definition = templateOf(template, t);
        if (definition) storeDraft(keyOf(id), { name: given, definition, baseId: latestVersionId });
        void navigate({ to: `/automations/${id}` });
      },
    },
  );
  return (
    <FormDialog
      title={t('automations.new')}
      submit={t('automations.create')}
      onSubmit={() => create.mutate()}
      onClose={onClose}
      isBusy={create.isPending}
      error={create.error}
      fields={['name']}
    >
      <TextField
        label={t('automations.name')}
        value={name}
        onChange={({ target }) => setName(target.value)}
        placeholder={t(`automations.template.${template}`)}
        maxLength={200}
        autoComplete="off"
        error={issueOf(create.error, 'name')}
        autoFocus
      />
      <fieldset className={styles.templates}>
        <legend>{t('automations.beginWith')}</legend>
        {templateNames.map((one) => (
          <label key={one} className={styles.template}>
            <input type="radio" name={group} checked={template === one} onChange={() => setTemplate(one)} />
            <span className={styles.kindText}>
              <span>{t(`automations.template.${one}`)}</span>
              <span className={styles.muted}>{t(`automations.templateHelp.${one}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
