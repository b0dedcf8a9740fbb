import type { Context, Emitter, Liquid } from 'liquidjs';

/** Everything that a text makes, in characters and elements of arrays: values, captures and output together. */
export const RENDER_MEMORY = 256 * 1024;
/** No channel takes a longer text. */
export const MAX_OUTPUT_CHARACTERS = 64 * 1024;

type Limiter = Context['memoryLimit'];

/** The characters of an array as text. Arrays may contain one large text many times, which takes no memory until then. */
function chargeArray(limiter: Limiter, value: unknown): void {
  if (!Array.isArray(value)) return;
  limiter.use(value.length);
  for (const item of value)
    if (typeof item === 'string') limiter.use(item.length);
    else chargeArray(limiter, item);
}

/** Texts are joined without copying, so that a capture of captures grows to gigabytes before it takes memory. */
class BoundedEmitter implements Emitter {
  buffer = '';
  readonly #limiter: Limiter;
  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }
  write(value: unknown): void {
    chargeArray(this.#limiter, value);
    const text = Array.isArray(value)
      ? value.flat(Number.POSITIVE_INFINITY).map(toText).join('')
      : toText(value);
    this.#limiter.use(text.length);
    this.buffer += text;
  }
}

const toText = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/**
 * Filters that take an expression: each evaluates a text of its own for every element, and none is part of Liquid as others
 * know it.
 */
const EXPRESSION_FILTERS = /_exp$/;

/**
 * Charges what the library forgets to charge: output, captures and nested arrays. A thread that runs out of memory ends
 * alone, but a single allocation beyond all limits ends the whole process, so that it must not happen at all.
 */
export function limitMemory(engine: Liquid): void {
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, context, emitter = new BoundedEmitter(context.memoryLimit)) =>
    renderTemplates(templates, context, emitter);
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (EXPRESSION_FILTERS.test(name)) {
      engine.unregisterFilter(name);
      continue;
    }
    const { handler, raw } = typeof filter === 'function' ? { handler: filter, raw: false } : filter;
    engine.registerFilter(name, {
      raw,
      handler(value: unknown, ...args: unknown[]) {
        for (const one of [value, ...args]) chargeArray(this.context.memoryLimit, one);
        return handler.call(this, value, ...args);
      },
    });
  }
}
