import type { Automation } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWrite } from '../../api/api.ts';
import { useShowError } from '../../ui/toast.tsx';
import { SavedMeanwhile, saveDraft, storeAutomation } from './data.ts';
import type { DraftState } from './draft.ts';

/** Saves the draft. If somebody else has saved meanwhile, nothing is saved, and the person decides. */
export function useSave(automation: Automation, draft: DraftState) {
  const cache = useQueryClient();
  const showError = useShowError();
  const [conflict, setConflict] = useState<Automation>();
  const showConflict = (error: unknown): void => {
    if (error instanceof SavedMeanwhile) setConflict(error.automation);
    else showError(error);
  };
  const save = useWrite(
    (baseId: string | undefined) => saveDraft(automation.id, draft.changes, baseId ?? draft.baseId),
    {
      done: 'automations.saved',
      showsError: true,
      onSuccess: (stored) => {
        draft.markSaved(stored);
        storeAutomation(cache, stored);
        setConflict(undefined);
      },
    },
  );
  const run = (baseId?: string): void => save.mutate(baseId, { onError: showConflict });
  return {
    save: {
      isPending: save.isPending,
      mutate: () => run(),
      /** On top of what somebody else has saved, which stays among the versions. */
      overwrite: () => run(conflict?.latestVersionId),
      showConflict,
    },
    conflict,
    endConflict: () => setConflict(undefined),
  };
}
