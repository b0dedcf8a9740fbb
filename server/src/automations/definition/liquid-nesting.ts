import { type Liquid, Tokenizer } from 'liquidjs';

/** How many tags, brackets and ranges may stand inside each other. */
export const MAX_LIQUID_NESTING = 100;

export class LiquidNestingError extends Error {
  constructor() {
    super(`Liquid must not be nested deeper than ${MAX_LIQUID_NESTING} levels`);
  }
}

/** Levels that are open at this moment. Parsing is synchronous, so one counter serves every text. */
let level = 0;

function withinLevel<Result>(parse: () => Result): Result {
  if (level >= MAX_LIQUID_NESTING) throw new LiquidNestingError();
  level += 1;
  try {
    return parse();
  } finally {
    level -= 1;
  }
}

/**
 * liquidjs parses by recursion and has no limit of its own: how deep a text may be nested would depend on the size of
 * the stack, which differs between machines. Two of its parts recurse. A tag parses the tags inside it while it is
 * constructed, and a value parses the values in its brackets; the filters that take an expression parse those too.
 */
export function limitNesting(engine: Liquid): void {
  for (const [name, tag] of Object.entries(engine.tags)) engine.registerTag(name, countedTag(tag));
}

type TagClass = Liquid['tags'][string];

const countedTag = (tag: TagClass): TagClass =>
  new Proxy(tag, {
    construct: (target, args, newTarget) =>
      withinLevel(() => Reflect.construct(target, args, newTarget) as object),
  });

const { readValue } = Tokenizer.prototype;
Tokenizer.prototype.readValue = function (this: Tokenizer) {
  return withinLevel(() => readValue.call(this));
};
