import { isUtf8 } from 'node:buffer';
import { ApiError, type InvalidParamKey, type InvalidParams } from '../base/errors.ts';
import { MAX_ISSUES } from '../base/issues.ts';

/** How large a parsed body may be. Checked before the schema, whose cost grows with every wrong item. */
export interface BodyBounds {
  arrayItems: number;
  nodes: number;
}

export const DEFAULT_BOUNDS: BodyBounds = { arrayItems: 10_000, nodes: 200_000 };
const DEPTH = 64;
/** Parsing a megabyte of brackets took 85 ms, counting the first 65 takes none. Short bodies are not worth counting. */
const COUNTED_FROM_BYTES = 16_384;
/** Each fault names its path: one as long as the body, a hundred times over, would be an answer of 100 MB. */
const LONGEST_PATH = 256;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);

const invalidBody = (invalidParams: InvalidParams): ApiError =>
  new ApiError('invalid_body_params', { invalidParams });

/** Parses a JSON body and refuses what no operation could mean. An empty body is no body. */
export function parseBody(raw: Buffer, bounds: BodyBounds): unknown {
  if (raw.length === 0) return undefined;
  if (!isUtf8(raw)) throw invalidBody({ body: { key: 'invalid_string', message: 'The body is not UTF-8' } });
  if (raw.length >= COUNTED_FROM_BYTES && isTooDeep(raw)) throw invalidBody({ body: TOO_DEEP });
  let body: unknown;
  try {
    body = JSON.parse(raw.toString('utf8'));
  } catch (error) {
    const message = `The body is not valid JSON: ${(error as Error).message}`;
    throw invalidBody({ body: { key: 'custom', message } });
  }
  const found = findIssues(body, bounds);
  if (found !== undefined) throw invalidBody(found);
  return body;
}

const TOO_DEEP = { key: 'too_big', message: `The body is nested deeper than ${DEPTH} levels` } as const;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the brackets outside of strings. */
function isTooDeep(raw: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) {
      at = endOfString(raw, at);
      if (at < 0) return false;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > DEPTH) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** Where the string that opens here is closed: at the next quote with an even number of backslashes before it. */
function endOfString(raw: Buffer, open: number): number {
  for (let end = raw.indexOf(QUOTE, open + 1); end >= 0; end = raw.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (raw[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

interface Node {
  value: unknown;
  depth: number;
  parent: Node | undefined;
  key: string | number;
}

function pathOf(node: Node): string {
  const parts: (string | number)[] = [];
  for (let at: Node | undefined = node; at?.parent; at = at.parent) parts.push(at.key);
  if (parts.length === 0) return 'body';
  const path = parts.reverse().join('.');
  const short = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  return short.toWellFormed().replaceAll('\0', '\\u0000');
}

/** Walks without recursion, so that depth costs memory and never the stack. */
function findIssues(body: unknown, bounds: BodyBounds): InvalidParams | undefined {
  if (typeof body !== 'object' || body === null) {
    return typeof body === 'string' ? validateScalars(body) : undefined;
  }
  let issues: InvalidParams | undefined;
  let count = 0;
  const add = (node: Node, key: InvalidParamKey, message: string): void => {
    // Without a prototype, or a fault at `__proto__` would become it.
    issues ??= Object.create(null) as InvalidParams;
    count += 1;
    issues[pathOf(node)] = { key, message };
  };
  const stack: Node[] = [{ value: body, depth: 1, parent: undefined, key: '' }];
  let nodes = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (++nodes > bounds.nodes)
      return { body: { key: 'too_big', message: `The body has more than ${bounds.nodes} values` } };
    if (count >= MAX_ISSUES) break;
    const { value } = node;
    if (typeof value === 'string') {
      const issue = validateText(value);
      if (issue) add(node, 'invalid_string', issue);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) add(node, 'too_big', 'Number is out of range');
    } else if (typeof value === 'object' && value !== null) {
      if (node.depth > DEPTH) return { body: TOO_DEEP };
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

function validateScalars(text: string): InvalidParams | undefined {
  const issue = validateText(text);
  return issue === undefined ? undefined : { body: { key: 'invalid_string', message: issue } };
}

/** Neither can be stored: PostgreSQL's text has no NUL, and UTF-8 has no lone surrogates. */
function validateText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  return undefined;
}
