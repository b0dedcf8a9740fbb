import { toolTable } from './tool-table.ts';

type Json = Record<string, unknown>;

/** An operation of the API as an assistant calls it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Of an object with the parameters of the path, of the query and of the body side by side. */
  inputSchema: { type: 'object' } & Json;
  /** The scope that it requires; undefined if any token may call it. */
  scope: string | undefined;
  writes: boolean;
  isFinal: boolean;
  method: string;
  path: string;
  /** Where each argument belongs. */
  places: ReadonlyMap<string, 'path' | 'query' | 'body' | 'key'>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Json;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  'x-scope'?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
}

/** The parts of an OpenAPI document that tools are made of. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Json> };
}

const REFERENCE = '#/components/schemas/';
const KEY_HEADER = 'Idempotency-Key';
const KEY_ARGUMENT = 'idempotencyKey';

const nameOf = (operationId: string): string =>
  operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Rewrites references to the components of the document, and adds those to the definitions of the schema. */
function localize(value: unknown, schemas: Record<string, Json>, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => localize(item, schemas, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith(REFERENCE)) {
    const name = $ref.slice(REFERENCE.length);
    if (!(name in definitions)) {
      // Before its content, which may refer to itself.
      definitions[name] = {};
      definitions[name] = localize(schemas[name], schemas, definitions);
    }
    return { $ref: `#/$defs/${name}` };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, localize(item, schemas, definitions)]),
  );
}

interface Argument {
  name: string;
  place: 'path' | 'query' | 'body' | 'key';
  schema: unknown;
  isRequired: boolean;
}

function argumentsOf(operation: Operation, only: readonly string[] | undefined): Argument[] {
  const parameters = (operation.parameters ?? []).flatMap(
    ({ name, in: place, required, description, schema }): Argument[] => {
      const described = description === undefined ? schema : { ...schema, description };
      if (place !== 'header') return [{ name, place, schema: described, isRequired: required === true }];
      if (name !== KEY_HEADER) return [];
      return [{ name: KEY_ARGUMENT, place: 'key', schema: described, isRequired: false }];
    },
  );
  const body = operation.requestBody?.content['application/json']?.schema ?? {};
  const { properties = {}, required = [] } = body as { properties?: Json; required?: string[] };
  const fields = Object.entries(properties)
    .filter(([name]) => only === undefined || only.includes(name))
    .map(
      ([name, schema]): Argument => ({ name, place: 'body', schema, isRequired: required.includes(name) }),
    );
  return [...parameters, ...fields];
}

function toolOf(
  path: string,
  method: string,
  operation: Operation,
  schemas: Record<string, Json>,
): Tool | undefined {
  const { operationId, summary, description, 'x-scope': scope } = operation;
  const entry = Object.hasOwn(toolTable, operationId) ? toolTable[operationId] : undefined;
  if (!entry) return undefined;
  const found = argumentsOf(operation, entry.only);
  const definitions: Json = {};
  const properties = Object.fromEntries(
    found.map(({ name, schema }) => [name, localize(schema, schemas, definitions)]),
  );
  const required = found.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    name: nameOf(operationId),
    title: summary,
    description: `${summary}. ${description}`,
    inputSchema: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    },
    scope,
    writes: entry.writes === true,
    isFinal: entry.isFinal === true,
    method: method.toUpperCase(),
    path,
    places: new Map(found.map(({ name, place }) => [name, place])),
  };
}

/** The tools that a document describes, in the order of the table. */
export function toolsOf({ paths, components }: ApiDocument): Tool[] {
  const schemas = components?.schemas ?? {};
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => toolOf(path, method, operation, schemas) ?? []),
  );
  const order = Object.keys(toolTable).map(nameOf);
  return found.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** Whether an operation is a tool. */
export const isTool = (operationId: string): boolean => Object.hasOwn(toolTable, operationId);

/** The tools that a caller may use: those of its scopes, and only those that change nothing unless it asks for the others. */
export const allowedTools = (
  tools: readonly Tool[],
  hasScope: (scope: string) => boolean,
  maySeeWrites: boolean,
): Tool[] =>
  tools.filter(({ scope, writes }) => (maySeeWrites || !writes) && (scope === undefined || hasScope(scope)));
