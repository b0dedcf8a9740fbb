import { codePointsBefore, findUnstorable, quote } from './text.ts';

export const MAX_EXPRESSION_CHARACTERS = 4096;

/** What is wrong with an expression, in words for the person who wrote it, and where (the first column is 1). */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly column: number;

  /** `problem` stands before the column in the message and `rest` after it. */
  constructor(problem: string, column: number, rest = '') {
    super(`${problem} at column ${column}${rest}`);
    this.column = column;
  }
}

export type Mark = '(' | ')' | ',';

export type Token = { at: number } & (
  | { kind: 'name' | 'text'; text: string }
  | { kind: 'number'; value: number }
  | { kind: 'mark'; mark: Mark }
  | { kind: 'end' }
);

/** The tokens of an expression, each read when it is asked for, so that the first error from the left is told. */
export interface Tokens {
  peek(): Token;
  take(): Token;
  takeMark(mark: Mark): void;
  /** After an element of a list: true past a comma, false past the closing parenthesis. */
  hasMore(): boolean;
  error(problem: string, token: Token, rest?: string): ExpressionError;
  expected(what: string, token: Token): ExpressionError;
}

// Sticky, without nested repetition: each looks at a character a bounded number of times and never goes back.
const BLANKS = /\s*/y;
const NAME = /[A-Za-z_][\w.-]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_TEXT = /[^"\\]*/y;

/** Whether a field of this name can be written without quotes. */
export const isPlainName = (name: string): boolean => matchAt(NAME, name, 0) === name && name !== '';

export function readTokens(text: string): Tokens {
  // The quick test comes first: counting the characters of a megabyte is work already.
  const limit = MAX_EXPRESSION_CHARACTERS;
  if (text.length > 2 * limit || codePointsBefore(text, text.length) > limit) {
    throw new ExpressionError(
      `The expression is longer than ${limit} characters: it should have ended`,
      limit,
    );
  }
  const unstorable = findUnstorable(text);
  if (unstorable >= 0) {
    const column = codePointsBefore(text, unstorable) + 1;
    throw new ExpressionError('A character that is not valid text', column);
  }

  let next: Token | undefined;
  let at = 0;
  const tokens: Tokens = {
    peek() {
      if (next === undefined) {
        const scanned = scanToken(text, at);
        next = scanned.token;
        at = scanned.end;
      }
      return next;
    },
    take() {
      const token = tokens.peek();
      next = undefined;
      return token;
    },
    takeMark(mark) {
      const token = tokens.take();
      if (token.kind !== 'mark' || token.mark !== mark) throw tokens.expected(`"${mark}"`, token);
    },
    hasMore() {
      const token = tokens.take();
      if (token.kind === 'mark' && token.mark !== '(') return token.mark === ',';
      throw tokens.expected('"," or ")"', token);
    },
    error: (problem, token, rest) => errorAt(text, token.at, problem, rest),
    expected: (what, token) => errorAt(text, token.at, `Expected ${what}`, `, found ${describe(token)}`),
  };
  return tokens;
}

/** The token at or after `from`, and where it ends. Exported for the test that every character is read once. */
export function scanToken(text: string, from: number): { token: Token; end: number } {
  const at = from + matchAt(BLANKS, text, from).length;
  const first = text[at];
  if (first === undefined) return { token: { kind: 'end', at }, end: at };
  if (first === '(' || first === ')' || first === ',') {
    return { token: { kind: 'mark', mark: first, at }, end: at + 1 };
  }
  if (first === '"') return scanText(text, at);

  const name = matchAt(NAME, text, at);
  if (name !== '') return { token: { kind: 'name', text: name, at }, end: at + name.length };

  const digits = matchAt(NUMBER, text, at);
  if (digits === '') {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    throw errorAt(text, at, `Unexpected ${quote(character)}`);
  }
  const value = Number(digits);
  if (!Number.isFinite(value)) throw errorAt(text, at, `The number ${digits.slice(0, 40)} is out of range`);
  // Adding zero turns -0 into 0: they are equal everywhere but in a comparison of two filters.
  return { token: { kind: 'number', value: value + 0, at }, end: at + digits.length };
}

function scanText(text: string, at: number): { token: Token; end: number } {
  const parts: string[] = [];
  let end = at + 1;
  for (;;) {
    const plain = matchAt(PLAIN_TEXT, text, end);
    parts.push(plain);
    end += plain.length;
    const stop = text[end];
    if (stop === undefined) throw errorAt(text, at, 'Text that begins', ' has no closing quote');
    if (stop === '"') return { token: { kind: 'text', text: parts.join(''), at }, end: end + 1 };
    const escaped = text[end + 1];
    if (escaped !== '"' && escaped !== '\\') {
      throw errorAt(text, end, 'Unknown escape', '; only \\" and \\\\ are known');
    }
    parts.push(escaped);
    end += 2;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function errorAt(text: string, at: number, problem: string, rest?: string): ExpressionError {
  return new ExpressionError(problem, codePointsBefore(text, at) + 1, rest);
}

function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'end of input';
    case 'mark':
      return `"${token.mark}"`;
    case 'number':
      return `the number ${token.value}`;
    case 'text':
      return `the text ${quote(token.text)}`;
    case 'name':
      return quote(token.text);
  }
}
