import { findNearest } from '../../base/nearest.ts';
import {
  type Comparison,
  describeExpectedValue,
  type Field,
  type FieldType,
  isTextOperator,
  type LeafOperator,
  type Literal,
  leafOperators,
  operatorsByType,
  type Searchable,
  type TextOperator,
  textOperators,
  toFieldLiteral,
} from '../fields.ts';
import { quote } from '../text.ts';
import { parseField } from './field.ts';
import { isRelativeTime, readRelativeTime } from './relative-time.ts';
import { ExpressionError, readTokens, type Token, type Tokens } from './tokens.ts';

export const MAX_LEVELS = 20;
const MAX_LIST_VALUES = 500;
/** Each is compared with the text of every row that no index excludes: 150 of them took seconds. */
export const MAX_TEXT_CONDITIONS = 20;
/** Each stands for its filter, of up to 4,096 characters, which may have others. */
const MAX_SEGMENTS = 20;
/**
 * About as many as 4,096 characters have room for, so segments multiply nothing. 500 conditions on handles or attributes took 8 to 12
 * seconds for the 5,000 contacts that one statement reads of an audience, and 1,000 more than its 15 seconds.
 */
export const MAX_CONDITIONS = 300;

/**
 * A filter whose fields are known and whose values have the types of the fields. `eq(f,null)` becomes `isNull(f)`.
 * A filter is true or false, never unknown: null is not equal to, greater or less than anything, so `ne` and `not(eq)`
 * are true for it.
 */
export type Filter = Group | Leaf;

/** A filter that combines others. */
export type Group = { op: 'and' | 'or'; conditions: readonly Filter[] } | { op: 'not'; condition: Filter };

/** A filter on one field. */
export type Leaf =
  | { op: Comparison; field: string; type: FieldType; value: Literal }
  | { op: 'in'; field: string; type: FieldType; values: readonly (Literal | null)[] }
  | { op: TextOperator; field: string; type: FieldType; value: string }
  | { op: 'isNull'; field: string; type: FieldType };

const FUNCTIONS: readonly string[] = ['and', 'or', 'not', 'segment', ...leafOperators];

/** The user for whom `me()` and `myTeams()` are evaluated. */
export interface Me {
  userId: string;
  teamIds: readonly string[];
}

/** What the parser knows besides the text. */
interface Known {
  searchable: Searchable;
  /** The moment for which `now()` and `today()` are evaluated. */
  now: Date;
  /** Undefined where nobody has logged in. */
  me: Me | undefined;
  /** How many segments have been replaced by their filters. */
  segments: { count: number };
  /** The segments in whose filters the parser is. */
  enclosing: readonly string[];
}

/** Parses a filter for a moment and checks it against the resource's fields. Throws an ExpressionError. */
export function parseFilter(text: string, searchable: Searchable, now: Date, me?: Me): Filter {
  return parseWhole(text, { searchable, now, me, segments: { count: 0 }, enclosing: [] }, 1);
}

function parseWhole(text: string, known: Known, level: number): Filter {
  const tokens = readTokens(text);
  const filter = parseCondition(tokens, known, level);
  const last = tokens.take();
  if (last.kind !== 'end') throw tokens.createExpectedError('end of input', last);
  return filter;
}

/** The same for a filter that PostgreSQL evaluates, with limits on what it compares with each row. */
export function parseRowFilter(text: string, searchable: Searchable, now: Date, me?: Me): Filter {
  const filter = parseFilter(text, searchable, now, me);
  if (countTextConditions(filter) > MAX_TEXT_CONDITIONS)
    throw new ExpressionError(
      `More than ${MAX_TEXT_CONDITIONS} conditions with ${textOperators.join(', ')}`,
      1,
    );
  if (listFields(filter).length > MAX_CONDITIONS)
    throw new ExpressionError(`More than ${MAX_CONDITIONS} conditions, with those of its segments`, 1);
  return filter;
}

export function countTextConditions(filter: Filter): number {
  if (filter.op === 'and' || filter.op === 'or')
    return filter.conditions.reduce((sum, condition) => sum + countTextConditions(condition), 0);
  if (filter.op === 'not') return countTextConditions(filter.condition);
  return 'field' in filter && isTextOperator(filter.op) && filter.type !== 'list' ? 1 : 0;
}

// MAX_LEVELS bounds the recursion.
function parseCondition(tokens: Tokens, known: Known, level: number): Filter {
  const name = tokens.take();
  if (name.kind !== 'name') throw tokens.createExpectedError('a condition such as eq(field,"value")', name);
  if (level > MAX_LEVELS) throw tokens.createError(`More than ${MAX_LEVELS} levels`, name);
  const op = name.text;
  if (!FUNCTIONS.includes(op)) {
    const suggestion = `; did you mean "${findNearest(op, FUNCTIONS)}"?`;
    throw tokens.createError(`Unknown function ${quote(op)}`, name, suggestion);
  }
  tokens.takePunctuation('(');
  if (op === 'and' || op === 'or') {
    const conditions: Filter[] = [];
    do conditions.push(parseCondition(tokens, known, level + 1));
    while (tokens.hasMore());
    return { op, conditions };
  }
  if (op === 'not') {
    const condition = parseCondition(tokens, known, level + 1);
    tokens.takePunctuation(')');
    return { op, condition };
  }
  if (op === 'segment') return parseSegment(tokens, known, name, level);
  return parseLeaf(tokens, known, op as LeafOperator);
}

