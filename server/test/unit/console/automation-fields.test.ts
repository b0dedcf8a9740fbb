import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stepTypes, triggerTypes } from '../../../../console/src/flow/kinds.ts';
import {
  type FieldInput,
  type Input,
  type ObjectInput,
  stepFields,
  triggerFields,
} from '../../../../console/src/screens/automations/fields.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: (string | null)[];
  const?: string | boolean;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: Schema | boolean;
}

const openapi = JSON.parse(readFileSync(new URL('../../../../openapi/v3.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};
const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolve(openapi.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);

/** The parameters of every type in a union of the API. */
function parametersOf(union: 'Step' | 'Trigger'): Record<string, Schema> {
  const members = (openapi.components.schemas[union]?.oneOf ?? []).map(resolve);
  return Object.fromEntries(
    members.map(({ properties = {} }) => [
      properties.type?.const ?? (properties.type?.enum?.[0] as string),
      resolve(properties.parameters ?? {}),
    ]),
  );
}

const isType = ({ type }: Schema, name: string): boolean => [type].flat().includes(name);

/** Everything in which an input differs from the schema of its value. */
function differences(input: Input, given: Schema, path: string): string[] {
  const schema = resolve(given);
  switch (input.kind) {
    case 'object':
      return objectDifferences(input, schema, path);
    case 'list': {
      const many = schema.anyOf?.map(resolve).find(({ items }) => items !== undefined) ?? schema;
      const sizes = many.minItems === undefined ? [0, many.maxItems] : [many.minItems, many.maxItems];
      const isSized = sizes[0] === input.least && sizes[1] === input.most;
      return [
        ...(isSized ? [] : [`${path} has ${sizes.join(' to ')} items`]),
        ...((schema.anyOf !== undefined) === (input.isSingleToo === true) ? [] : [`${path} may be single`]),
        ...differences(input.item, many.items ?? {}, `${path}[]`),
      ];
    }
    case 'words':
      return isType(schema, 'array') &&
        isType(resolve(schema.items ?? {}), 'string') &&
        (schema.minItems ?? 0) === input.least &&
        schema.maxItems === input.most
        ? []
        : [`${path} is no list of ${input.least} to ${input.most} texts`];
    case 'texts':
      return typeof schema.additionalProperties === 'object' && isType(schema.additionalProperties, 'string')
        ? []
        : [`${path} has no texts by name`];
    case 'json':
      return isType(schema, 'object') && schema.properties === undefined ? [] : [`${path} is not any JSON`];
    case 'flag':
      return isType(schema, 'boolean') ? [] : [`${path} is not true or false`];
    case 'chosen':
      return isType(schema, 'boolean') && schema.const === true ? [] : [`${path} is not only true`];
    case 'number':
      return (isType(schema, 'number') || isType(schema, 'integer')) &&
        schema.minimum === input.least &&
        schema.maximum === input.most
        ? []
        : [`${path} is no number from ${input.least} to ${input.most}`];
    case 'choice':
      return JSON.stringify(schema.enum) === JSON.stringify(input.of)
        ? []
        : [`${path} can be ${schema.enum?.join()}`];
    default: {
      const canBeNull = input.kind === 'reference' && input.canBeNull === true;
      return isType(schema, 'string') && schema.enum === undefined && isType(schema, 'null') === canBeNull
        ? []
        : [`${path} is not such a text`];
    }
  }
}

function objectDifferences({ fields, oneOf = [] }: ObjectInput, schema: Schema, path: string): string[] {
  const properties = schema.properties ?? {};
  const known = Object.entries(fields) as [string, FieldInput][];
  return [
    ...Object.keys(properties)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${path}.${name} has no input`),
    ...oneOf.filter((name) => !Object.hasOwn(fields, name)).map((name) => `${path}.${name} is unknown`),
    ...known.flatMap(([name, { input, isRequired }]) => {
      const property = properties[name];
      if (!property) return [`${path}.${name} does not exist`];
      const isNeeded = schema.required?.includes(name) === true;
      return [
        ...(isNeeded === isRequired ? [] : [`${path}.${name} is ${isNeeded ? '' : 'not '}required`]),
        ...differences(input, property, `${path}.${name}`),
      ];
    }),
  ];
}

describe.each([
  ['Step', stepFields, stepTypes],
  ['Trigger', triggerFields, triggerTypes],
] as const)('the inputs of every %s', (union, table, types) => {
  const schemas = parametersOf(union);

  it('are there for every type of the API', () => {
    expect(Object.keys(schemas).length).toBeGreaterThan(5);
    expect(Object.keys(table).toSorted()).toEqual(Object.keys(schemas).toSorted());
    expect(types.toSorted()).toEqual(Object.keys(schemas).toSorted());
  });

  it.each(Object.keys(schemas))('have every field of %s, to any depth', (type) => {
    const input = (table as Record<string, ObjectInput>)[type] as ObjectInput;
    expect(differences(input, schemas[type] as Schema, type)).toEqual([]);
  });
});

it('the comparison finds what is missing, superfluous or different', () => {
  const wrong: ObjectInput = {
    kind: 'object',
    fields: {
      text: { input: { kind: 'flag' }, isRequired: true, isShown: true },
      url: { input: { kind: 'text' }, isRequired: false, isShown: true },
    },
  };
  const schema = { properties: { text: { type: 'string' }, name: { type: 'string' } } };
  expect(differences(wrong, schema, 'x')).toEqual([
    'x.name has no input',
    'x.text is not required',
    'x.text is not true or false',
    'x.url does not exist',
  ]);
});
