import type { FlowDefinition } from '../../flow/definition.ts';
import { stepTypes, triggerTypes } from '../../flow/kinds.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isOptionalObject = (value: unknown): boolean => value === undefined || isObject(value);
const isTyped = (value: unknown, types: readonly string[]): value is Record<string, unknown> =>
  isObject(value) && types.some((type) => type === value.type) && isOptionalObject(value.parameters);

const MAX_STEPS = 1_000;

/** Whether the picture can show it. Whether it is right, the API says. */
export const isFlowDefinition = (value: unknown): value is FlowDefinition =>
  isObject(value) &&
  isTyped(value.trigger, triggerTypes) &&
  Array.isArray(value.variables) &&
  value.variables.every((one) => isObject(one) && typeof one.name === 'string') &&
  Array.isArray(value.steps) &&
  value.steps.length > 0 &&
  value.steps.length <= MAX_STEPS &&
  value.steps.every(
    (step) =>
      isTyped(step, stepTypes) &&
      typeof step.id === 'string' &&
      (step.next === undefined || typeof step.next === 'string'),
  );

/** A definition as somebody reads and writes it. */
export const writeJson = ({ purpose, trigger, variables, steps }: FlowDefinition): string =>
  JSON.stringify({ ...(purpose === undefined ? {} : { purpose }), trigger, variables, steps }, null, 2);

/** Reads what somebody wrote. `isJson` is false if it is not even that. */
export function readJson(text: string): { definition?: FlowDefinition; isJson: boolean } {
  try {
    const value: unknown = JSON.parse(text);
    const whole = isObject(value) ? { ...value, variables: value.variables ?? [] } : value;
    return isFlowDefinition(whole) ? { definition: whole, isJson: true } : { isJson: true };
  } catch {
    return { isJson: false };
  }
}
