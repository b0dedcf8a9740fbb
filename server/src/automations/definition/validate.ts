import { type TSchema, Type } from 'typebox';
import { collectIssues, type Issues } from '../../base/issues.ts';
import { createTurns } from '../../base/turns.ts';
import { findAudienceIssue } from '../../contacts/gather-audience.ts';
import { holdAudience } from '../../contacts/hold-audience.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import type { CanRead } from '../../http/permissions.ts';
import { strictBody, withoutNulls } from '../../http/strict-body.ts';
import { compileSchema, type Validate } from '../../http/validation.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import { Definition } from '../schema.ts';
import { conditionFields } from './conditions.ts';
import { countTags } from './liquid.ts';
import { canReadAll, readGuard } from './read-scopes.ts';
import { validateHeldReferences, validateReferences } from './references.ts';
import { type Reference, type WalkContext, walkValue } from './schema-walker.ts';
import { stepParameters, triggerParameters } from './steps.ts';
import { validateTemplateParts } from './template-parts.ts';

/** Room for 200 steps of a thousand characters; a page of a search holds up to 200 definitions. */
const MAX_DEFINITION_CHARACTERS = 200_000;
/** Parsing takes about ten microseconds for each. */
const MAX_TAGS = 5_000;

/** The parameters of each type: their schema, which the walker follows, and its compiled validator. */
type ParameterTable = Record<string, { validate: Validate; schema: TSchema }>;

const compileTable = (schemas: Record<string, TSchema>): ParameterTable =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema, validate: compileSchema(() => strictBody(Type.Object({ parameters: schema })), '') },
    ]),
  );
const steps = compileTable(stepParameters);
const triggers = compileTable(triggerParameters);

interface ValidatedDefinition {
  /** The definition as it is stored: without unknown keys, and every step has parameters. */
  definition: Definition;
  references: Reference[];
  /** Checks that are still to be made, each of them short. */
  checks: (() => void)[];
}

/** Validates a definition that matches its schema, except for whether what it refers to exists. */
export function validateDefinition(
  given: Definition,
  policy: OutboundPolicy,
  issues: Issues,
  canRead: CanRead = () => true,
): ValidatedDefinition {
  const validated = walkDefinition(given, policy, issues, canRead);
  for (const check of validated.checks) if (!issues.isFull) check();
  return validated;
}

/** Validates everything but Liquid and conditions. */
function walkDefinition(
  given: Definition,
  policy: OutboundPolicy,
  issues: Issues,
  canRead: CanRead,
): ValidatedDefinition {
  const references: Reference[] = [];
  const checks: (() => void)[] = [];
  const excess = describeExcess(JSON.stringify(given));
  if (excess !== undefined) {
    issues.add('steps', 'too_big', excess);
    return { definition: given, references, checks };
  }
  const savedAs = given.steps.flatMap(({ parameters }) =>
    typeof parameters?.saveAs === 'string' ? [parameters.saveAs] : [],
  );
  const { see, seeTrigger } = readGuard(canRead, issues);
  const context: WalkContext = {
    policy,
    stepIds: new Set(given.steps.map(({ id }) => id)),
    conditions: { fields: conditionFields(given.variables, savedAs), invalid: 0 },
    issues,
    refer: (reference) => references.push(reference),
    later: (check) => checks.push(check),
    ...(canReadAll(canRead) ? {} : { see }),
  };
  seeTrigger(given.trigger.type);
  validateUnique(given.steps, 'id', 'steps', issues);
  validateUnique(given.variables, 'name', 'variables', issues);
  for (const [index, { type, default: value }] of given.variables.entries())
    if (value !== undefined && typeof value !== type)
      issues.add(`variables.${index}.default`, 'invalid_type', `Expected ${type}, received ${typeof value}`);

  const part = (name: 'trigger' | 'variables' | 'steps'): unknown =>
    walkValue(Definition.properties[name], given[name], name, context);
  const trigger = part('trigger') as Definition['trigger'];
  const list = part('steps') as Definition['steps'];
  return {
    definition: {
      ...(given.purpose === undefined ? {} : { purpose: given.purpose }),
      trigger: { ...trigger, parameters: validateParameters(triggers, trigger, 'trigger', context) },
      variables: part('variables') as Definition['variables'],
      steps: list.map((step, index) => ({
        ...step,
        parameters: validateParameters(steps, step, `steps.${index}`, context),
      })),
    },
    references,
    checks,
  };
}

