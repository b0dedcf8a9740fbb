import { validateDefinition } from '../../src/automations/definition/validate.ts';
import type { Definition } from '../../src/automations/schema.ts';
import type { InvalidParams } from '../../src/base/errors.ts';
import { collectIssues } from '../../src/base/issues.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';

const policy = { allow: parseAllowList(''), loopback: false };

export type Step = Definition['steps'][number];

/** A definition with these steps. A step without an id or a type gets one. */
export const definitionOf = (steps: Partial<Step>[], more: Partial<Definition> = {}): Definition => ({
  trigger: { type: 'api' },
  variables: [],
  steps: steps.map((step, index) => ({ id: `s${index}`, type: 'end', ...step }) as Step),
  ...more,
});

/** Validates a definition and returns its issues with the result. */
export function validate(given: Definition, allowed = policy) {
  const issues = collectIssues();
  return { ...validateDefinition(given, allowed, issues), issues: issues.params };
}

export const issuesOf = (steps: Partial<Step>[], more?: Partial<Definition>): InvalidParams =>
  validate(definitionOf(steps, more)).issues;

export const keysOf = (issues: InvalidParams): Record<string, string> =>
  Object.fromEntries(Object.entries(issues).map(([path, { key }]) => [path, key]));

export const step = (type: Step['type'], parameters?: unknown): Partial<Step> =>
  ({ type, ...(parameters === undefined ? {} : { parameters }) }) as Partial<Step>;

export const trigger = (type: string, parameters?: unknown): Partial<Definition> =>
  ({ trigger: { type, ...(parameters === undefined ? {} : { parameters }) } }) as Partial<Definition>;
