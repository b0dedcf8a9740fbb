import { Liquid, type LiquidError } from 'liquidjs';

/**
 * Liquid as automations have it: no files, and what is misspelt is a fault instead of a blank. Its parser takes
 * tokens from the front of an array, which is quadratic beyond some ten thousand of them: texts stay shorter.
 */
export const MAX_TEMPLATE_CHARACTERS = 10_000;

/** A text may loop over what somebody else's server answered: how long it may take, and how much it may make. */
const RENDER_MS = 200;
const RENDER_MEMORY = 5_000_000;

const engine = new Liquid({
  templates: {},
  strictFilters: true,
  strictVariables: true,
  ownPropertyOnly: true,
  parseLimit: MAX_TEMPLATE_CHARACTERS,
  renderLimit: RENDER_MS,
  memoryLimit: RENDER_MEMORY,
});
// There is nothing that these could include.
for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];

const MARK = /\{[{%]/;

/** How many tags and outputs begin in a text. */
export const countTags = (text: string): number => text.match(/\{[{%]/g)?.length ?? 0;

/** Where a text's first Liquid begins, or -1 where it is nothing but text. */
export const liquidAt = (text: string): number => text.search(MARK);

const LONGEST_MESSAGE = 300;

const shortened = (message: string): string => message.slice(0, LONGEST_MESSAGE).toWellFormed();

/** What is wrong with a template, with line and column, or undefined. */
export function validateLiquid(text: string): string | undefined {
  if (liquidAt(text) < 0) return undefined;
  try {
    engine.parse(text);
    return undefined;
  } catch (error) {
    const { message, originalError } = error as LiquidError;
    if (originalError instanceof RangeError || error instanceof RangeError)
      return 'This Liquid is nested too deeply';
    return `This is not valid Liquid: ${shortened(message)}`;
  }
}

/** What a text says to someone, or why it cannot be said. */
export type Rendered = { text: string; issue?: undefined } | { text?: undefined; issue: string };

/** Fills a text in. A name that nothing stands for is a fault: nobody is sent a text with a hole in it. */
export function render(text: string, scope: object): Rendered {
  if (liquidAt(text) < 0) return { text };
  try {
    return { text: String(engine.parseAndRenderSync(text, scope)).toWellFormed() };
  } catch (error) {
    return { issue: shortened((error as Error).message) };
  }
}
