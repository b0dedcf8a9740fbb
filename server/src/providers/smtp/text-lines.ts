/** No line that introduces a quotation is longer. */
const MAX_LINE = 300;

export const isQuote = (line: string): boolean => /^\s{0,3}>/.test(line);
export const isBlank = (line: string): boolean => line.trim() === '';

/** The lines of a text. */
export interface TextLines {
  all: readonly string[];
  count: number;
  /** The beginning of a line; empty after the last one. */
  at(number: number): string;
  /** The next line that is not blank, from this one on; `count` if there is none. */
  nextWritten(number: number): number;
}

export function textLines(text: string): TextLines {
  const all = text.split(/\r?\n/);
  const next = new Int32Array(all.length + 1);
  next[all.length] = all.length;
  for (let number = all.length - 1; number >= 0; number--)
    next[number] = isBlank(all[number] ?? '') ? (next[number + 1] ?? 0) : number;
  return {
    all,
    count: all.length,
    at: (number) => (all[number] ?? '').slice(0, MAX_LINE),
    nextWritten: (number) => next[Math.min(number, all.length)] ?? all.length,
  };
}
