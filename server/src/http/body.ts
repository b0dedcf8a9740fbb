import { isUtf8 } from 'node:buffer';
import { type InvalidParamKey, invalidParam } from '../base/errors.ts';
import { collectIssues, type Issues, MAX_ISSUES } from '../base/issues.ts';
import { findExcess, MAX_JSON_DEPTH } from '../base/json-depth.ts';

/** How large a parsed body may be. Checked before the schema, whose cost grows with every wrong item. */
export interface BodyBounds {
  arrayItems: number;
  nodes: number;
}

export const DEFAULT_BOUNDS: BodyBounds = { arrayItems: 10_000, nodes: 200_000 };
/** Parsing a megabyte of brackets took 85 ms; counting them is quick. Shorter bodies are parsed directly. */
const MIN_COUNTED_BYTES = 16_384;

const TOO_DEEP = `The body is nested deeper than ${MAX_JSON_DEPTH} levels`;
const tooMany = ({ nodes }: BodyBounds): string => `The body has more than ${nodes} values`;
const TOO_LONG = `Whole numbers must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}; send a longer one as a string`;
/** Some editors and spreadsheets write it at the beginning of a file. */
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);

/** Parses a JSON body and refuses what no operation accepts. Returns undefined for an empty body. */
export function parseBody(raw: Buffer, bounds: BodyBounds): unknown {
  if (raw.length === 0) return undefined;
  if (!isUtf8(raw)) throw invalidParam('body', 'invalid_string', 'The body is not UTF-8');
  const excess = raw.length >= MIN_COUNTED_BYTES ? findExcess(raw, bounds.nodes) : undefined;
  if (excess !== undefined)
    throw invalidParam('body', 'too_big', excess === 'depth' ? TOO_DEEP : tooMany(bounds));
  let body: unknown;
  try {
    body = JSON.parse(raw.toString('utf8', raw.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0));
  } catch (error) {
    throw invalidParam('body', 'custom', `The body is not valid JSON: ${(error as Error).message}`);
  }
  findIssues(body, bounds)?.throwIfAny();
  return body;
}

interface Node {
  value: unknown;
  depth: number;
  parent: Node | undefined;
  key: string | number;
}

function pathOf(node: Node): string {
  const parts: (string | number)[] = [];
  for (let one: Node | undefined = node; one?.parent; one = one.parent) parts.push(one.key);
  if (parts.length === 0) return 'body';
  return parts.reverse().join('.').replaceAll('\0', '\\u0000');
}

/** Without recursion, so that a deep body cannot exhaust the stack. Allocates no collector for a valid body. */
function findIssues(body: unknown, bounds: BodyBounds): Issues | undefined {
  if (typeof body !== 'object' && typeof body !== 'string') return undefined;
  let issues: Issues | undefined;
  let count = 0;
  const add = (node: Node, key: InvalidParamKey, message: string): void => {
    issues ??= collectIssues();
    count += 1;
    issues.add(pathOf(node), key, message);
  };
  const stack: Node[] = [{ value: body, depth: 1, parent: undefined, key: '' }];
  let nodes = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (++nodes > bounds.nodes) throw invalidParam('body', 'too_big', tooMany(bounds));
    // Not `isFull`: shortened paths can be equal, and building them takes time.
    if (count >= MAX_ISSUES) break;
    const { value } = node;
    if (typeof value === 'string') {
      const issue = validateText(value);
      if (issue) add(node, 'invalid_string', issue);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) add(node, 'too_big', 'Number is out of range');
      // It is rounded already.
      else if (Number.isInteger(value) && !Number.isSafeInteger(value)) add(node, 'too_big', TOO_LONG);
    } else if (typeof value === 'object' && value !== null) {
      if (node.depth > MAX_JSON_DEPTH) throw invalidParam('body', 'too_big', TOO_DEEP);
      const depth = node.depth + 1;
      if (Array.isArray(value)) {
        if (value.length > bounds.arrayItems) {
          add(
            node,
            'too_big',
            `Array must contain at most ${bounds.arrayItems} items, received ${value.length}`,
          );
          continue;
        }
        for (let index = value.length - 1; index >= 0; index -= 1)
          stack.push({ value: value[index], depth, parent: node, key: index });
      } else
        for (const key of Object.keys(value)) {
          const child = { value: (value as Record<string, unknown>)[key], depth, parent: node, key };
          if (FORBIDDEN_KEYS.has(key)) add(child, 'unrecognized_keys', `The key "${key}" is not allowed`);
          else if (validateText(key)) add(child, 'invalid_string', `The key ${validateText(key)}`);
          else stack.push(child);
        }
    }
  }
  return issues;
}

/** Neither can be stored: PostgreSQL's text has no NUL, and UTF-8 has no lone surrogates. */
function validateText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  return undefined;
}
