import { type TSchema, Type } from 'typebox';
import { ApiError } from '../../base/errors.ts';
import type { Tx } from '../../db/database.ts';
import { compileSchema, type Validate } from '../../http/validation.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import { Definition } from '../schema.ts';
import { conditionFields } from './conditions.ts';
import { countTags } from './liquid.ts';
import { nameUnknown } from './references.ts';
import { type IssueList, issueList, type Reading, type Reference, readValue } from './schema-walker.ts';
import { stepParameters, triggerParameters } from './steps.ts';

/** Room for 200 steps of a thousand characters; a page of a search holds up to 200 definitions. */
const MAX_DEFINITION_CHARACTERS = 200_000;
/** Each costs the parser some ten microseconds. */
const MAX_TAGS = 5_000;

/** The schema of the parameters of each type, as the validator and as the reader take it. */
type Table = Record<string, { validate: Validate; schema: TSchema }>;

const tableOf = (schemas: Record<string, TSchema>): Table =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema, validate: compileSchema(Type.Object({ parameters: schema }), '') },
    ]),
  );
const steps = tableOf(stepParameters);
const triggers = tableOf(triggerParameters);

export interface Checked {
  /** The definition as it is stored: without unknown keys, with parameters everywhere. */
  definition: Definition;
  found: IssueList;
  references: Reference[];
}

/**
 * Checks everything about a definition that has passed its schema except whether what it refers to exists. Never
 * throws; every fault has the path of what is wrong.
 */
export function checkDefinition(given: Definition, policy: OutboundPolicy): Checked {
  const found = issueList();
  const references: Reference[] = [];
  const excess = excessOf(JSON.stringify(given));
  if (excess !== undefined) {
    found.add('steps', 'too_big', excess);
    return { definition: given, found, references };
  }
  const savedAs = given.steps.flatMap(({ parameters }) =>
    typeof parameters?.saveAs === 'string' ? [parameters.saveAs] : [],
  );
  const reading: Reading = {
    policy,
    stepIds: new Set(given.steps.map(({ id }) => id)),
    conditions: { fields: conditionFields(given.variables, savedAs), invalid: 0 },
    found,
    issue: found.add,
    refer: (reference) => references.push(reference),
  };
  checkUnique(given.steps, 'id', 'steps', found);
  checkUnique(given.variables, 'name', 'variables', found);
  for (const [index, { type, default: value }] of given.variables.entries())
    if (value !== undefined && typeof value !== type)
      found.add(`variables.${index}.default`, 'invalid_type', `Expected ${type}, received ${typeof value}`);

  const part = (name: 'trigger' | 'variables' | 'steps'): unknown =>
    readValue(Definition.properties[name], given[name], name, reading);
  const trigger = part('trigger') as Definition['trigger'];
  const list = part('steps') as Definition['steps'];
  return {
    definition: {
      trigger: { ...trigger, parameters: checkParameters(triggers, trigger, 'trigger', reading) },
      variables: part('variables') as Definition['variables'],
      steps: list.map((step, index) => ({
        ...step,
        parameters: checkParameters(steps, step, `steps.${index}`, reading),
      })),
    },
    found,
    references,
  };
}

/** What there is too much of, so that reading the rest would be work without end. */
function excessOf(text: string): string | undefined {
  if (text.length > MAX_DEFINITION_CHARACTERS)
    return `A definition may have ${MAX_DEFINITION_CHARACTERS} characters of JSON, this one has ${text.length}`;
  const tags = countTags(text);
  return tags > MAX_TAGS ? `A definition may have ${MAX_TAGS} Liquid tags, this one has ${tags}` : undefined;
}

function checkUnique<K extends string>(
  list: readonly Record<K, string>[],
  key: K,
  at: string,
  found: IssueList,
): void {
  const seen = new Set<string>();
  for (const [index, { [key]: value }] of list.entries()) {
    if (seen.has(value)) found.add(`${at}.${index}.${key}`, 'custom', `"${value}" is there already`);
    seen.add(value);
  }
}

function checkParameters(
  table: Table,
  { type, parameters = {} }: { type: string; parameters?: Record<string, unknown> },
  at: string,
  reading: Reading,
): Record<string, unknown> {
  // The frame has let no other type through.
  const { schema, validate } = table[type] as Table[string];
  if (reading.found.isFull()) return parameters;
  const issues = validate({ parameters }) ?? {};
  for (const [path, { key, message }] of Object.entries(issues)) reading.issue(`${at}.${path}`, key, message);
  return readValue(schema, parameters, `${at}.parameters`, reading) as Record<string, unknown>;
}

/** The definition as it is stored, or `invalid_body_params` that names everything that is wrong with it. */
export async function throwIfAnyIssue(
  tx: Tx,
  tenantId: string,
  given: Definition,
  policy: OutboundPolicy,
): Promise<Definition> {
  const { definition, found, references } = checkDefinition(given, policy);
  await nameUnknown(tx, tenantId, references, found);
  if (Object.keys(found.issues).length > 0)
    throw new ApiError('invalid_body_params', { invalidParams: found.issues });
  return definition;
}
