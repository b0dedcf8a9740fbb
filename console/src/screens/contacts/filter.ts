/** A condition that people choose without writing it. */
export interface Chip {
  field: ChipField;
  value: string;
}
export type ChipField = keyof typeof FIELDS;

const quote = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;
const unquote = (text: string): string => text.slice(1, -1).replace(/\\(["\\])/g, '$1');

const TEXT = '"(?:[^"\\\\]|\\\\["\\\\])*"';
interface FieldText {
  write(value: string): string;
  /** What `write` makes, with the value in the first group. */
  pattern: string;
  read(text: string): string;
}
const written = (call: string, field: string): FieldText => ({
  write: (value) => `${call}(${field},${quote(value)})`,
  pattern: `${call}\\(${field},(${TEXT})\\)`,
  read: unquote,
});

/** How each is written in the language of filters. */
const FIELDS = {
  label: written('in', 'labelIds'),
  subscribed: {
    write: (value) => `eq(isSubscribed,${value})`,
    pattern: 'eq\\(isSubscribed,(true|false)\\)',
    read: (text) => text,
  },
  name: written('contains', 'fullName'),
  email: written('contains', 'email'),
  phone: written('startsWith', 'phoneNumber'),
  language: written('eq', 'language'),
  created: {
    write: (value) => `ge(createdAt,now("-${value}"))`,
    pattern: 'ge\\(createdAt,now\\("-(P1D|P7D|P30D)"\\)\\)',
    read: (text) => text,
  },
} satisfies Record<string, FieldText>;

export const chipFields = Object.keys(FIELDS) as ChipField[];
const entries = Object.entries(FIELDS) as [ChipField, FieldText][];

/** The filter that the API gets; empty for everybody. */
export function writeFilter(chips: readonly Chip[]): string {
  const conditions = chips.map(({ field, value }) => FIELDS[field].write(value));
  return conditions.length > 1 ? `and(${conditions.join()})` : (conditions[0] ?? '');
}

/** The chips of a filter; undefined if it says more than chips can. */
export function readFilter(filter: string): readonly Chip[] | undefined {
  let rest = filter.trim();
  if (rest === '') return [];
  const isList = /^and\(.*\)$/s.test(rest);
  if (isList) rest = rest.slice(4, -1);
  const chips: Chip[] = [];
  while (rest !== '') {
    const chip = readChip(rest);
    if (!chip) return undefined;
    chips.push(chip.chip);
    const after = rest.slice(chip.length);
    if (after !== '' && !/^\s*,\s*\S/.test(after)) return undefined;
    rest = after.replace(/^\s*,\s*/, '');
  }
  return isList || chips.length === 1 ? chips : undefined;
}

function readChip(text: string): { chip: Chip; length: number } | undefined {
  for (const [field, { pattern, read }] of entries) {
    const match = new RegExp(`^${pattern}`).exec(text);
    if (match) return { chip: { field, value: read(match[1] as string) }, length: match[0].length };
  }
  return undefined;
}
