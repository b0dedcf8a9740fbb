import { lazy } from '../base/lazy.ts';

/**
 * Compiles schemas on first use, because all of them would take a fifth of the start. The same schema is compiled once:
 * most resources are the answer of several operations.
 */
export function compileOnce<Compiled extends object>(
  compile: (schema: object) => Compiled,
): (schemaOf: () => object) => () => Compiled {
  const compiled = new Map<string, Compiled>();
  return (schemaOf) =>
    lazy(() => {
      const schema = schemaOf();
      const text = JSON.stringify(schema);
      const known = compiled.get(text) ?? compile(schema);
      compiled.set(text, known);
      return known;
    });
}
