interface StatementBase<P extends readonly unknown[], R> {
  readonly name: string;
  readonly text: string;
  /** Whether it uses what is being deleted. */
  readonly isRemoval?: true;
  /** Whether it can be a part of the statement before it in a transaction. */
  readonly canJoin?: true;
  /** Carries the types only; never present. */
  readonly types?: (parameters: P) => R;
}

/**
 * A statement on the rows of one tenant. `$tenant` in its text is the tenant of the transaction or reader that runs it;
 * the other parameters are numbered from `$1` on.
 */
export interface Statement<P extends readonly unknown[], R> extends StatementBase<P, R> {
  readonly scope: 'tenant';
}

/** A statement across tenants, such as the claims of workers, or before the tenant is known. */
export interface SystemStatement<P extends readonly unknown[], R> extends StatementBase<P, R> {
  readonly scope: 'system';
}

export type AnyStatement<P extends readonly unknown[] = readonly unknown[], R = unknown> =
  | Statement<P, R>
  | SystemStatement<P, R>;

const declared = new Map<string, AnyStatement>();

function declare<S extends AnyStatement<never, unknown>>(statement: S): S {
  if (declared.has(statement.name)) throw new Error(`The statement ${statement.name} is declared twice.`);
  declared.set(statement.name, statement as unknown as AnyStatement);
  return statement;
}

/** The tenant becomes the last parameter, so that the other parameters keep their numbers. */
function numberTenant(name: string, text: string): string {
  if (!text.includes('$tenant'))
    throw new Error(`The statement ${name} does not mention $tenant; declare it with systemStatement.`);
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  return text.replaceAll('$tenant', `$${Math.max(0, ...numbers) + 1}`);
}

/** Declares a statement of one tenant. Names are unique; a test prepares every declared statement. */
export const statement = <P extends readonly unknown[] = [], R = never>(
  name: string,
  text: string,
): Statement<P, R> => declare({ scope: 'tenant', name, text: numberTenant(name, text) });

/** Declares a statement of one tenant that deletes: it uses the tables, not the views without what is being deleted. */
export const removalStatement = <P extends readonly unknown[] = [], R = never>(
  name: string,
  text: string,
): Statement<P, R> => declare({ scope: 'tenant', name, text: numberTenant(name, text), isRemoval: true });

/** Declares a statement across tenants, or on tables without tenants. */
export const systemStatement = <P extends readonly unknown[] = [], R = never>(
  name: string,
  text: string,
): SystemStatement<P, R> => declare({ scope: 'system', name, text });

/**
 * Declares a statement across tenants that inserts rows, and that a transaction makes a part of the statement before it. So it
 * refers to no other row, waits for none and returns nothing. A message that is sent takes 2 % less CPU time, a label 5 %.
 */
export const joiningStatement = <P extends readonly unknown[] = []>(
  name: string,
  text: string,
): SystemStatement<P, never> => declare({ scope: 'system', name, text, canJoin: true });

/** The longest name of a prepared statement. */
const MAX_NAME = 63;
const joinedStatements = new Map<string, SystemStatement<readonly unknown[], unknown> | undefined>();

const countParameters = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

function join(
  first: AnyStatement,
  second: AnyStatement,
): SystemStatement<readonly unknown[], unknown> | undefined {
  const name = `${first.name}+${second.name}`;
  const text = first.text.trimStart();
  if (first.canJoin || name.length > MAX_NAME || /^with\s+recursive\b/i.test(text)) return undefined;
  const count = countParameters(text);
  const part = `joined as (${second.text.replaceAll(/\$(\d+)/g, (_, number) => `$${count + Number(number)}`)})`;
  return {
    scope: 'system',
    name,
    canJoin: true,
    text: /^with\b/i.test(text) ? text.replace(/^with\b/i, () => `with ${part},`) : `with ${part} ${text}`,
  };
}

/** One statement that does what two do, whose parameters are those of both; undefined if they cannot be one. */
export function joinStatements(first: AnyStatement, second: AnyStatement) {
  const key = `${first.name} ${second.name}`;
  if (!joinedStatements.has(key)) joinedStatements.set(key, join(first, second));
  return joinedStatements.get(key);
}

export const declaredStatements = (): AnyStatement[] => [...declared.values()];
