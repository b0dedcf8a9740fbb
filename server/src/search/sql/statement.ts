import type { Bind } from '../fields.ts';

/** A statement that was built for one search. */
export interface SqlStatement {
  text: string;
  params: unknown[];
}

/** Values are added to the parameters: nothing that a client wrote becomes part of the statement's text. */
export const bindTo =
  (params: unknown[]): Bind =>
  (value) =>
    `$${params.push(value)}`;
