import type { TemplateStatus } from '../adapter.ts';
import { type Part, partOf, textOf } from '../meta/payload.ts';

/** Meta has more words than we have states: one that is flagged, for example, can be sent as before. */
const byVendor: Record<string, TemplateStatus> = {
  APPROVED: 'approved',
  REINSTATED: 'approved',
  UNARCHIVED: 'approved',
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  REJECTED: 'rejected',
  PAUSED: 'paused',
  DISABLED: 'disabled',
  LIMIT_EXCEEDED: 'disabled',
  ARCHIVED: 'disabled',
};

export const templateStatusOf = (told: unknown): TemplateStatus | undefined =>
  typeof told === 'string' && Object.hasOwn(byVendor, told) ? byVendor[told] : undefined;

/** Why, in as many words as there are: a code, and a sentence where Meta wrote one. */
export function reasonOf(told: Part): string | null {
  const reason = textOf(told.reason ?? told.rejected_reason);
  const code = reason === 'NONE' ? null : reason;
  const sentence = textOf(partOf(told.rejection_info).reason) ?? textOf(partOf(told.other_info).description);
  return [code, sentence].filter((part) => part !== null).join(': ') || null;
}
