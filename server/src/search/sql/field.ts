import type { Bind, Field } from '../fields.ts';

/** The field's expression, in parentheses because an operator follows it. */
export const compileField = (field: Field, bind: Bind): string =>
  `(${typeof field.sql === 'string' ? field.sql : field.sql(bind)})`;

/** The field's expression for comparing and sorting: text in the order of code points, as the evaluator compares it. */
export function compileOrderedField(field: Field, bind: Bind): string {
  const isText = field.type === 'string' || field.type === 'enum';
  return isText ? `(${compileField(field, bind)} collate "C")` : compileField(field, bind);
}
