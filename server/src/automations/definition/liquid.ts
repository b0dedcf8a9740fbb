import { Liquid, type LiquidError, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { limitMemory, MAX_OUTPUT_CHARACTERS, RENDER_MEMORY } from './liquid-limits.ts';
import { LiquidNestingError, limitNesting } from './liquid-nesting.ts';
import { haveSmallValues, type Path, pathsOfSimple } from './liquid-simple.ts';

/**
 * The parser removes tokens from the front of an array, which takes quadratic time beyond about ten thousand of them:
 * texts must be shorter.
 */
export const MAX_TEMPLATE_CHARACTERS = 10_000;

// Strict: a misspelt name is an error and not an empty text. Time is limited by the thread in which a text is rendered.
const engine = new Liquid({
  templates: {},
  strictFilters: true,
  strictVariables: true,
  ownPropertyOnly: true,
  parseLimit: MAX_TEMPLATE_CHARACTERS,
  memoryLimit: RENDER_MEMORY,
});
// These tags include files, and there are none.
for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
limitNesting(engine);
limitMemory(engine);

const TAG_START = /\{[{%]/;

/** Counts the tags and outputs of a text. */
export const countTags = (text: string): number => text.match(/\{[{%]/g)?.length ?? 0;

/** The index of the first tag or output, or -1 if the text has no Liquid. */
export const liquidAt = (text: string): number => text.search(TAG_START);

/** Names that are only known when the text is rendered: `{{ [name] }}`, and filters that evaluate a text. */
const DYNAMIC_NAME = /(?:^|[^\w\])"'])\[|_exp\b/;

/** The names at the beginning of all paths in a valid template, such as `contact`; undefined if it may use any. */
export function rootNamesOf(text: string): string[] | undefined {
  const start = liquidAt(text);
  if (start < 0) return [];
  if (DYNAMIC_NAME.test(text.slice(start))) return undefined;
  try {
    return engine.globalVariablesSync(engine.parse(text));
  } catch {
    return undefined;
  }
}

const LONGEST_MESSAGE = 300;

const shortened = (message: string): string => message.slice(0, LONGEST_MESSAGE).toWellFormed();

/** Returns what is wrong with a template, with line and column, or undefined if it is valid. */
export function validateLiquid(text: string): string | undefined {
  if (liquidAt(text) < 0) return undefined;
  try {
    engine.parse(text);
    return undefined;
  } catch (error) {
    const { message, originalError } = error as LiquidError;
    if (originalError instanceof LiquidNestingError) return originalError.message;
    return `This is not valid Liquid: ${shortened(message)}`;
  }
}

/** What a simple text may use: more than its values and itself. */
const SIMPLE_MEMORY = 500_000;

/** The rendered text, or why it could not be rendered. */
export type Rendered = { text: string; issue?: undefined } | { text?: undefined; issue: string };

interface ParsedText {
  templates: Template[];
  /** Only of simple texts. */
  paths: Path[] | undefined;
}

/** Parsing takes most of the time of a short text: 20 µs of 25. */
const parsedTexts = new LRUCache<string, ParsedText>({
  maxSize: 500_000,
  sizeCalculation: (_parsed, text) => text.length + 100,
});

function parse(text: string): ParsedText {
  let parsed = parsedTexts.get(text);
  if (!parsed) {
    const templates = engine.parse(text);
    parsed = { templates, paths: pathsOfSimple(templates) };
    parsedTexts.set(text, parsed);
  }
  return parsed;
}

/** Renders a text. An undefined name is an issue, so that no contact receives a text with a gap. */
export function render(text: string, scope: object, memoryLimit = RENDER_MEMORY): Rendered {
  if (liquidAt(text) < 0) return { text };
  try {
    const rendered = String(engine.renderSync(parse(text).templates, scope, { memoryLimit }));
    return rendered.length > MAX_OUTPUT_CHARACTERS
      ? { issue: `It has ${rendered.length} characters, and at most ${MAX_OUTPUT_CHARACTERS} are allowed` }
      : { text: rendered.toWellFormed() };
  } catch (error) {
    return { issue: shortened((error as Error).message) };
  }
}

/** Renders a text if that takes a short time, whatever its values are; undefined for a text that needs a worker thread. */
export function renderSimple(text: string, scope: object): Rendered | undefined {
  if (liquidAt(text) < 0) return { text };
  try {
    const { paths } = parse(text);
    if (!paths || !haveSmallValues(paths, scope)) return undefined;
    const rendered = render(text, scope, SIMPLE_MEMORY);
    // The width of a part of a date, for example, is not a value.
    return rendered.issue?.includes('memory alloc limit') ? undefined : rendered;
  } catch (error) {
    return { issue: shortened((error as Error).message) };
  }
}
