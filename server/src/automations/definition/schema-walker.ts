import type { TSchema } from 'typebox';
import type { InvalidParamKey, InvalidParams } from '../../base/errors.ts';
import { MAX_ISSUES } from '../../base/issues.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import type { Searchable } from '../../search/fields.ts';

/** What a definition can name that is not part of itself. */
export type ReferenceKind = 'attribute' | 'channel' | 'file' | 'label' | 'team' | 'template' | 'user';

export interface Reference {
  kind: ReferenceKind;
  value: string;
  /** Where it stands. */
  at: string;
}

/** A definition while it is read: what a reader may look at, and where it says what it found. */
export interface Reading {
  policy: OutboundPolicy;
  stepIds: ReadonlySet<string>;
  /** What conditions can ask about, and how many of them were wrong so far. */
  conditions: { fields: Searchable; invalid: number };
  found: IssueList;
  issue: IssueList['add'];
  refer(reference: Reference): void;
}

/** Judges a value that has the shape its schema asks for, and says what is wrong with what it means. */
export type Reader<V> = (value: V, at: string, reading: Reading) => void;

/**
 * A schema says what shape a value has; its reader stands beside it and says what the value means. Under a symbol,
 * because neither the validator nor the reference knows the word.
 */
export const READ = Symbol('read');

interface Node {
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
  format?: string;
  [READ]?: Reader<never>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a value by its schema and gives it back without the keys that the schema does not know, its ids in the one
 * spelling that can be compared. What the schema has refused already is not read: its fault stands at the same path.
 */
export function readValue(schema: TSchema, value: unknown, at: string, reading: Reading): unknown {
  const node = schema as Node;
  if (reading.found.isFull() || reading.found.has(at)) return value;
  const inner = (part: Node, item: unknown, name: string | number): unknown =>
    readValue(part as TSchema, item, `${at}.${name}`, reading);
  node[READ]?.(value as never, at, reading);
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

/** Each path longer than this would make the answer larger than the request. */
const LONGEST_PATH = 256;

/** What is wrong with a definition, each fault once, and no more than an answer names. */
export interface IssueList {
  readonly issues: InvalidParams;
  add(at: string, key: InvalidParamKey, message: string): void;
  has(at: string): boolean;
  /** Nothing more would be told, so nothing more need be looked for. */
  isFull(): boolean;
}

export function issueList(): IssueList {
  const issues: InvalidParams = {};
  let count = 0;
  const pathOf = (at: string): string =>
    at.length > LONGEST_PATH ? `${at.slice(0, LONGEST_PATH)}…`.toWellFormed() : at;
  const list: IssueList = {
    issues,
    add(at, key, message) {
      if (list.isFull() || list.has(at)) return;
      issues[pathOf(at)] = { key, message };
      count += 1;
    },
    has: (at) => Object.hasOwn(issues, pathOf(at)),
    isFull: () => count >= MAX_ISSUES,
  };
  return list;
}
