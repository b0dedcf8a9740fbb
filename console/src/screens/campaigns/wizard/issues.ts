import { ParleyError } from '@parley/sdk';
import { translateNow } from '../../../i18n/translate-now.ts';

export const STEPS = ['whom', 'what', 'when', 'check'] as const;
export type Step = (typeof STEPS)[number];

/** The step in which each field stands. */
const STEP_OF: Readonly<Record<string, Step>> = {
  name: 'whom',
  audience: 'whom',
  segmentId: 'whom',
  purpose: 'whom',
  channelId: 'what',
  message: 'what',
  automationId: 'what',
  variables: 'what',
  messageTemplateId: 'what',
  templateHeader: 'what',
  scheduledAt: 'when',
  recurrenceRules: 'when',
  timezone: 'when',
  closeChats: 'when',
};

/** The step in which a field, or a part of one, is entered. */
export const stepOf = (parameter: string): Step => STEP_OF[parameter.split('.', 1)[0] as string] ?? 'what';

export interface StepIssue {
  step: Step;
  parameter: string;
  message: string;
}

/** What an answer says is wrong, with the step where it is changed. */
export const stepIssues = (error: unknown): StepIssue[] =>
  error instanceof ParleyError
    ? error.issues.map(({ parameter, message }) => ({
        parameter,
        message: translateNow(message),
        step: stepOf(parameter),
      }))
    : [];

/** The issue of exactly one field. */
export const issueAt = (error: unknown, parameter: string): string | undefined =>
  stepIssues(error).find((issue) => issue.parameter === parameter)?.message;
