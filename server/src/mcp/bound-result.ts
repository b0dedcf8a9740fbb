/** About 10,000 tokens: more would push everything else out of the context of an assistant. */
export const MAX_RESULT_CHARACTERS = 40_000;

/**
 * Invisible characters by which a text can carry instructions that no person sees. One joiner and one variation
 * selector after a character stay, which are part of emoji and of many scripts: bytes can only be spelt with several.
 */
const INVISIBLE =
  /(?!\p{Join_Control}|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+|(?<=\p{Join_Control})(?:\p{Join_Control}|[\ufe00-\ufe0f])+/gu;

/** A text as a person would see it. */
export const visibleText = (text: string): string => text.replace(INVISIBLE, '');

/** How long texts and lists may be; the first bounds with which a result is short enough are used. */
const BOUNDS = [
  { text: 4_000, items: 1_000 },
  { text: 1_000, items: 100 },
  { text: 300, items: 50 },
  { text: 200, items: 20 },
  { text: 100, items: 10 },
  { text: 60, items: 3 },
] as const;
const MAX_DEPTH = 12;
const MAX_FIELDS = 100;

interface Cuts {
  texts: number;
  lists: number;
}

function shorten(
  value: unknown,
  bounds: { text: number; items: number },
  cuts: Cuts,
  depth: number,
): unknown {
  if (typeof value === 'string') {
    const text = visibleText(value);
    if (text.length <= bounds.text) return text;
    cuts.texts += 1;
    return `${text.slice(0, bounds.text).toWellFormed()}… (${text.length - bounds.text} more characters)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) {
    cuts.texts += 1;
    return '…';
  }
  const items = Array.isArray(value) ? value : Object.entries(value);
  const max = Array.isArray(value) ? bounds.items : MAX_FIELDS;
  if (items.length > max) cuts.lists += 1;
  const kept = items.slice(0, max);
  if (Array.isArray(value)) return kept.map((item) => shorten(item, bounds, cuts, depth + 1));
  return Object.fromEntries(
    (kept as [string, unknown][])
      // What is not there says nothing, and half of the fields of a record are not there.
      .filter(([, item]) => item !== null && !(Array.isArray(item) && item.length === 0))
      .map(([key, item]) => [visibleText(key).slice(0, 200), shorten(item, bounds, cuts, depth + 1)]),
  );
}

/** A result in at most the allowed number of characters, and what to do if something was left out. */
export function boundResult(result: Record<string, unknown>): Record<string, unknown> {
  for (const bounds of BOUNDS) {
    const cuts: Cuts = { texts: 0, lists: 0 };
    const short = shorten(result, bounds, cuts, 0) as Record<string, unknown>;
    const notes = [
      ...(cuts.lists > 0 ? [listNote(bounds.items)] : []),
      ...(cuts.texts > 0 ? ['Long texts are cut.'] : []),
    ];
    const bounded = notes.length > 0 ? { ...short, shortened: notes.join(' ') } : short;
    if (JSON.stringify(bounded).length <= MAX_RESULT_CHARACTERS) return bounded;
  }
  return {
    shortened: 'The result is too long to show. Ask for one item, or for fewer with pagination.limit.',
  };
}

const listNote = (items: number): string =>
  `Lists are cut after ${items} items: do not continue with nextCursor, which would skip the rest; ask again with pagination.limit ${items} or a narrower filter.`;
