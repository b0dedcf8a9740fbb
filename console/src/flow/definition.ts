import type { AutomationVersion, Step, Trigger } from '@parley/sdk';

export type StepType = Step['type'];
export type TriggerType = Trigger['type'];
export type Variable = AutomationVersion['variables'][number];
export type Parameters = Readonly<Record<string, unknown>>;

/** A step while it is edited: its parameters may still be incomplete, so they have no type. */
export interface FlowStep {
  id: string;
  type: StepType;
  parameters?: Parameters;
  next?: string;
}

export interface FlowTrigger {
  type: TriggerType;
  parameters?: Parameters;
}

/** A definition while it is edited. Every version of the API is one. */
export interface FlowDefinition {
  purpose?: AutomationVersion['purpose'];
  trigger: FlowTrigger;
  variables: readonly Variable[];
  steps: readonly FlowStep[];
}

/** A way out of a step. `case:0` is the first case of a branch; `next` of `wait_for_reply` is a reply. */
export type Outlet = 'next' | 'else' | 'timeout' | `case:${number}`;

export interface BranchCase {
  when: string;
  next: string;
}

/** The cases of a branch, whatever somebody has written into its JSON. */
export const casesOf = ({ parameters }: FlowStep): readonly BranchCase[] =>
  Array.isArray(parameters?.cases)
    ? parameters.cases.map((one) => {
        const { when, next } = (one ?? {}) as Partial<Record<string, unknown>>;
        return { when: String(when ?? ''), next: String(next ?? '') };
      })
    : [];

const textOr = (value: unknown, other: string | undefined): string | undefined =>
  typeof value === 'string' ? value : other;

/** Where each way out of a step leads; undefined is the end of the run. */
export function outletsOf(
  steps: readonly FlowStep[],
  index: number,
): readonly { outlet: Outlet; to: string | undefined }[] {
  const step = steps[index] as FlowStep;
  const following = step.next ?? steps[index + 1]?.id;
  switch (step.type) {
    case 'end':
      return [];
    case 'branch':
      return [
        ...casesOf(step).map(({ next }, position) => ({ outlet: `case:${position}` as const, to: next })),
        { outlet: 'else', to: textOr(step.parameters?.else, following) },
      ];
    case 'wait_for_reply':
      return [
        { outlet: 'next', to: following },
        { outlet: 'timeout', to: textOr(step.parameters?.onTimeout, following) },
      ];
    default:
      return [{ outlet: 'next', to: following }];
  }
}
