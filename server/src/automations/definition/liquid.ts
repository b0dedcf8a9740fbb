import { Context, Liquid, type LiquidError, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { findNearest } from '../../base/nearest.ts';
import { keepDates, placeOf } from './liquid-dates.ts';
import { limitMemory, MAX_OUTPUT_CHARACTERS, RENDER_MEMORY } from './liquid-limits.ts';
import { LiquidNestingError, limitNesting } from './liquid-nesting.ts';
import { openScope, SCOPE_NAMES } from './liquid-scope.ts';
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
  locale: 'en',
  timezoneOffset: 'UTC',
});
// These tags include files, and there are none.
for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
limitNesting(engine);
keepDates(engine);
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

/** The first two names of every path in a valid template, such as `variables` and `plan`. Names that values decide are left out. */
export function segmentsOf(text: string): [root: string, name: string | undefined][] {
  if (liquidAt(text) < 0) return [];
  try {
    return engine
      .globalVariableSegmentsSync(engine.parse(text))
      .map(([root, name]) => [String(root), typeof name === 'string' ? name : undefined]);
  } catch {
    return [];
  }
}

const LONGEST_MESSAGE = 300;

const shortened = (message: string): string => message.slice(0, LONGEST_MESSAGE).toWellFormed();

/** In brackets, quoted keys are listed like names. */
const IDENTIFIER = /^[A-Za-z_][\w-]*$/;

/** A name that is neither known nor made by the text itself. */
function findUnknownRoot(text: string, known: readonly string[]): string | undefined {
  const templates = engine.parse(text);
  if (DYNAMIC_NAME.test(text)) return undefined;
  return engine
    .globalVariablesSync(templates)
    .find((name: string) => IDENTIFIER.test(name) && !known.includes(name));
}

/** Returns what is wrong with a template, with line and column, or undefined if it is valid. */
export function validateLiquid(text: string, known: readonly string[] = SCOPE_NAMES): string | undefined {
  if (liquidAt(text) < 0) return undefined;
  try {
    const unknown = findUnknownRoot(text, known);
    if (unknown === undefined) return undefined;
    if (unknown === 'secrets') return 'Secrets can only be used in headers and the body of http_request';
    const nearest = findNearest(unknown, known);
    return `There is no "${unknown}"${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
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

/** Renders a text. A misspelt name is an issue, so that no contact receives a text with a gap. */
export function render(
  text: string,
  scope: Readonly<Record<string, unknown>>,
  memoryLimit = RENDER_MEMORY,
): Rendered {
  if (liquidAt(text) < 0) return { text };
  try {
    const context = new Context(
      openScope(scope),
      { ...engine.options, ...placeOf(scope) },
      { sync: true, memoryLimit },
    );
    const rendered = String(engine.renderSync(parse(text).templates, context));
    return rendered.length > MAX_OUTPUT_CHARACTERS
      ? { issue: `It has ${rendered.length} characters, and at most ${MAX_OUTPUT_CHARACTERS} are allowed` }
      : { text: rendered.toWellFormed() };
  } catch (error) {
    return { issue: shortened((error as Error).message) };
  }
}

/** Renders a text if that takes a short time, whatever its values are; undefined for a text that needs a worker thread. */
export function renderSimple(text: string, scope: Readonly<Record<string, unknown>>): Rendered | undefined {
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

/** Whether a valid text is rendered in a short time as long as its values are small. */
export const isSimpleLiquid = (text: string): boolean =>
  liquidAt(text) < 0 || parse(text).paths !== undefined;
