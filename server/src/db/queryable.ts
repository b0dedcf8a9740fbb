import { encodeArrays } from './parameters.ts';
import type { Send } from './pipelined.ts';
import type { AnyStatement, SystemStatement } from './statement.ts';

/** Runs statements that are not about one tenant. */
export interface Queryable {
  all<P extends readonly unknown[], R>(statement: SystemStatement<P, R>, parameters: P): Promise<R[]>;
  find<P extends readonly unknown[], R>(
    statement: SystemStatement<P, R>,
    parameters: P,
  ): Promise<R | undefined>;
  /** Runs a statement and returns the number of changed rows. */
  run<P extends readonly unknown[], R>(statement: SystemStatement<P, R>, parameters: P): Promise<number>;
  /** For text that is built at run time, such as DDL. Values are always parameters. */
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Runs statements over `send`; those of a tenant get `tenantId` as their last parameter. */
export function queryable(send: Send, tenantId?: string) {
  const run = ({ scope, name, text }: AnyStatement, parameters: readonly unknown[]) =>
    send({
      name,
      text,
      values: encodeArrays(scope === 'tenant' ? [...parameters, tenantId] : parameters),
    });
  return {
    all: async <P extends readonly unknown[], R>(
      statement: AnyStatement<P, R>,
      parameters: P,
    ): Promise<R[]> => (await run(statement as AnyStatement, parameters)).rows as R[],
    find: async <P extends readonly unknown[], R>(
      statement: AnyStatement<P, R>,
      parameters: P,
    ): Promise<R | undefined> => (await run(statement as AnyStatement, parameters)).rows[0] as R | undefined,
    run: async <P extends readonly unknown[], R>(
      statement: AnyStatement<P, R>,
      parameters: P,
    ): Promise<number> => (await run(statement as AnyStatement, parameters)).rowCount ?? 0,
    query: (text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> =>
      send({ text, values: encodeArrays(values) }),
  };
}
