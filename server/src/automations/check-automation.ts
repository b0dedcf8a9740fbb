import { type Static, Type } from 'typebox';
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

/** A definition by itself. Any object: what is wrong with it is the answer, not an error. */
export const CheckBody = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  [DOCUMENTED]: Checked,
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

export const Check = Type.Object(
  {
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Such as `steps.2.parameters.cases.0.next`' }),
        code: OneOf([...issueKeys, ...warningKeys]),
        message: Type.String(),
        severity: OneOf(
          ['error', 'warning'],
          '`error`: saving or publishing would be refused. `warning`: allowed, but probably not meant; only of a definition without errors',
        ),
      }),
      { description: 'Empty for a definition with which nothing is wrong' },
    ),
  },
  { title: 'AutomationCheck' },
);
export type Check = Static<typeof Check>;

const validate = compileSchema(() => strictBody(Checked, Automation), 'definition');

/** Finds everything that saving and publishing a definition would refuse, and what is suspicious about it. */
export async function checkAutomation(
  db: TenantReader,
  body: Static<typeof CheckBody>,
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
  const errors = Object.entries(issues.params).map(([path, { key, message }]) => ({
    path,
    code: key,
    message,
    severity: 'error' as const,
  }));
  if (!valid || errors.length > 0) return { issues: errors };
  const externalIds = (await attributesOf(db)).map(({ external_id }) => external_id);
  const warnings = await findWarnings(valid, externalIds, await readTenantHours(db), db.now);
  return {
    issues: warnings.map(({ path, key, message }) => ({
      path,
      code: key,
      message,
      severity: 'warning' as const,
    })),
  };
}
