import { type Automation, publishAutomation } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Warning } from '../../ui/notices.tsx';
import { ChangeList } from './change-list.tsx';
import { SavedMeanwhile, saveDraft, storeAutomation } from './data.ts';
import styles from './dialogs.module.css';
import type { DraftState } from './draft.ts';
import { useIssues } from './issues.ts';
import { definitionOf } from './steps.ts';

interface PublishDialogProps {
  automation: Automation;
  draft: DraftState;
  onConflict: (error: unknown) => void;
  onClose: () => void;
}

/** Which version it becomes, what will be different for new runs, and what is still wrong. Publishing saves first. */
export function PublishDialog({ automation, draft, onConflict, onClose }: PublishDialogProps) {
  const translator = useTranslator();
  const { t } = translator;
  const cache = useQueryClient();
  /** What the person looks at. What a colleague saves meanwhile is not published unseen. */
  const [seen] = useState(draft);
  /** On which version it is saved: after a first attempt, on what that has saved. */
  const base = useRef(seen.baseId);
  const [seenNumber] = useState(automation.latestVersion.number);
  const { definition } = seen.draft;
  const issues = useIssues(definition, true, translator);
  const errors = issues?.filter(({ isWarning }) => !isWarning) ?? [];
  const warnings = issues?.filter(({ isWarning }) => isWarning) ?? [];
  const publish = useWrite(
    async () => {
      // Without changes it makes no version, but is refused if somebody else has.
      const saved = await saveDraft(automation.id, seen.changes, base.current);
      base.current = saved.latestVersionId;
      draft.markSaved(saved);
      storeAutomation(cache, saved);
      return publishAutomation(client, {
        path: { automationId: automation.id },
        body: { versionId: saved.latestVersionId },
      });
    },
    {
      done: 'automations.publishedDone',
      showsError: true,
      onSuccess: (published) => {
        storeAutomation(cache, published);
        onClose();
      },
    },
  );
  const submit = (): void =>
    publish.mutate(undefined, {
      onError: (error) => {
        if (!(error instanceof SavedMeanwhile)) return;
        onClose();
        onConflict(error);
      },
    });
  return (
    <FormDialog
      title={t('automations.publishTitle', { name: seen.draft.name })}
      submit={t('automations.publish')}
      onSubmit={submit}
      onClose={onClose}
      isBusy={publish.isPending}
      error={publish.error}
      isDisabled={errors.length > 0}
    >
      <p>
        {seen.isDirty
          ? t('automations.publishUnsaved')
          : t('automations.publishVersion', { number: seenNumber })}{' '}
        {t('automations.publishText')}
      </p>
      {errors.length > 0 && (
        <ul className={styles.errors} role="alert">
          {errors.map(({ path, message }) => (
            <li key={path}>{`${path}: ${message}`}</li>
          ))}
        </ul>
      )}
      {warnings.map(({ path, message }) => (
        <Warning key={path + message}>{`${path}: ${message}`}</Warning>
      ))}
      {automation.activeVersion ? (
        <ChangeList
          title={t('automations.changesSince', { number: automation.activeVersion.number })}
          before={definitionOf(automation.activeVersion)}
          after={definition}
        />
      ) : (
        <p className={styles.muted}>{t('automations.firstVersion')}</p>
      )}
    </FormDialog>
  );
}
