import type { Filter, Group } from '../grammar/filter.ts';

/**
 * The SQL condition of a group, whose parts `compile` compiles. A part may be NULL instead of false, which `where`, `and`
 * and `or` treat alike. `not` becomes `is not true` (and `ne` becomes `is distinct from`), so that the whole filter is
 * true or false as in the evaluator. A `coalesce` around every comparison would do the same but prevent index scans.
 */
export function compileGroup(group: Group, compile: (filter: Filter) => string): string {
  if (group.op === 'not') {
    // Never NULL. So the planner sees that a partial index on rows with a value has all of them.
    if (group.condition.op === 'isNull') return `(not ${compile(group.condition)})`;
    return `((${compile(group.condition)}) is not true)`;
  }
  return `(${group.conditions.map(compile).join(` ${group.op} `)})`;
}

export const isGroup = (filter: Filter): filter is Group =>
  filter.op === 'and' || filter.op === 'or' || filter.op === 'not';
