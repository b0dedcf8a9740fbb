/** One SQL statement: prepared once per connection under its name, with the types of what goes in and comes out. */
export interface Statement<P extends readonly unknown[], R> {
  readonly name: string;
  readonly text: string;
  /** Carries the types only; never present. */
  readonly types?: (parameters: P) => R;
}

const declared = new Map<string, Statement<readonly unknown[], unknown>>();

/** Declares a statement. Names are unique in the program; a test prepares every declared one. */
export function statement<P extends readonly unknown[] = [], R = never>(
  name: string,
  text: string,
): Statement<P, R> {
  if (declared.has(name)) throw new Error(`The statement ${name} is declared twice.`);
  const made: Statement<P, R> = { name, text };
  declared.set(name, made as Statement<readonly unknown[], unknown>);
  return made;
}

export const declaredStatements = (): Statement<readonly unknown[], unknown>[] => [...declared.values()];
