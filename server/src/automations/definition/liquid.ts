import { Liquid, type LiquidError } from 'liquidjs';
import { LiquidNestingError, limitNesting } from './liquid-nesting.ts';

/**
 * The parser removes tokens from the front of an array, which takes quadratic time beyond about ten thousand of them:
 * texts must be shorter.
 */
export const MAX_TEMPLATE_CHARACTERS = 10_000;

/** Limits on time and memory, because a text may loop over the answer of an external server. */
const RENDER_MS = 200;
const RENDER_MEMORY = 5_000_000;

// Strict: a misspelt name is an error and not an empty text.
const engine = new Liquid({
  templates: {},
  strictFilters: true,
  strictVariables: true,
  ownPropertyOnly: true,
  parseLimit: MAX_TEMPLATE_CHARACTERS,
  renderLimit: RENDER_MS,
  memoryLimit: RENDER_MEMORY,
});
// These tags include files, and there are none.
for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
limitNesting(engine);

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

/** The rendered text, or why it could not be rendered. */
export type Rendered = { text: string; issue?: undefined } | { text?: undefined; issue: string };

/** Renders a text. An undefined name is an issue, so that no contact receives a text with a gap. */
export function render(text: string, scope: object): Rendered {
  if (liquidAt(text) < 0) return { text };
  try {
    return { text: String(engine.parseAndRenderSync(text, scope)).toWellFormed() };
  } catch (error) {
    return { issue: shortened((error as Error).message) };
  }
}
