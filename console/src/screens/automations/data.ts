import { type Automation, getAutomation, type Step, type Trigger, updateAutomation } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { client, queryClient, useRead } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import type { FlowDefinition } from '../../flow/definition.ts';
import type { Changes } from './draft-history.ts';
import { purposeOf } from './steps.ts';

export const AUTOMATIONS_KEY = ['automations'];
const automationKey = (automationId: string): readonly string[] => [...AUTOMATIONS_KEY, 'one', automationId];
export const versionsKey = (automationId: string): readonly string[] => [
  ...AUTOMATIONS_KEY,
  'versions',
  automationId,
];

/** As the API takes it. It may be wrong: the API says so. */
export const bodyOf = ({ purpose, trigger, variables, steps }: FlowDefinition) => ({
  ...(purpose === undefined ? {} : { purpose }),
  trigger: trigger as Trigger,
  variables: [...variables],
  steps: steps as Step[],
});

/**
 * An automation as it is now: no event says that a colleague has saved, so it is read whenever it is opened. An answer may be older
 * than what was stored since the question was sent.
 */
export const useAutomation = (automationId: string) =>
  useRead(
    automationKey(automationId),
    async (signal) => {
      const read = await getAutomation(client, { path: { automationId }, signal });
      const known = queryClient.getQueryData<Automation>(automationKey(automationId));
      return known && known.updatedAt > read.updatedAt ? known : read;
    },
    { freshMs: 0 },
  );

/** Shows an automation as it is now, wherever it is shown. */
export function storeAutomation(cache: QueryClient, automation: Automation): void {
  cache.setQueryData(automationKey(automation.id), automation);
  cache.setQueryData<readonly Automation[]>([...AUTOMATIONS_KEY, 'all'], (all) =>
    all?.map((one) => (one.id === automation.id ? automation : one)),
  );
  void cache.invalidateQueries({ queryKey: versionsKey(automation.id) });
}

/** Thrown instead of saving: somebody else has saved since the draft was begun. */
export class SavedMeanwhile extends Error {
  readonly automation: Automation;
  constructor(automation: Automation) {
    super('saved meanwhile');
    this.automation = automation;
  }
}

/** Saves a draft that was begun on a version: nobody should publish without having seen what somebody else has done. */
export async function saveDraft(
  automationId: string,
  { definition, ...named }: Changes,
  baseVersionId: string,
): Promise<Automation> {
  const path = { automationId };
  const current = await getAutomation(client, { path });
  // The purpose is sent only if it is to change: one that was never chosen follows the trigger.
  const purpose = purposeOf(definition);
  const body = { ...bodyOf(definition), ...(purpose === current.latestVersion.purpose ? {} : { purpose }) };
  try {
    return await updateAutomation(client, { path, body: { ...named, ...body, baseVersionId } });
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
    throw new SavedMeanwhile(await getAutomation(client, { path }));
  }
}
