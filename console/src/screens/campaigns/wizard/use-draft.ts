import { type CampaignWithCounts, updateCampaign } from '@parley/sdk';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client, queryClient } from '../../../api/api.ts';
import { statusOf } from '../../../api/errors.ts';
import { addUnsavedCheck } from '../../../app/leave-page.ts';
import { findCampaign, storeCampaign } from '../data.ts';
import { createSaver, findConflicts, isEmpty, type Saver } from './saver.ts';

/** By campaign: what could not be stored is still there when somebody comes back. */
const savers = new Map<string, Saver>();
/** What is still being stored, or was refused, would be lost with the page. A campaign that has started takes no more changes. */
addUnsavedCheck(() =>
  [...savers].some(([id, saver]) => {
    const { status = 'draft' } = findCampaign(queryClient, id) ?? {};
    return saver.hasChanges() && (status === 'draft' || status === 'scheduled');
  }),
);

/** Of a campaign that is deleted nothing can be lost. */
export const forgetDraft = (campaignId: string): void => void savers.delete(campaignId);

function saverOf(campaignId: string, cache: QueryClient): Saver {
  const saver =
    savers.get(campaignId) ??
    createSaver({
      readStored: () => ({ ...findCampaign(cache, campaignId) }),
      async send(body) {
        try {
          storeCampaign(cache, await updateCampaign(client, { path: { campaignId }, body }));
        } catch (error) {
          if (statusOf(error) === 404) forgetDraft(campaignId);
          throw error;
        }
      },
    });
  savers.set(campaignId, saver);
  return saver;
}

export interface Draft extends Pick<Saver, 'change' | 'flush' | 'resolve'> {
  /** The campaign with everything that was typed. */
  campaign: CampaignWithCounts;
  /** The fields that were typed here while somebody else has changed them. */
  conflicts: readonly string[];
  isSaving: boolean;
  isSaved: boolean;
  error: unknown;
}

export function useDraft(stored: CampaignWithCounts): Draft {
  const saver = saverOf(stored.id, useQueryClient());
  const { changes, bases, isSaving, error } = saver.use();
  useEffect(() => () => void saver.flush(), [saver]);
  const typed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  // A message replaces an automation, and the other way round.
  const replaced = {
    ...(changes.message === undefined ? {} : { automationId: null }),
    ...(changes.automationId === undefined ? {} : { message: null }),
  };
  const { change, flush, resolve } = saver;
  return {
    campaign: { ...stored, ...replaced, ...typed } as CampaignWithCounts,
    change,
    flush,
    resolve,
    // The event about what is being stored may come before the answer.
    conflicts: isSaving ? [] : findConflicts({ ...stored }, { changes, bases }),
    isSaving,
    isSaved: isEmpty(changes),
    error,
  };
}
