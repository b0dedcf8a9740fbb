import type { Automation } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ChangeList } from './change-list.tsx';
import { storeAutomation } from './data.ts';
import type { DraftState } from './draft.ts';
import { definitionOf } from './steps.ts';

interface ConflictDialogProps {
  /** As somebody else has saved it. */
  theirs: Automation;
  draft: DraftState;
  onSave: () => void;
  onClose: () => void;
}

/** Two people edit at once. Each version is kept, whatever is chosen. */
export function ConflictDialog({ theirs, draft, onSave, onClose }: ConflictDialogProps) {
  const t = useText();
  const cache = useQueryClient();
  return (
    <Dialog
      title={t('automations.conflict')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            onClick={() => {
              draft.takeSaved(theirs);
              storeAutomation(cache, theirs);
              onClose();
            }}
          >
            {t('automations.takeTheirs')}
          </Button>
          <Button look="primary" onClick={onSave}>
            {t('automations.saveMine')}
          </Button>
        </>
      }
    >
      <p>{t('automations.conflictText', { number: theirs.latestVersion.number })}</p>
      <ChangeList
        title={t('automations.conflictChanges')}
        before={definitionOf(theirs.latestVersion)}
        after={draft.draft.definition}
      />
    </Dialog>
  );
}
