/** A condition that people choose without writing it. */
export interface Chip {
  field: string;
  value: string;
}

/** How a condition is written in the language of filters. */
export interface FilterText {
  write(value: string): string;
  /** What `write` makes, with what `read` gets in the only group. */
  pattern: string;
  read(text: string): string;
}

/** How each condition of a resource is written, by its name. */
export type FilterTexts = Readonly<Record<string, FilterText>>;

/** A condition as people see it. */
export interface FilterField {
  /** Its name in `FilterTexts`. */
  id: string;
  /** In the list of what can be chosen. */
  title: string;
  /** What a chip says. */
  describe(value: string): string;
  /** Left out: any text. */
  options?: readonly { value: string; label: string }[];
}

const quote = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;
const unquote = (text: string): string => text.slice(1, -1).replace(/\\(["\\])/g, '$1');
const TEXT = '"(?:[^"\\\\]|\\\\["\\\\])*"';
const escapePattern = (text: string): string => text.replace(/[().+?^$|[\]{}\\]/g, '\\$&');

/** `call(field,"value")`. */
export const written = (call: string, field: string): FilterText => ({
  write: (value) => `${call}(${field},${quote(value)})`,
  pattern: `${call}\\(${field},(${TEXT})\\)`,
  read: unquote,
});

/** `call("value")`. */
export const called = (call: string): FilterText => ({
  write: (value) => `${call}(${quote(value)})`,
  pattern: `${call}\\(\\s*(${TEXT})\\s*\\)`,
  read: unquote,
});

/** One of a few conditions, each with a name; `other` writes all other values. */
export function oneOf(conditions: Readonly<Record<string, string>>, other?: FilterText): FilterText {
  const known = Object.entries(conditions);
  const texts = known.map(([, text]) => escapePattern(text));
  // Its group would be a second one.
  const rest = other ? [other.pattern.replace(`(${TEXT})`, TEXT)] : [];
  return {
    write: (value) => conditions[value] ?? other?.write(value) ?? '',
    pattern: `(${[...texts, ...rest].join('|')})`,
    read(text) {
      const found = known.find(([, condition]) => condition === text);
      if (found) return found[0];
      const value = other && new RegExp(`^${other.pattern}$`).exec(text)?.[1];
      return value === undefined ? '' : (other?.read(value) ?? '');
    },
  };
}

/** The filter that the API gets; empty for everything. */
export function writeFilter(texts: FilterTexts, chips: readonly Chip[]): string {
  const conditions = chips.flatMap(({ field, value }) => texts[field]?.write(value) ?? []);
  return conditions.length > 1 ? `and(${conditions.join()})` : (conditions[0] ?? '');
}

/** The chips of a filter; undefined if it says more than chips can. */
export function readFilter(texts: FilterTexts, filter: string): readonly Chip[] | undefined {
  let rest = filter.trim();
  if (rest === '') return [];
  const isList = /^and\(.*\)$/s.test(rest);
  if (isList) rest = rest.slice(4, -1);
  const chips: Chip[] = [];
  while (rest !== '') {
    const found = readChip(texts, rest);
    if (!found) return undefined;
    chips.push(found.chip);
    const after = rest.slice(found.length);
    if (after !== '' && !/^\s*,\s*\S/.test(after)) return undefined;
    rest = after.replace(/^\s*,\s*/, '');
  }
  return isList || chips.length === 1 ? chips : undefined;
}

function readChip(texts: FilterTexts, text: string): { chip: Chip; length: number } | undefined {
  for (const [field, { pattern, read }] of Object.entries(texts)) {
    const match = new RegExp(`^${pattern}`).exec(text);
    if (match) return { chip: { field, value: read(match[1] as string) }, length: match[0].length };
  }
  return undefined;
}
