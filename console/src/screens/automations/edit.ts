import {
  casesOf,
  type FlowDefinition,
  type FlowStep,
  type Outlet,
  outletsOf,
} from '../../flow/definition.ts';
import { type InsertPoint, TRIGGER_ID } from '../../flow/graph.ts';
import { initialParameters, stepIdBase } from './steps.ts';

/** Where every way out of every step leads; undefined is the end of the run. */
type Targets = Map<string, Map<Outlet, string | undefined>>;

const readTargets = (steps: readonly FlowStep[]): Targets =>
  new Map(
    steps.map((step, index) => [
      step.id,
      new Map(outletsOf(steps, index).map(({ outlet, to }) => [outlet, to])),
    ]),
  );

/** An id that no step has yet: `message`, `message_2` and so on. */
function uniqueId(steps: readonly FlowStep[], base: string): string {
  const used = new Set(steps.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}_${number}`;
    if (!used.has(id)) return id;
  }
}

const without = (value: object, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

/** Writes one way out of a step. What it leads to by itself is not written. */
function withTarget(
  step: FlowStep,
  outlet: Outlet,
  to: string | undefined,
  following: string | undefined,
): FlowStep {
  const { next, ...rest } = step;
  const parameters = step.parameters ?? {};
  if (outlet === 'next') return to === following || to === undefined ? rest : { ...rest, next: to };
  if (outlet === 'timeout') {
    const isDefault = to === (next ?? following);
    const others = without(parameters, 'onTimeout');
    return { ...step, parameters: isDefault ? others : { ...others, onTimeout: to } };
  }
  if (outlet === 'else') {
    const others = without(parameters, 'else');
    return to === following || to === undefined
      ? { ...rest, parameters: others }
      : { ...step, parameters: { ...others, else: to } };
  }
  const position = Number(outlet.slice('case:'.length));
  const cases = casesOf(step).map((one, index) => (index === position ? { ...one, next: to ?? '' } : one));
  return { ...step, parameters: { ...parameters, cases } };
}

/** Only the last step can end a run without a step that says so. */
function needsEnd(steps: readonly FlowStep[], targets: Targets): boolean {
  return steps.some(({ id }, index) => {
    const ways = targets.get(id);
    return [...(ways ?? [])].some(
      ([outlet, to]) =>
        to === undefined &&
        (index < steps.length - 1 ||
          outlet.startsWith('case:') ||
          (outlet === 'timeout' && ways?.get('next') !== undefined)),
    );
  });
}

/** The steps in this order, leading where `targets` says. Steps that already do so stay as somebody has written them. */
function writeSteps(given: readonly FlowStep[], targets: Targets): FlowStep[] {
  let steps = [...given];
  if (needsEnd(steps, targets)) {
    let end = steps.find(({ type }) => type === 'end')?.id;
    if (end === undefined) {
      end = uniqueId(steps, 'end');
      steps = [...steps, { id: end, type: 'end', parameters: {} }];
    }
    for (const ways of targets.values())
      for (const [outlet, to] of ways) if (to === undefined) ways.set(outlet, end);
  }
  return steps.map((step, index) => {
    const ways = targets.get(step.id);
    let written = step;
    for (const [outlet, to] of ways ?? []) {
      const around = [...steps.slice(0, index), written, ...steps.slice(index + 1)];
      const now = outletsOf(around, index).find((one) => one.outlet === outlet)?.to;
      if (now !== to) written = withTarget(written, outlet, to, steps[index + 1]?.id);
    }
    return written;
  });
}

/** Puts a step on the way out of another one. It leads to where that way led. */
export function insertStep(
  definition: FlowDefinition,
  { from, outlet }: InsertPoint,
  type: FlowStep['type'],
): { definition: FlowDefinition; stepId: string } {
  const { steps } = definition;
  const targets = readTargets(steps);
  const fromIndex = steps.findIndex(({ id }) => id === from);
  const to = from === TRIGGER_ID ? steps[0]?.id : targets.get(from)?.get(outlet);
  const toIndex = steps.findIndex(({ id }) => id === to);
  const step: FlowStep = {
    id: uniqueId(steps, stepIdBase[type]),
    type,
    parameters: initialParameters(type, to ?? ''),
  };
  // Before what follows, unless that comes earlier: so the steps stay in the order in which they are read.
  const position = toIndex > fromIndex ? toIndex : fromIndex + 1;
  const order = [...steps.slice(0, position), step, ...steps.slice(position)];
  targets.set(step.id, new Map(outletsOf([step], 0).map((one) => [one.outlet, to])));
  targets.get(from)?.set(outlet, step.id);
  return { definition: { ...definition, steps: writeSteps(order, targets) }, stepId: step.id };
}

/** Removes a step. What led to it leads to what came after it. */
export function removeStep(definition: FlowDefinition, stepId: string): FlowDefinition {
  const { steps } = definition;
  const targets = readTargets(steps);
  const ways = targets.get(stepId);
  const after = ways?.get('next') ?? ways?.get('else');
  const to = after === stepId ? undefined : after;
  targets.delete(stepId);
  for (const others of targets.values())
    for (const [outlet, target] of others) if (target === stepId) others.set(outlet, to);
  const rest = steps.filter(({ id }) => id !== stepId);
  const isFirst = steps[0]?.id === stepId;
  // A run starts with the first step.
  const first = isFirst ? rest.filter(({ id }) => id === to) : [];
  const order = [...first, ...rest.filter((step) => !first.includes(step))];
  const kept: FlowStep[] = order.length > 0 ? order : [{ id: 'end', type: 'end', parameters: {} }];
  return { ...definition, steps: writeSteps(kept, targets) };
}

/** Lets a way out of a step lead somewhere else; undefined is the end of the run. */
export function setTarget(
  definition: FlowDefinition,
  { from, outlet }: InsertPoint,
  to: string | undefined,
): FlowDefinition {
  const targets = readTargets(definition.steps);
  targets.get(from)?.set(outlet, to);
  return { ...definition, steps: writeSteps(definition.steps, targets) };
}

/** Adds a case to a branch. At first it leads to where the others do not. */
export function addCase(definition: FlowDefinition, stepId: string): FlowDefinition {
  const otherwise = readTargets(definition.steps).get(stepId)?.get('else');
  const steps = definition.steps.map((step) => {
    if (step.id !== stepId) return step;
    const cases = [...casesOf(step), { when: '', next: '' }];
    return { ...step, parameters: { ...step.parameters, cases } };
  });
  const step = steps.find(({ id }) => id === stepId);
  const outlet = `case:${step ? casesOf(step).length - 1 : 0}` as const;
  return setTarget({ ...definition, steps }, { from: stepId, outlet }, otherwise);
}

/** Gives a step another id, wherever it is used. */
export function renameStep(definition: FlowDefinition, stepId: string, name: string): FlowDefinition {
  const rename = (id: unknown): unknown => (id === stepId ? name : id);
  const steps = definition.steps.map((step): FlowStep => {
    const { parameters = {}, next } = step;
    const changed = Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => {
        if (step.type === 'branch' && key === 'cases')
          return [key, casesOf(step).map((one) => ({ ...one, next: rename(one.next) }))];
        const isTarget =
          (step.type === 'branch' && key === 'else') ||
          (step.type === 'wait_for_reply' && key === 'onTimeout');
        return [key, isTarget ? rename(value) : value];
      }),
    );
    return {
      ...step,
      id: rename(step.id) as string,
      ...(step.parameters === undefined ? {} : { parameters: changed }),
      ...(next === undefined ? {} : { next: rename(next) as string }),
    };
  });
  return { ...definition, steps };
}

/** Puts another step in the place of one with the same id. */
export const replaceStep = (definition: FlowDefinition, step: FlowStep): FlowDefinition => ({
  ...definition,
  steps: definition.steps.map((one) => (one.id === step.id ? step : one)),
});
