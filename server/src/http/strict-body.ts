import type { TSchema } from 'typebox';

/** The keywords of a JSON schema that matter here. */
interface Node {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Node>;
  required?: string[];
  additionalProperties?: boolean | Node;
  items?: Node;
  anyOf?: Node[];
  readOnly?: boolean;
}

const mapParts = (parts: Record<string, Node>, change: (part: Node, name: string) => Node) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part, name)]));

/**
 * The schema of a body that refuses unknown keys at every depth. Keys that the answer shows of the same object are allowed
 * and ignored, so that what was read can be sent back.
 */
export const strictBody = (body: TSchema, shown?: TSchema): TSchema =>
  strict(body as Node, shown as Node | undefined) as TSchema;

function strict(node: Node, shown: Node | undefined): Node {
  if (node.anyOf)
    return {
      ...node,
      // One value or a list of them.
      anyOf: node.anyOf.map((one) => strict(one, one.items ? shown : (shown?.items ?? shown))),
    };
  if (node.items) return { ...node, items: strict(node.items, shown?.items) };
  const { properties, additionalProperties: others = false } = node;
  if (!properties)
    return typeof others === 'object' ? { ...node, additionalProperties: strict(others, undefined) } : node;
  const ignored = mapParts(shown?.properties ?? {}, () => ({ readOnly: true }));
  const known = mapParts(properties, (part, name) => strict(part, shown?.properties?.[name]));
  return { ...node, properties: { ...ignored, ...known }, additionalProperties: others };
}

/** The resource that an operation answers with; undefined for lists. */
export function shownBy({ answer }: { answer: { schema: TSchema } }): TSchema | undefined {
  const data = (answer.schema as Node).properties?.data;
  return data?.properties ? (data as TSchema) : undefined;
}

/** The keys that a caller may have meant. */
export const knownKeys = (node: unknown): string[] =>
  Object.entries((node as Node).properties ?? {}).flatMap(([name, { readOnly }]) => (readOnly ? [] : [name]));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const acceptsNull = ({ type, enum: values, anyOf }: Node): boolean =>
  anyOf
    ? anyOf.some(acceptsNull)
    : values
      ? values.includes(null)
      : type === undefined || [type].flat().includes('null');

/** The value without optional keys that are null, unless null has a meaning of its own. Returns a copy. */
export const withoutNulls = (schema: TSchema, value: unknown): unknown => dropNulls(schema as Node, value);

function dropNulls(node: Node, value: unknown): unknown {
  if (node.anyOf) {
    const isList = Array.isArray(value);
    const one = node.anyOf.find(({ items }) => (items !== undefined) === isList);
    return one ? dropNulls(one, value) : value;
  }
  if (node.items && Array.isArray(value)) return value.map((item) => dropNulls(node.items as Node, item));
  if (!isObject(value)) return value;
  const { properties = {}, additionalProperties: others, required = [] } = node;
  const partOf = (name: string): Node =>
    Object.hasOwn(properties, name) ? (properties[name] as Node) : typeof others === 'object' ? others : {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const part = partOf(name);
      if (item === null && !acceptsNull(part) && !required.includes(name)) return [];
      return [[name, dropNulls(part, item)]];
    }),
  );
}