/** Says which limit a definition exceeds. Such a definition is not validated any further, as that could take too long. */
function describeExcess(text: string): string | undefined {
  if (text.length > MAX_DEFINITION_CHARACTERS)
    return `A definition may have ${MAX_DEFINITION_CHARACTERS} characters of JSON, this one has ${text.length}`;
  const tags = countTags(text);
  return tags > MAX_TAGS ? `A definition may have ${MAX_TAGS} Liquid tags, this one has ${tags}` : undefined;
}

function validateUnique<K extends string>(
  list: readonly Record<K, string>[],
  key: K,
  at: string,
  issues: Issues,
): void {
  const seen = new Set<string>();
  for (const [index, { [key]: value }] of list.entries()) {
    if (seen.has(value)) issues.add(`${at}.${index}.${key}`, 'custom', `"${value}" is used twice`);
    seen.add(value);
  }
}

function validateParameters(
  table: ParameterTable,
  { type, parameters: given = {} }: { type: string; parameters?: Record<string, unknown> },
  at: string,
  context: WalkContext,
): Record<string, unknown> {
  // The schema of the definition has refused other types.
  const { schema, validate } = table[type] as ParameterTable[string];
  if (context.issues.isFull) return given;
  const parameters = withoutNulls(schema, given) as Record<string, unknown>;
  const { params = {} } = validate({ parameters }) ?? {};
  for (const [path, { key, message }] of Object.entries(params))
    context.issues.add(`${at}.${path}`, key, message);
  return walkValue(schema, parameters, `${at}.parameters`, context) as Record<string, unknown>;
}

/** The audience of a schedule. A definition with issues may have anything there. */
function audienceOf({ trigger }: Definition): string | undefined {
  const { audience } = (trigger.parameters ?? {}) as { audience?: unknown };
  return trigger.type === 'schedule' && typeof audience === 'string' ? audience : undefined;
}

/** An audience is checked with the types of the attributes, as when it is gathered. */
async function validateAudience(db: TenantReader, definition: Definition, issues: Issues): Promise<void> {
  const at = 'trigger.parameters.audience';
  const audience = audienceOf(definition);
  if (audience === undefined || issues.has(at) || issues.isFull) return;
  const issue = await findAudienceIssue(db, audience);
  if (issue !== undefined) issues.add(at, 'invalid_string', issue);
}

/**
 * What a stored definition refers to that no longer exists, such as a label; undefined if everything does. Then it is held: a deletion
 * at this moment waits, and sees that it is used.
 */
export async function findMissingReference(
  tx: TenantTx,
  definition: Definition,
  policy: OutboundPolicy,
): Promise<string | undefined> {
  const { references } = walkDefinition(definition, policy, collectIssues(), () => true);
  const issues = collectIssues();
  await validateHeldReferences(tx, references, issues);
  await holdAudience(tx, audienceOf(definition) ?? '');
  await validateAudience(tx, definition, issues);
  const [[path, issue] = []] = Object.entries(issues.params);
  return issue && `${path}: ${issue.message}`;
}

/** Adds every issue of a definition that matches its schema. Returns the definition as it is stored if it is valid. */
export async function findDefinitionIssues(
  db: TenantReader,
  given: Definition,
  { policy, canRead }: { policy: OutboundPolicy; canRead: CanRead },
  issues: Issues,
): Promise<Definition> {
  const { definition, references, checks } = walkDefinition(given, policy, issues, canRead);
  const turn = createTurns();
  for (const check of checks) {
    await turn();
    if (!issues.isFull) check();
  }
  await validateReferences(db, references, issues);
  await validateAudience(db, definition, issues);
  await validateTemplateParts(db, definition, issues);
  return definition;
}

/** Returns the definition as it is stored. Throws `invalid_body_params` with every issue of an invalid one. */
export async function requireValidDefinition(
  db: TenantReader,
  given: Definition,
  deps: { policy: OutboundPolicy; canRead: CanRead },
): Promise<Definition> {
  const issues = collectIssues();
  const definition = await findDefinitionIssues(db, given, deps, issues);
  issues.throwIfAny();
  return definition;
}
