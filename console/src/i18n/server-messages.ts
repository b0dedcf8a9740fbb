/** Translations of texts of the server: `{}` is a value in a text; see de/validation.ts. */
export type ServerMessages = Readonly<Record<string, string>>;

interface Template {
  /** What stands around the values. */
  parts: readonly string[];
  translation: string;
}

/** A value may be a text of the server itself, which has values, and so on: each of five things that use another is one. */
const MAX_DEPTH = 8;

/** Says where in an expression something is wrong: what stands before it is a text of its own. */
const POSITION = ' at column ';

/** Longer than any text of the server. */
const RANK = 10_000;
const MIN_LITERAL = 15;

/** How exact a template is: by how much of the text is known, and whether both of its ends are. */
function exactness({ parts }: Template): number {
  const length = parts.join('').length;
  const hasEnds = parts[0] !== '' && parts.at(-1) !== '' && length >= MIN_LITERAL;
  return hasEnds ? 2 * RANK + length : parts.includes(POSITION) ? RANK : length;
}

/** Returns a function that translates a text, or returns undefined if it has no translation. */
export function createMessageTranslator(messages: ServerMessages): (text: string) => string | undefined {
  const templates = Object.entries(messages)
    .filter(([text]) => text.includes('{}'))
    .map(([text, translation]): Template => ({ parts: text.split('{}'), translation }))
    // Of two that know as much, the one with fewer values.
    .sort((a, b) => exactness(b) - exactness(a) || a.parts.length - b.parts.length);

  function translate(text: string, depth: number): string | undefined {
    if (Object.hasOwn(messages, text)) return messages[text];
    if (depth > MAX_DEPTH) return undefined;
    const fill = (translation: string, values: readonly string[]): string =>
      translation.replace(/\{(\d)(\*?)\}/g, (_, number: string, isText: string) => {
        const value = values[Number(number) - 1] ?? '';
        return isText === '' ? value : (translate(value, depth + 1) ?? value);
      });
    // What an error is called comes first: whatever follows is a text of its own.
    const end = text.indexOf(': ');
    const named = `${text.slice(0, end)}: {}`;
    if (end > 0 && Object.hasOwn(messages, named))
      return fill(messages[named] as string, [text.slice(end + 2)]);
    for (const { parts, translation } of templates) {
      const values = valuesIn(text, parts);
      if (values) return fill(translation, values);
    }
    return undefined;
  }
  return (text) => translate(text, 0);
}

/** The values between the parts of a template, or undefined if the text is another one. */
function valuesIn(text: string, [first = '', ...parts]: readonly string[]): string[] | undefined {
  const last = parts.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const values: string[] = [];
  let position = first.length;
  for (const part of parts.slice(0, -1)) {
    // Two values without a text between them: the first one is a word.
    const end = part === '' ? position + wordLength(text, position) : text.indexOf(part, position);
    if (end < 0) return undefined;
    values.push(text.slice(position, end));
    position = end + part.length;
  }
  const end = text.length - last.length;
  return end < position ? undefined : [...values, text.slice(position, end)];
}

const wordLength = (text: string, from: number): number => /^\w*/.exec(text.slice(from))?.[0].length ?? 0;
