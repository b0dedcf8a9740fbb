import type { TSchema } from 'typebox';
import type { Issues } from '../../base/issues.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import type { Searchable } from '../../search/fields.ts';

/** The kinds of resources that a definition can refer to. */
export type ReferenceKind =
  | 'attribute'
  | 'channel'
  | 'file'
  | 'label'
  | 'secret'
  | 'team'
  | 'template'
  | 'user';

export interface Reference {
  kind: ReferenceKind;
  value: string;
  /** The path of the value in the definition. */
  at: string;
}

/** What the rules need to know about the whole definition, and where they report what they find. */
export interface WalkContext {
  policy: OutboundPolicy;
  stepIds: ReadonlySet<string>;
  /** The fields that conditions can use, and how many conditions were invalid so far. */
  conditions: { fields: Searchable; invalid: number };
  issues: Issues;
  refer(reference: Reference): void;
  /** Liquid and conditions are parsed after the walk, one by one, as all of them together take up to 0.3 s. */
  later(parse: () => void): void;
  /**
   * Notes that runs see data with this name, such as `contact`; undefined stands for all data. Missing if the author may
   * read everything, so that texts need not be analysed.
   */
  see?: (name: string | undefined, at: string) => void;
}

/** Validates what a value means. The value already has the shape that its schema requires. */
export type Rule<V> = (value: V, at: string, context: WalkContext) => void;

/** The key of the rule of a schema. A symbol, because the validator and the API reference must ignore it. */
export const RULE = Symbol('rule');

interface Node {
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
  /** One for a single value, one for a list of them. */
  anyOf?: Node[];
  format?: string;
  [RULE]?: Rule<never>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Walks through a value along its schema and applies the rules. Returns the value without unknown keys and with ids in
 * lower case. Skips what does not match its schema: the issue of that is already at the same path.
 */
export function walkValue(schema: TSchema, value: unknown, at: string, context: WalkContext): unknown {
  const { anyOf } = schema as Node;
  const fitting = anyOf?.find(({ items }) => (items !== undefined) === Array.isArray(value));
  if (fitting) return walkValue(fitting as TSchema, value, at, context);
  const node = schema as Node;
  if (context.issues.isFull || context.issues.has(at)) return value;
  const inner = (part: Node, item: unknown, name: string | number): unknown =>
    walkValue(part as TSchema, item, `${at}.${name}`, context);
  node[RULE]?.(value as never, at, context);
  if (node.items && Array.isArray(value))
    return value.map((item, index) => inner(node.items as Node, item, index));
  if (node.format === 'uuid' && typeof value === 'string') return value.toLowerCase();
  if (!isObject(value)) return value;
  const { properties, additionalProperties: others } = node;
  const partOf = (name: string): Node | undefined =>
    properties && Object.hasOwn(properties, name)
      ? properties[name]
      : typeof others === 'object'
        ? others
        : undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const part = partOf(name);
      if (part !== undefined) return [[name, inner(part, item, name)]];
      return others === true ? [[name, item]] : [];
    }),
  );
}
