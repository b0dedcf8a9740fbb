import { isLongerThan } from '../../base/characters.ts';
import { type Bind, type Field, isTextOperator } from '../fields.ts';
import type { Leaf } from '../grammar/filter.ts';
import { compileField } from './field.ts';
import { compileLike } from './leaf.ts';

const TRIGRAM = 3;
/** With more alternatives, checking each row is cheaper. */
const MAX_ALTERNATIVES = 20;

/** A trigram index returns every row for a shorter text, which is slower than checking each row. */
export const hasTrigrams = (text: string): boolean => isLongerThan(text, TRIGRAM - 1);

/** The texts of which the field's trigram text must contain at least one; undefined if the index cannot help. */
export function findTrigramTexts(leaf: Leaf, field: Field): string[] | undefined {
  if (field.trigramText === undefined || leaf.op === 'isNull') return undefined;
  const values = leaf.op === 'in' ? leaf.values : [leaf.value];
  const isSupported = leaf.op === 'eq' || leaf.op === 'in' || isTextOperator(leaf.op);
  const haveTrigrams = values.every((value) => typeof value === 'string' && hasTrigrams(value));
  return isSupported && haveTrigrams && values.length <= MAX_ALTERNATIVES ? (values as string[]) : undefined;
}

/**
 * A condition that the trigram index answers. It is true of every row of which the leaf is true, and maybe of others.
 * Undefined if the index cannot help.
 */
export function compileTrigramCondition(leaf: Leaf, field: Field, bind: Bind): string | undefined {
  const texts = findTrigramTexts(leaf, field);
  if (texts === undefined) return undefined;
  const column = compileField({ type: 'string', sql: field.trigramText as string }, bind);
  return `(${texts.map((text) => compileLike(column, 'contains', text, bind)).join(' or ')})`;
}
