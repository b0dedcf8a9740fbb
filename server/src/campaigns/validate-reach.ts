import type { Automation } from '../automations/schema.ts';
import type { Issues } from '../base/issues.ts';
import type { Channel } from '../channels/schema.ts';
import { findOwnersWith, keyOf } from '../contacts/handles/owners.ts';
import { validateHandle } from '../contacts/handles/validate.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { NewCampaign } from './schema.ts';

/**
 * Adds issues for a broadcast that can never run. Version 2 cannot add contacts later, calls an automation a workflow, and its contacts
 * have no Instagram handle of their own.
 */
export async function validateReach(
  tx: TenantTx,
  {
    contacts = [],
    isScheduled,
    scheduledAt,
    messageTemplateId,
  }: Pick<NewCampaign, 'contacts' | 'isScheduled' | 'scheduledAt' | 'messageTemplateId'>,
  { kind }: Channel,
  automation: Automation | undefined,
  issues: Issues,
): Promise<void> {
  if (
    messageTemplateId !== undefined &&
    automation?.activeVersion?.steps.every(({ type }) => type !== 'send_template')
  )
    issues.add('messageTemplateId', 'custom', 'The workflow has no step `send_template` that would send it');
  const isPlanned = (isScheduled || scheduledAt !== undefined) && !issues.has('scheduledAt');
  if (contacts.length === 0 && isPlanned)
    issues.add('contacts', 'too_small', 'A scheduled broadcast needs at least one contact');
  if (kind !== 'instagram') return;
  const handles = contacts.map(({ phoneNumber, email }) =>
    (['phone_number', 'email'] as const).flatMap((type) => {
      const { value } = validateHandle(type, (type === 'email' ? email : phoneNumber) ?? '');
      return value === undefined ? [] : [{ type, value }];
    }),
  );
  const reachable = await findOwnersWith(tx, handles.flat(), 'instagram_id');
  for (const [index, own] of handles.entries())
    if (!own.some((handle) => reachable.has(keyOf(handle))))
      issues.add(
        `contacts.${index}`,
        'custom',
        'Has no Instagram handle: only people who wrote there can be reached',
      );
}
