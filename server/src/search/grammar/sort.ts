import { type FieldType, findField, isSortable, type Searchable } from '../fields.ts';
import { quote } from '../text.ts';
import { parseField } from './field.ts';
import { readTokens } from './tokens.ts';

/** Each sort field adds a level to the condition of a cursor. */
const MAX_SORT_FIELDS = 8;

export interface SortKey {
  direction: 'asc' | 'desc';
  field: string;
  type: FieldType;
}
export type Sort = readonly SortKey[];

/** Parses an order such as `asc(name), desc(createdAt)`. Throws an ExpressionError. */
export function parseSort(text: string, searchable: Searchable): Sort {
  const tokens = readTokens(text);
  const keys: SortKey[] = [];
  for (;;) {
    const direction = tokens.take();
    if (direction.kind !== 'name' || (direction.text !== 'asc' && direction.text !== 'desc')) {
      throw tokens.createExpectedError('asc(field) or desc(field)', direction);
    }
    if (keys.length === MAX_SORT_FIELDS) {
      throw tokens.createError(`More than ${MAX_SORT_FIELDS} fields`, direction);
    }
    tokens.takePunctuation('(');
    const fieldToken = tokens.peek();
    const { name, field } = parseField(tokens, searchable);
    if (!isSortable(field)) throw tokens.createError(`Cannot sort by ${quote(name)}`, fieldToken);
    if (keys.some((key) => key.field === name)) {
      throw tokens.createError(`Duplicate sort field ${quote(name)}`, fieldToken);
    }
    tokens.takePunctuation(')');
    keys.push({ direction: direction.text, field: name, type: field.type });
    const next = tokens.take();
    if (next.kind === 'end') return keys;
    if (next.kind !== 'punctuation' || next.character !== ',') {
      throw tokens.createExpectedError('"," or end of input', next);
    }
  }
}

/**
 * Makes the order total: adds the id as the last key, unless the order has it already. The default is
 * `desc(createdAt)`. The id has the direction of the key before it, so that one index serves both directions.
 */
export function completeSort(sort: Sort | undefined, searchable: Searchable): Sort {
  const given = sort ?? [];
  const idIndex = given.findIndex((key) => key.field === 'id');
  if (idIndex >= 0) return given.slice(0, idIndex + 1);
  const createdAt = findField(searchable, 'createdAt');
  const keys: Sort =
    sort !== undefined || createdAt === undefined
      ? given
      : [{ direction: 'desc', field: 'createdAt', type: createdAt.type }];
  return [...keys, { direction: keys.at(-1)?.direction ?? 'desc', field: 'id', type: 'uuid' }];
}
