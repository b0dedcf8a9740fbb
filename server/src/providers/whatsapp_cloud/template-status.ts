import { type Part, partOf, textOf } from '../meta/payload.ts';
import type { TemplateStatus } from '../vendor-template.ts';

/** Meta has more statuses than we do: a flagged template, for example, can be sent as before. */
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

export const templateStatusOf = (status: unknown): TemplateStatus | undefined =>
  typeof status === 'string' && Object.hasOwn(byVendor, status) ? byVendor[status] : undefined;

/** The reason: a code, and a sentence if Meta sent one. */
export function reasonOf(template: Part): string | null {
  const reason = textOf(template.reason ?? template.rejected_reason);
  const code = reason === 'NONE' ? null : reason;
  const sentence =
    textOf(partOf(template.rejection_info).reason) ?? textOf(partOf(template.other_info).description);
  return [code, sentence].filter((part) => part !== null).join(': ') || null;
}
