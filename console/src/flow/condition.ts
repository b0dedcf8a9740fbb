/** A part of a filter: a function with its arguments, a name such as `message.text`, or a value. */
export type Expression =
  | { call: string; arguments: readonly Expression[] }
  | { name: string }
  | { value: string | number | boolean | null };

const TOKEN = /\s*(?:("(?:[^"\\]|\\["\\])*")|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w.-]*)|([(),]))/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

type Token = { value: string | number } | { word: string } | { sign: string };

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (!match) return undefined;
    const [, quoted, number, word, sign] = match;
    if (quoted !== undefined) tokens.push({ value: quoted.slice(1, -1).replace(/\\(["\\])/g, '$1') });
    else if (number !== undefined) tokens.push({ value: Number(number) });
    else if (word !== undefined) tokens.push({ word });
    else tokens.push({ sign: sign as string });
  }
  return tokens;
}

const MAX_DEPTH = 20;

/** Reads a filter of the API. Undefined if it is not one: the API says what is wrong. */
export function parseCondition(text: string): Expression | undefined {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  let position = 0;
  const isSign = (sign: string): boolean => {
    const token = tokens[position];
    return token !== undefined && 'sign' in token && token.sign === sign;
  };
  const read = (depth: number): Expression | undefined => {
    const token = tokens[position];
    if (!token || 'sign' in token || depth > MAX_DEPTH) return undefined;
    position += 1;
    if ('value' in token) return { value: token.value };
    if (!isSign('('))
      return Object.hasOwn(WORDS, token.word) ? { value: WORDS[token.word] ?? null } : { name: token.word };
    position += 1;
    const parts: Expression[] = [];
    while (!isSign(')')) {
      const part = read(depth + 1);
      if (!part) return undefined;
      parts.push(part);
      if (isSign(',')) position += 1;
      else if (!isSign(')')) return undefined;
    }
    position += 1;
    return { call: token.word, arguments: parts };
  };
  const expression = read(0);
  return position === tokens.length && expression && 'call' in expression ? expression : undefined;
}
