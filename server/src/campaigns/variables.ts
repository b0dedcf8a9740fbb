import type { Scalar, Variable } from '../automations/schema.ts';
import { fillVariables } from '../automations/triggers/api.ts';
import type { InvalidParams } from '../base/errors.ts';

export interface GivenVariable {
  name: string;
  value: string;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const readers: Record<Variable['type'], (text: string) => Scalar | undefined> = {
  string: (text) => text,
  number: (text) => (NUMBER.test(text.trim()) && Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text.trim().toLowerCase()],
};

/** What is wrong with the given texts as values of what the automation declares. What it does not declare is kept. */
export function validateVariables(
  declared: readonly Variable[],
  given: readonly GivenVariable[],
): InvalidParams {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const names = new Set<string>();
  const issues: InvalidParams = {};
  for (const [index, { name, value }] of given.entries()) {
    const type = types.get(name) ?? 'string';
    if (names.has(name))
      issues[`variables.${index}.name`] = { key: 'custom', message: `"${name}" is given twice` };
    if (readers[type](value) === undefined)
      issues[`variables.${index}.value`] = {
        key: 'invalid_string',
        message: `"${name}" must be a ${type}, received ${JSON.stringify(value.slice(0, 60))}`,
      };
    names.add(name);
  }
  const missing = declared.filter(
    ({ name, required, default: preset }) => required && preset === undefined && !names.has(name),
  );
  if (missing.length > 0)
    issues.variables = {
      key: 'custom',
      message: `The automation needs ${missing.map(({ name }) => `"${name}"`).join(', ')}`,
    };
  return issues;
}

/** What runs are given: the texts as values of the declared types, and defaults for those that are not there. */
export function readVariables(
  declared: readonly Variable[],
  given: readonly GivenVariable[],
): { variables: Record<string, Scalar>; issues: InvalidParams } {
  const issues = validateVariables(declared, given);
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const read = given.map(({ name, value }) => [name, readers[types.get(name) ?? 'string'](value) ?? value]);
  const { variables } = fillVariables(declared, Object.fromEntries(read));
  return { variables, issues };
}
