import type { Scalar, Variable } from '../automations/schema.ts';
import { fillVariables } from '../automations/triggers/api.ts';
import { collectIssues, type Issues } from '../base/issues.ts';

export interface GivenVariable {
  name: string;
  value: string;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const parsers: Record<Variable['type'], (text: string) => Scalar | undefined> = {
  string: (text) => text,
  number: (text) => (NUMBER.test(text.trim()) && Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text.trim().toLowerCase()],
};

/** Validates that the texts are values of the declared types. Undeclared variables are allowed. */
export function validateVariables(
  declared: readonly Variable[],
  given: readonly GivenVariable[],
  issues: Issues,
): void {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const names = new Set<string>();
  for (const [index, { name, value }] of given.entries()) {
    const type = types.get(name) ?? 'string';
    if (names.has(name)) issues.add(`variables.${index}.name`, 'custom', `"${name}" is given twice`);
    if (parsers[type](value) === undefined)
      issues.add(
        `variables.${index}.value`,
        'invalid_string',
        `"${name}" must be a ${type}, received ${JSON.stringify(value.slice(0, 60))}`,
      );
    names.add(name);
  }
  const missing = declared.filter(
    ({ name, required, default: preset }) => required && preset === undefined && !names.has(name),
  );
  if (missing.length > 0)
    issues.add(
      'variables',
      'custom',
      `The automation needs ${missing.map(({ name }) => `"${name}"`).join(', ')}`,
    );
}

/** Converts the texts to the declared types and fills in defaults. */
export function readVariables(
  declared: readonly Variable[],
  given: readonly GivenVariable[],
): Record<string, Scalar> {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const parsed = given.map(({ name, value }) => [name, parsers[types.get(name) ?? 'string'](value) ?? value]);
  return fillVariables(declared, Object.fromEntries(parsed), collectIssues());
}
