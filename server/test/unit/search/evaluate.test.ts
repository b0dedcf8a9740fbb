import { describe, expect, it } from 'vitest';
import { compareBySort, evaluateFilter } from '../../../src/search/evaluate.ts';
import type { Searchable } from '../../../src/search/fields.ts';
import { parseFilter } from '../../../src/search/grammar/filter.ts';
import { parseSort } from '../../../src/search/grammar/sort.ts';
import { items } from '../../kit/search-samples.ts';

const row: Record<string, unknown> = {
  id: '0197A5C0-0000-7000-8000-000000000001',
  name: 'Zoë 100%',
  code: 'ΟΔΟΣ',
  unreadCount: 3,
  isOpen: false,
  status: 'open',
  createdAt: new Date('2026-11-15T01:02:03.456Z'),
  openUntil: null,
  labelIds: ['0197a5c0-0000-7000-8000-00000000000a'],
};
const evaluate = (text: string): boolean =>
  evaluateFilter(parseFilter(text, items, new Date()), (field) => row[field]);

describe('evaluateFilter', () => {
  it.each([
    ['eq(name,"Zoë 100%")', true],
    ['eq(name,"zoë 100%")', false],
    ['contains(name,"OË 1")', true],
    ['startsWith(name,"ZOË")', true],
    ['startsWith(name,"oë")', false],
    ['contains(name,"0_%")', false],
    ['contains(code,"οδοσ")', true],
    ['contains(code,"")', true],
    ['gt(unreadCount,2)', true],
    ['ge(unreadCount,3)', true],
    ['lt(unreadCount,3)', false],
    ['le(unreadCount,2.9)', false],
    ['in(unreadCount,1,2,3)', true],
    ['in(unreadCount,1,null)', false],
    ['eq(isOpen,false)', true],
    ['ne(isOpen,true)', true],
    ['eq(createdAt,"2026-11-15T03:02:03.456+02:00")', true],
    ['lt(createdAt,"2026-11-15T01:02:03.457Z")', true],
    ['eq(id,"0197a5c0-0000-7000-8000-000000000001")', true],
    ['eq(id,"nothing")', false],
    ['ne(id,"nothing")', true],
    ['gt(id,"")', false],
    ['lt(id,"zzz")', false],
    ['contains(labelIds,"0197A5C0-0000-7000-8000-00000000000A")', true],
    ['contains(labelIds,"0197a5c0")', false],
    ['and(eq(status,"open"),not(eq(status,"closed")))', true],
    ['or(eq(status,"closed"),isNull(status))', false],
  ])('%s is %s', (text, expected) => {
    expect(evaluate(text)).toBe(expected);
  });

  it.each([
    ['isNull(openUntil)', true],
    ['eq(openUntil,null)', true],
    ['ne(openUntil,null)', false],
    ['ne(openUntil,"2026-11-15")', true],
    ['not(eq(openUntil,"2026-11-15"))', true],
    ['gt(openUntil,"2026-11-15")', false],
    ['not(gt(openUntil,"2026-11-15"))', true],
    ['in(openUntil,"2026-11-15")', false],
    ['in(openUntil,"2026-11-15",null)', true],
    ['contains(attributes.x,"")', false],
    ['isNull(attributes.x)', true],
  ])('with a null value, %s is %s', (text, expected) => {
    expect(evaluate(text)).toBe(expected);
  });

  const anything: Searchable = { ...items, fields: {}, dynamic: () => ({ type: 'any', sql: '' }) };
  const evaluateOn = (value: unknown, text: string) =>
    evaluateFilter(parseFilter(text, anything, new Date('2026-11-15T12:00:00Z')), () => value);

  it.each([
    ['2026-11-15T00:30:00.000Z', 'gt(f,"2026-11-15T01:00:00+02:00")', true],
    ['2026-11-15T00:30:00.000Z', 'lt(f,"2026-11-15T01:00:00+02:00")', false],
    ['2026-11-15T01:00:00+02:00', 'lt(f,"2026-11-14T23:30:00Z")', true],
    ['2026-11-15T01:00:00+02:00', 'eq(f,"2026-11-14T23:00:00.000Z")', true],
    ['2026-11-15T01:00:00+02:00', 'in(f,"2026-11-14T23:00Z")', true],
    ['2026-11-15', 'eq(f,"2026-11-15T00:00:00Z")', true],
    ['2026-11-15', 'lt(f,now())', true],
    ['2026-11-15T12:00:01Z', 'gt(f,now())', true],
    ['2026-11-15T14:00:00+02:00', 'eq(f,now())', true],
    // One side alone is a text.
    ['2026-11-15', 'lt(f,"2026-11-15 or later")', true],
    ['2026-02-30', 'eq(f,"2026-03-02")', false],
  ])('compares times as moments: %s with %s is %s', (value, text, expected) => {
    expect(evaluateOn(value, text)).toBe(expected);
  });

  it.each([
    [['VIP', 'new'], 'contains(f,"vip")', true],
    [['VIP', 'new'], 'contains(f,"vi")', false],
    [['VIP', 'new'], 'in(f,"old","new")', true],
    [['VIP', 'new'], 'in(f,"old","vip")', false],
    [[1, 2], 'in(f,2,3)', true],
    [[1, 2], 'in(f,"2")', false],
    [[], 'in(f,null)', false],
  ])('%j is a list, and %s is %s', (value, text, expected) => {
    expect(evaluateOn(value, text)).toBe(expected);
  });

  it('compares a value of unknown type by its own type; values of other types are not equal', () => {
    expect(evaluateOn('gold', 'eq(steps.x.body.plan,"gold")')).toBe(true);
    expect(evaluateOn(5, 'gt(steps.x.status,4)')).toBe(true);
    expect(evaluateOn('5', 'gt(steps.x.status,4)')).toBe(false);
    expect(evaluateOn('5', 'ne(steps.x.status,5)')).toBe(true);
    expect(evaluateOn({ a: 1 }, 'eq(steps.x.body,"[object Object]")')).toBe(false);
    expect(evaluateOn(['a', 'b'], 'contains(steps.x.body,"b")')).toBe(true);
    expect(evaluateOn('Abc', 'contains(steps.x.body,"aB")')).toBe(true);
    expect(() => parseFilter('contains(steps.x.body,5)', anything, new Date())).toThrow(
      'Expected text in quotes',
    );
  });
});

describe('compareBySort', () => {
  it('sorts null last in asc and first in desc', () => {
    const rows = [{ name: 'b' }, { name: null }, { name: 'a' }, {}, { name: 'A' }];
    const sorted = (text: string) => {
      const compare = compareBySort(parseSort(text, items), (one: { name?: string | null }) => one.name);
      return rows.toSorted(compare).map((one) => one.name ?? null);
    };
    expect(sorted('asc(name)')).toEqual(['A', 'a', 'b', null, null]);
    expect(sorted('desc(name)')).toEqual([null, null, 'b', 'a', 'A']);
  });
});
