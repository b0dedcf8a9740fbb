import {
  type FlowDefinition,
  type FlowStep,
  type FlowTrigger,
  type Outlet,
  outletsOf,
  type Variable,
} from '../../flow/definition.ts';
import { purposeOf } from './steps.ts';

/** A value that is different. The path is that in the parameters, such as `cases.0.when`. */
export interface FieldChange {
  path: readonly string[];
  from: unknown;
  to: unknown;
}

export type Change =
  | { what: 'purpose'; from: string; to: string }
  | { what: 'trigger'; from: FlowTrigger; to: FlowTrigger; fields: readonly FieldChange[] }
  | { what: 'variable'; from: Variable | undefined; to: Variable | undefined }
  | {
      what: 'step';
      from: FlowStep | undefined;
      to: FlowStep | undefined;
      fields: readonly FieldChange[];
      /** Ways out that lead to another step now; undefined is the end. */
      ways: readonly { outlet: Outlet; from: string | undefined; to: string | undefined }[];
    };

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Every value that is different, however deep. */
function compareValues(from: unknown, to: unknown, path: readonly string[]): FieldChange[] {
  if (from === to) return [];
  if (!isParent(from) || !isParent(to)) return [{ path, from, to }];
  const before = from as Readonly<Record<string, unknown>>;
  const after = to as Readonly<Record<string, unknown>>;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    compareValues(before[key], after[key], [...path, key]),
  );
}

/** Where steps lead is compared as such, because a step also leads somewhere else when others come between. */
const isWay = ({ path }: FieldChange): boolean =>
  path[0] === 'else' || path[0] === 'onTimeout' || (path[0] === 'cases' && path[2] === 'next');

function compareSteps(before: FlowDefinition, after: FlowDefinition): Change[] {
  const indexOf = (steps: readonly FlowStep[]): Map<string, number> =>
    new Map(steps.map(({ id }, index) => [id, index]));
  const [olds, news] = [indexOf(before.steps), indexOf(after.steps)];
  const waysOf = ({ steps }: FlowDefinition, index: number) =>
    new Map(outletsOf(steps, index).map(({ outlet, to }) => [outlet, to]));
  const kept = after.steps.flatMap((to, index): Change[] => {
    const old = olds.get(to.id);
    const from = old === undefined ? undefined : before.steps[old];
    if (old === undefined || !from) return [{ what: 'step', from: undefined, to, fields: [], ways: [] }];
    const fields = compareValues(
      { ...from.parameters, type: from.type },
      { ...to.parameters, type: to.type },
      [],
    ).filter((change) => !isWay(change));
    const [oldWays, newWays] = [waysOf(before, old), waysOf(after, index)];
    const ways = [...newWays].flatMap(([outlet, target]) =>
      oldWays.has(outlet) && oldWays.get(outlet) !== target
        ? [{ outlet, from: oldWays.get(outlet), to: target }]
        : [],
    );
    return fields.length > 0 || ways.length > 0 ? [{ what: 'step', from, to, fields, ways }] : [];
  });
  const removed = before.steps
    .filter(({ id }) => !news.has(id))
    .map((from): Change => ({ what: 'step', from, to: undefined, fields: [], ways: [] }));
  return [...kept, ...removed];
}

function compareVariables(before: FlowDefinition, after: FlowDefinition): Change[] {
  const names = new Set([...before.variables, ...after.variables].map(({ name }) => name));
  return [...names].flatMap((name): Change[] => {
    const from = before.variables.find((one) => one.name === name);
    const to = after.variables.find((one) => one.name === name);
    return compareValues(from, to, []).length > 0 ? [{ what: 'variable', from, to }] : [];
  });
}

/** What is different in another definition, in the order of its steps. The order of keys makes no difference. */
export function compareDefinitions(before: FlowDefinition, after: FlowDefinition): readonly Change[] {
  const [from, to] = [purposeOf(before), purposeOf(after)];
  const fields = compareValues(
    { ...before.trigger.parameters, type: before.trigger.type },
    { ...after.trigger.parameters, type: after.trigger.type },
    [],
  );
  return [
    ...(from === to ? [] : [{ what: 'purpose' as const, from, to }]),
    ...(fields.length > 0
      ? [{ what: 'trigger' as const, from: before.trigger, to: after.trigger, fields }]
      : []),
    ...compareVariables(before, after),
    ...compareSteps(before, after),
  ];
}

const coreOf = (definition: FlowDefinition): object => ({
  purpose: purposeOf(definition),
  trigger: { ...definition.trigger, parameters: definition.trigger.parameters ?? {} },
  variables: definition.variables,
  steps: definition.steps.map((step) => ({ ...step, parameters: step.parameters ?? {} })),
});

/** Whether two definitions would be stored as the same version. */
export const isSameDefinition = (one: FlowDefinition, other: FlowDefinition): boolean =>
  compareValues(coreOf(one), coreOf(other), []).length === 0;
