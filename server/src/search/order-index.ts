import type { Filter } from './grammar/filter.ts';
import type { Sort } from './grammar/sort.ts';
import type { SearchQuery } from './query.ts';
import type { OrderIndex } from './source.ts';

/** The conditions that must all be true. */
export const conditionsOf = (filter: Filter | undefined): readonly Filter[] =>
  filter === undefined ? [] : filter.op === 'and' ? filter.conditions : [filter];

/** How an index may name a condition; none for those that no index is for. */
function namesOf(condition: Filter): string[] {
  if (condition.op === 'eq')
    return [`eq(${condition.field})`, `eq(${condition.field},${JSON.stringify(condition.value)})`];
  if (condition.op === 'isNull') return [`isNull(${condition.field})`];
  return condition.op === 'not' && condition.condition.op === 'isNull'
    ? [`not(isNull(${condition.condition.field}))`]
    : [];
}

/** Whether rows that are sorted by the field of an index come in its order. */
const isInOrder = ([first, second]: Sort, field: string): boolean =>
  first?.field === field && second?.field === 'id' && first.direction === second.direction;

/** The index that has exactly the matches, in the order of the page. */
export function findIndexOfMatches({ source, request }: SearchQuery): OrderIndex | undefined {
  const { filter, search, sort } = request;
  if (filter === undefined || search !== undefined) return undefined;
  const names = conditionsOf(filter).map(namesOf);
  return source.orderIndexes?.find(
    ({ where, sort: field }) =>
      isInOrder(sort, field) &&
      names.length === where.length &&
      names.every((some) => some.some((name) => where.includes(name))) &&
      where.every((one) => names.some((some) => some.includes(one))),
  );
}

/** Every large source has an index on (created_at, id). */
export const isByCreation = (sort: Sort): boolean => isInOrder(sort, 'createdAt');

/** Whether an index has all rows in the order of the page. In another order, a scan might have to sort all rows. */
export const hasIndexOfRows = ({ source, request }: SearchQuery): boolean =>
  isByCreation(request.sort) ||
  (source.orderIndexes ?? []).some(({ where, sort }) => where.length === 0 && isInOrder(request.sort, sort));
