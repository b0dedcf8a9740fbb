import { Ajv, type ErrorObject } from 'ajv';
import { countCharacters } from '../base/characters.ts';
import type { InvalidParamKey } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { lazy } from '../base/lazy.ts';
import { unknownKey } from '../base/nearest.ts';
import { compileOnce } from './compile-once.ts';
import { knownKeys } from './strict-body.ts';

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 with a zone. `Date` alone would accept 30 February as 2 March. */
export function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text);
  if (!parts || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const formats: Record<string, { isValid: (text: string) => boolean; name: string }> = {
  uuid: { isValid: isUuid, name: 'a UUID' },
  'date-time': {
    isValid: isDateTime,
    name: 'an ISO 8601 date-time with a zone, such as 2026-11-15T01:02:03.456Z',
  },
};

/** At its first use: to create it takes 8 ms. */
const validator = lazy(() => {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  });
  for (const [name, { isValid }] of Object.entries(formats))
    ajv.addFormat(name, { type: 'string', validate: isValid });
  return ajv;
});

/** Returns the issues of a value, or undefined if it is valid. Never changes the value. */
export type Validate = (value: unknown) => Issues | undefined;

const compile = compileOnce((schema) => validator().compile(schema));

export function compileSchema(schemaOf: () => object, root: string): Validate {
  const compiled = compile(schemaOf);
  return (value) => {
    const validate = compiled();
    return validate(value) ? undefined : describe(validate.errors ?? [], root);
  };
}

function describe(errors: ErrorObject[], root: string): Issues {
  const issues = collectIssues();
  const hides = errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .map((union) => hiddenBy(union, errors));
  for (const error of errors) {
    const path = pathOf(error, root);
    if (issues.has(path)) continue;
    if (hides.some((isHidden) => isHidden(error))) continue;
    if (issues.isFull) break;
    issues.add(path, keyOf(error), messageOf(error));
  }
  return issues;
}

/**
 * Returns which errors a union leaves out. A union is one issue, not one for each alternative; but if only one alternative
 * has the type of the value, such as a list, the issues of that one are the union's.
 */
function hiddenBy(union: ErrorObject, errors: ErrorObject[]): (error: ErrorObject) => boolean {
  const { schemaPath, instancePath, schema } = union;
  const isInside = (error: ErrorObject): boolean =>
    error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath);
  const hasOtherType = (alternative: string): boolean =>
    errors.some((error) => error.schemaPath === `${alternative}type` && error.instancePath === instancePath);
  const [fitting, another] = (schema as unknown[])
    .map((_, index) => `${schemaPath}/${index}/`)
    .filter((alternative) => !hasOtherType(alternative));
  if (fitting === undefined || another !== undefined) return isInside;
  return (error) => error === union || (isInside(error) && !error.schemaPath.startsWith(fitting));
}

function pathOf(error: ErrorObject, root: string): string {
  const steps = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') steps.push(error.params.missingProperty as string);
  if (error.keyword === 'additionalProperties') steps.push(error.params.additionalProperty as string);
  return steps.length === 0
    ? root
    : steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

const keys: Record<string, InvalidParamKey> = {
  required: 'invalid_type',
  type: 'invalid_type',
  format: 'invalid_string',
  pattern: 'invalid_string',
  enum: 'invalid_enum_value',
  const: 'invalid_enum_value',
  minLength: 'too_small',
  minItems: 'too_small',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  minProperties: 'too_small',
  maxLength: 'too_big',
  maxItems: 'too_big',
  maximum: 'too_big',
  exclusiveMaximum: 'too_big',
  maxProperties: 'too_big',
  additionalProperties: 'unrecognized_keys',
  anyOf: 'invalid_union',
  oneOf: 'invalid_union',
};

const keyOf = (error: ErrorObject): InvalidParamKey => keys[error.keyword] ?? 'custom';

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : typeof value === 'number' && Number.isInteger(value)
        ? 'integer'
        : typeof value;

/** The received value, shortened. */
function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return typeOf(value);
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function messageOf(error: ErrorObject): string {
  const { keyword, params, data } = error;
  const limit = params.limit as number;
  switch (keyword) {
    case 'required':
      return 'Required';
    case 'type':
      return `Expected ${[params.type].flat().join(' or ')}, received ${typeOf(data)}`;
    case 'format':
      return `Must be ${formats[params.format as string]?.name ?? params.format}, received ${show(data)}`;
    case 'pattern':
      return `Must match ${params.pattern}, received ${show(data)}`;
    case 'enum':
      return `Must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}, received ${show(data)}`;
    case 'const':
      return `Must be ${JSON.stringify(params.allowedValue)}, received ${show(data)}`;
    case 'minLength':
    case 'maxLength':
      return `Must have at ${keyword === 'minLength' ? 'least' : 'most'} ${limit} character(s), received ${countCharacters(data as string)}`;
    case 'minItems':
    case 'maxItems':
      return `Must contain at ${keyword === 'minItems' ? 'least' : 'most'} ${limit} item(s), received ${(data as unknown[]).length}`;
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `Must be ${[params.comparison, limit].join(' ')}, received ${show(data)}`;
    case 'additionalProperties':
      return unknownKey(params.additionalProperty as string, knownKeys(error.parentSchema));
    default:
      return `${error.message ?? 'Not valid'}, received ${show(data)}`;
  }
}
