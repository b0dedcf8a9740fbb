import { codePointsBefore, findUnstorable, quote } from '../text.ts';

export const MAX_EXPRESSION_CHARACTERS = 4096;

/** What is wrong with an expression and at which column (the first is 1). The message is shown to the client. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly column: number;

  /** The message is `problem`, then the column, then `rest`. */
  constructor(problem: string, column: number, rest = '') {
    super(`${problem} at column ${column}${rest}`);
    this.column = column;
  }
}

type Punctuation = '(' | ')' | ',';

/** `start` is the token's first index in the text. */
export type Token = { start: number } & (
  | { kind: 'name' | 'text'; text: string }
  | { kind: 'number'; value: number }
  | { kind: 'punctuation'; character: Punctuation }
  | { kind: 'end' }
);

/** The tokens of an expression. Each is scanned on demand, so the first error from the left is reported. */
export interface Tokens {
  peek(): Token;
  take(): Token;
  takePunctuation(character: Punctuation): void;
  /** Call after an element of a list: takes a comma and returns true, or takes `)` and returns false. */
  hasMore(): boolean;
  createError(problem: string, token: Token, rest?: string): ExpressionError;
  createExpectedError(expected: string, token: Token): ExpressionError;
}

// Sticky and without nested repetition, so they do not backtrack: scanning takes linear time.
const BLANKS = /\s*/y;
const NAME = /[A-Za-z_][\w.-]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_TEXT = /[^"\\]*/y;

export function readTokens(text: string): Tokens {
  // The cheap test comes first: counting the code points of a megabyte is expensive.
  const limit = MAX_EXPRESSION_CHARACTERS;
  if (text.length > 2 * limit || codePointsBefore(text, text.length) > limit) {
    throw new ExpressionError(
      `The expression is longer than ${limit} characters: the limit is reached`,
      limit,
    );
  }
  const unstorable = findUnstorable(text);
  if (unstorable >= 0) {
    throw new ExpressionError('Invalid character', codePointsBefore(text, unstorable) + 1);
  }

  let next: Token | undefined;
  let position = 0;
  const tokens: Tokens = {
    peek() {
      if (next === undefined) {
        const scanned = scanToken(text, position);
        next = scanned.token;
        position = scanned.end;
      }
      return next;
    },
    take() {
      const token = tokens.peek();
      next = undefined;
      return token;
    },
    takePunctuation(character) {
      const token = tokens.take();
      if (token.kind !== 'punctuation' || token.character !== character) {
        throw tokens.createExpectedError(`"${character}"`, token);
      }
    },
    hasMore() {
      const token = tokens.take();
      if (token.kind === 'punctuation' && token.character !== '(') return token.character === ',';
      throw tokens.createExpectedError('"," or ")"', token);
    },
    createError: (problem, token, rest) => createErrorAt(text, token.start, problem, rest),
    createExpectedError: (expected, token) =>
      createErrorAt(text, token.start, `Expected ${expected}`, `, found ${describeToken(token)}`),
  };
  return tokens;
}

/** The token at or after `from`, and the index after it. Exported for the test that scanning takes linear time. */
export function scanToken(text: string, from: number): { token: Token; end: number } {
  const start = from + matchAt(BLANKS, text, from).length;
  const first = text[start];
  if (first === undefined) return { token: { kind: 'end', start }, end: start };
  if (first === '(' || first === ')' || first === ',') {
    return { token: { kind: 'punctuation', character: first, start }, end: start + 1 };
  }
  if (first === '"') return scanText(text, start);

  const name = matchAt(NAME, text, start);
  if (name !== '') return { token: { kind: 'name', text: name, start }, end: start + name.length };

  const digits = matchAt(NUMBER, text, start);
  if (digits === '') {
    const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
    throw createErrorAt(text, start, `Unexpected ${quote(character)}`);
  }
  const value = Number(digits);
  if (!Number.isFinite(value))
    throw createErrorAt(text, start, `The number ${digits.slice(0, 40)} is out of range`);
  // Adding zero turns -0 into 0, so that two filters with the same meaning compare as equal.
  return { token: { kind: 'number', value: value + 0, start }, end: start + digits.length };
}

function scanText(text: string, start: number): { token: Token; end: number } {
  const parts: string[] = [];
  let end = start + 1;
  for (;;) {
    const plain = matchAt(PLAIN_TEXT, text, end);
    parts.push(plain);
    end += plain.length;
    const stop = text[end];
    if (stop === undefined) throw createErrorAt(text, start, 'Text that begins', ' has no closing quote');
    if (stop === '"') return { token: { kind: 'text', text: parts.join(''), start }, end: end + 1 };
    const escaped = text[end + 1];
    if (escaped !== '"' && escaped !== '\\') {
      throw createErrorAt(text, end, 'Unknown escape', '; only \\" and \\\\ are supported');
    }
    parts.push(escaped);
    end += 2;
  }
}

function matchAt(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? '';
}

function createErrorAt(text: string, index: number, problem: string, rest?: string): ExpressionError {
  return new ExpressionError(problem, codePointsBefore(text, index) + 1, rest);
}

function describeToken(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'end of input';
    case 'punctuation':
      return `"${token.character}"`;
    case 'number':
      return `the number ${token.value}`;
    case 'text':
      return `the text ${quote(token.text)}`;
    case 'name':
      return quote(token.text);
  }
}