/** `segment("<id>")` is the filter of the segment. */
function parseSegment(tokens: Tokens, known: Known, name: Token, level: number): Filter {
  const { searchable, segments, enclosing } = known;
  if (!searchable.segmentFilter) throw tokens.createError('segment() is only for filters of contacts', name);
  const token = tokens.take();
  if (token.kind !== 'text') throw tokens.createExpectedError('the id of a segment in quotes', token);
  tokens.takePunctuation(')');
  const id = token.text.toLowerCase();
  const text = searchable.segmentFilter(id);
  if (text === undefined) throw tokens.createError(`There is no segment ${quote(token.text)}`, token);
  if (enclosing.includes(id)) throw tokens.createError('A segment must not contain itself', token);
  segments.count += 1;
  if (segments.count > MAX_SEGMENTS) throw tokens.createError(`More than ${MAX_SEGMENTS} segments`, token);
  try {
    return parseWhole(text, { ...known, enclosing: [...enclosing, id] }, level + 1);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw tokens.createError(`In segment ${quote(token.text)}: ${error.message}`, token);
  }
}

/** The ids of segments that a filter may name, in lower case, also if it is not valid. */
export const namedSegments = (text: string): string[] =>
  [...text.matchAll(/\bsegment\s*\(\s*"([^"\\]*)"/g)].map(([, id = '']) => id.toLowerCase());

function parseLeaf(tokens: Tokens, known: Known, op: LeafOperator): Filter {
  const fieldToken = tokens.peek();
  const { name, field } = parseField(tokens, known.searchable);
  const { type } = field;
  const operators = operatorsByType[type];
  if (!operators.includes(op)) {
    const supported = `; supported: ${operators.join(', ')}`;
    throw tokens.createError(
      `${op} does not apply to the ${type} field ${quote(name)}`,
      fieldToken,
      supported,
    );
  }
  if (op === 'isNull') {
    tokens.takePunctuation(')');
    return { op, field: name, type };
  }
  tokens.takePunctuation(',');
  if (op === 'in') {
    const canBeNull = type !== 'list';
    const values: (Literal | null)[] = [];
    do {
      if (values.length === MAX_LIST_VALUES) {
        throw tokens.createError(`More than ${MAX_LIST_VALUES} values in a list`, tokens.peek());
      }
      if (isCall(tokens.peek(), 'myTeams') && type === 'uuid') values.push(...readMyTeams(tokens, known));
      else values.push(parseValue(tokens, known, name, field, canBeNull));
    } while (tokens.hasMore());
    return { op, field: name, type, values };
  }
  const isText = isTextOperator(op);
  // A part of a text may begin or end with a space.
  const target: Field = isText
    ? { ...field, type: type === 'any' ? 'string' : type, isTrimmed: false }
    : field;
  const value = parseValue(tokens, known, name, target, op === 'eq' || op === 'ne');
  tokens.takePunctuation(')');
  if (isText) return { op, field: name, type, value: String(value) };
  if (value !== null) return { op, field: name, type, value };
  const isNull: Leaf = { op: 'isNull', field: name, type };
  return op === 'eq' ? isNull : { op: 'not', condition: isNull };
}

const isCall = (token: Token, name: string): boolean => token.kind === 'name' && token.text === name;

/** Takes `me()` or `myTeams()`, and returns who that is. */
function takeMe(tokens: Tokens, { me }: Known): Me {
  const token = tokens.take();
  tokens.takePunctuation('(');
  tokens.takePunctuation(')');
  if (me) return me;
  throw tokens.createError(
    `${'text' in token ? token.text : ''}() is only for users who have logged in`,
    token,
  );
}

const readMyTeams = (tokens: Tokens, known: Known): readonly string[] => takeMe(tokens, known).teamIds;

function parseValue(
  tokens: Tokens,
  known: Known,
  name: string,
  field: Field,
  canBeNull: boolean,
): Literal | null {
  if (isCall(tokens.peek(), 'me') && field.type === 'uuid') return takeMe(tokens, known).userId;
  const token = tokens.take();
  if (isRelativeTime(token) && (field.type === 'time' || field.type === 'any'))
    return readRelativeTime(tokens, token, known.now);
  const given = toLiteral(token);
  if (given === null && canBeNull) return null;
  const value = given === null || given === undefined ? undefined : toFieldLiteral(field, given);
  if (value === undefined) {
    throw tokens.createExpectedError(`${describeExpectedValue(field)} for ${quote(name)}`, token);
  }
  return value;
}

function toLiteral(token: Token): Literal | null | undefined {
  if (token.kind === 'text') return token.text;
  if (token.kind === 'number') return token.value;
  if (token.kind !== 'name') return undefined;
  if (token.text === 'null') return null;
  return token.text === 'true' ? true : token.text === 'false' ? false : undefined;
}

/** The names of all fields in a filter, as often as they occur. */
export function listFields(filter: Filter): string[] {
  if ('field' in filter) return [filter.field];
  return filter.op === 'not' ? listFields(filter.condition) : filter.conditions.flatMap(listFields);
}
