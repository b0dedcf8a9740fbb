import { type Static, type TSchema, Type } from 'typebox';
import { attributesOf } from '../attributes/find-attributes.ts';
import { collectIssues } from '../base/issues.ts';
import type { TenantReader } from '../db/tenant.ts';
import { readTenantHours } from '../hours/tenant-hours.ts';
import { DOCUMENTED, OneOf } from '../http/schema.ts';
import { strictBody, withoutNulls } from '../http/strict-body.ts';
import { compileSchema } from '../http/validation.ts';
import type { SaveDeps } from './automation.ts';
import { findDefinitionIssues } from './definition/validate.ts';
import { findWarnings, warningKeys } from './definition/warnings.ts';
import { Automation, type Definition, NewAutomation } from './schema.ts';

const Checked = Type.Object({
  ...NewAutomation.properties,
  name: Type.Optional(NewAutomation.properties.name),
});

export const CheckBody = Type.Object({
  // Any object: what is wrong with it is the answer, not an error.
  definition: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    [DOCUMENTED]: Checked,
  }),
});

const issueKeys = [
  'invalid_type',
  'invalid_string',
  'invalid_enum_value',
  'too_small',
  'too_big',
  'invalid_date',
  'unrecognized_keys',
  'invalid_union',
  'custom',
] as const;

const found = <S extends TSchema>(key: S) =>
  Type.Object({
    path: Type.String({ description: 'Such as `steps.2.parameters.cases.0.next`' }),
    key,
    message: Type.String(),
  });

export const Check = Type.Object(
  {
    isValid: Type.Boolean({ description: 'Whether it could be saved and published' }),
    errors: Type.Array(found(OneOf(issueKeys)), { description: 'What must be changed first' }),
    warnings: Type.Array(found(OneOf(warningKeys)), {
      description: 'What is allowed, but is probably not meant. Only of a definition without errors',
    }),
  },
  { title: 'AutomationCheck' },
);
export type Check = Static<typeof Check>;

const validate = compileSchema(() => strictBody(Checked, Automation), 'definition');

/** Finds everything that saving and publishing a definition would refuse, and what is suspicious about it. */
export async function checkAutomation(
  db: TenantReader,
  { definition: body }: Static<typeof CheckBody>,
  deps: SaveDeps,
): Promise<Check> {
  const given = withoutNulls(Checked, body) as Static<typeof Checked>;
  const issues = validate(given) ?? collectIssues();
  const { name: _, purpose, trigger, variables = [], steps } = given;
  let valid: Definition | undefined;
  if (issues.isEmpty)
    valid = await findDefinitionIssues(
      db,
      { ...(purpose === undefined ? {} : { purpose }), trigger, variables, steps },
      deps,
      issues,
    );
  const errors = Object.entries(issues.params).map(([path, issue]) => ({ path, ...issue }));
  const externalIds = valid ? (await attributesOf(db)).map(({ external_id }) => external_id) : [];
  const warnings =
    valid && errors.length === 0
      ? await findWarnings(valid, externalIds, await readTenantHours(db), db.now)
      : [];
  return { isValid: errors.length === 0, errors, warnings };
}
