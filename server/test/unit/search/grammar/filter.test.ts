import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listFields, parseFilter } from '../../../../src/search/grammar/filter.ts';
import { ExpressionError } from '../../../../src/search/grammar/tokens.ts';
import { printFilter } from '../../../kit/print-search.ts';
import { filter, items } from '../../../kit/search-samples.ts';

const parse = (text: string) => parseFilter(text, items, new Date());

function catchError(text: string): { message: string; column: number } {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ExpressionError) return { message: error.message, column: error.column };
    throw error;
  }
  throw new Error('The filter was accepted.');
}

describe('parseFilter', () => {
  it.each([
    ['eq(code,"a")', { op: 'eq', field: 'code', type: 'string', value: 'a' }],
    ['ne(unreadCount,0)', { op: 'ne', field: 'unreadCount', type: 'number', value: 0 }],
    ['gt(score,-1.5e3)', { op: 'gt', field: 'score', type: 'number', value: -1500 }],
    ['ge(score,0.25)', { op: 'ge', field: 'score', type: 'number', value: 0.25 }],
    ['lt(score,-0)', { op: 'lt', field: 'score', type: 'number', value: 0 }],
    ['le(code,"z")', { op: 'le', field: 'code', type: 'string', value: 'z' }],
    ['eq(isOpen,true)', { op: 'eq', field: 'isOpen', type: 'boolean', value: true }],
    ['ne(isOpen,false)', { op: 'ne', field: 'isOpen', type: 'boolean', value: false }],
    ['in(status,"open",null)', { op: 'in', field: 'status', type: 'enum', values: ['open', null] }],
    ['contains(name,"%")', { op: 'contains', field: 'name', type: 'string', value: '%' }],
    ['contains(tags,"vip")', { op: 'contains', field: 'tags', type: 'list', value: 'vip' }],
    ['startsWith(name,"")', { op: 'startsWith', field: 'name', type: 'string', value: '' }],
    ['isNull(name)', { op: 'isNull', field: 'name', type: 'string' }],
    ['eq(name,null)', { op: 'isNull', field: 'name', type: 'string' }],
    ['ne(name,null)', { op: 'not', condition: { op: 'isNull', field: 'name', type: 'string' } }],
    ['eq(name,"say \\"\\\\\\"")', { op: 'eq', field: 'name', type: 'string', value: 'say "\\"' }],
    ['eq(attributes.zip-code,"1")', { op: 'eq', field: 'attributes.zip-code', type: 'string', value: '1' }],
    ['eq("attributes.a b","1")', { op: 'eq', field: 'attributes.a b', type: 'string', value: '1' }],
    [
      'eq(openUntil,"2026-11-15T01:02:03+02:00")',
      { op: 'eq', field: 'openUntil', type: 'time', value: '2026-11-14T23:02:03.000Z' },
    ],
    [
      'eq(id,"0197A5C0-0000-7000-8000-00000000000A")',
      { op: 'eq', field: 'id', type: 'uuid', value: '0197a5c0-0000-7000-8000-00000000000a' },
    ],
    ['eq(id,"no id at all")', { op: 'eq', field: 'id', type: 'uuid', value: 'no id at all' }],
    [
      ' and ( isNull(name) ,\n\tor(isNull( code)) , not(isNull(score)) ) ',
      {
        op: 'and',
        conditions: [
          { op: 'isNull', field: 'name', type: 'string' },
          { op: 'or', conditions: [{ op: 'isNull', field: 'code', type: 'string' }] },
          { op: 'not', condition: { op: 'isNull', field: 'score', type: 'number' } },
        ],
      },
    ],
  ])('parses %s', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['', 'Expected a condition such as eq(field,"value") at column 1, found end of input'],
    ['eq(nmae,"x")', 'Unknown field "nmae" at column 4; did you mean "name"?'],
    ['eq(CREATEDAT,"x")', 'Unknown field "CREATEDAT" at column 4; did you mean "createdAt"?'],
    ['eq(constructor,"x")', 'Unknown field "constructor" at column 4; did you mean'],
    ['eq(__proto__,"x")', 'Unknown field "__proto__" at column 4; did you mean'],
    ['startswith(name,"x")', 'Unknown function "startswith" at column 1; did you mean "startsWith"?'],
    ['eq(name,"x"', 'Expected ")" at column 12, found end of input'],
    ['and(isNull(name)', 'Expected "," or ")" at column 17, found end of input'],
    ['and()', 'Expected a condition such as eq(field,"value") at column 5, found ")"'],
    ['not(isNull(name),isNull(code))', 'Expected ")" at column 17, found ","'],
    ['eq name', 'Expected "(" at column 4, found "name"'],
    ['eq(,1)', 'Expected the name of a field at column 4, found ","'],
    ['isNull(name) x', 'Expected end of input at column 14, found "x"'],
    ['eq(name,"x)', 'Text that begins at column 9 has no closing quote'],
    ['eq(name,"\\n")', 'Unknown escape at column 10; only \\" and \\\\ are supported'],
    ["eq(name,'x')", 'Unexpected "\'" at column 9'],
    ['eq(name,"😀") ;', 'Unexpected ";" at column 14'],
    ['eq(name,"a\0")', 'Invalid character at column 11'],
    ['eq(name,"\ud83d")', 'Invalid character at column 10'],
    ['eq(name,5)', 'Expected text in quotes for "name" at column 9, found the number 5'],
    ['eq(name,x)', 'Expected text in quotes for "name" at column 9, found "x"'],
    ['eq(score,"5")', 'Expected a number for "score" at column 10, found the text "5"'],
    ['eq(score,1e999)', 'The number 1e999 is out of range at column 10'],
    ['eq(score,012)', 'Expected ")" at column 11, found the number 12'],
    ['eq(score,NaN)', 'Expected a number for "score" at column 10, found "NaN"'],
    ['gt(score,null)', 'Expected a number for "score" at column 10, found "null"'],
    ['eq(isOpen,1)', 'Expected true or false for "isOpen" at column 11, found the number 1'],
    [
      'gt(isOpen,true)',
      'gt does not apply to the boolean field "isOpen" at column 4; supported: eq, ne, in, isNull',
    ],
    ['contains(score,"1")', 'contains does not apply to the number field "score" at column 10'],
    ['eq(labelIds,"x")', 'eq does not apply to the list field "labelIds" at column 4'],
    ['contains(name,null)', 'Expected text in quotes for "name" at column 15, found "null"'],
    [
      'eq(status,"opne")',
      'Expected one of "open", "snoozed", "closed" for "status" at column 11, found the text "opne"',
    ],
    ['gt(createdAt,"soon")', 'Expected an ISO 8601 time in quotes, such as "2026-11-15T01:02:03Z", for'],
    ['gt(createdAt,"2026-02-30T00:00:00Z")', 'Expected an ISO 8601 time'],
    ['gt(createdAt,"0000-01-01")', 'Expected an ISO 8601 time'],
    ['gt(createdAt,"9999-12-31T23:59:59-01:00")', 'Expected an ISO 8601 time'],
    ['gt(createdAt,"2026-01-01T24:00:00Z")', 'Expected an ISO 8601 time'],
  ])('rejects %j', (text, message) => {
    const error = catchError(text);
    expect(error.message).toContain(message);
    expect(error.message).toContain(`at column ${error.column}`);
  });

  it.each([
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15T10:20', '2026-11-15T10:20:00.000Z'],
    ['2026-11-15t10:20:30z', '2026-11-15T10:20:30.000Z'],
    ['2026-11-15T10:20:30.5-0330', '2026-11-15T13:50:30.500Z'],
    ['2026-11-15T10:20:30.123999+00:00', '2026-11-15T10:20:30.123Z'],
    ['2024-02-29T00:00:00+14', '2024-02-28T10:00:00.000Z'],
    ['0099-01-01', '0099-01-01T00:00:00.000Z'],
  ])('parses the time %s, in UTC if it has no offset', (given, value) => {
    expect(parse(`eq(createdAt,"${given}")`)).toEqual({ op: 'eq', field: 'createdAt', type: 'time', value });
  });

  it('enforces the limits of 4096 characters, 20 levels and 500 values', () => {
    const padded = (length: number) => 'isNull(name)'.padEnd(length);
    expect(parse(padded(4096))).toBeDefined();
    expect(catchError(padded(4097)).message).toContain('longer than 4096 characters');
    expect(parse(`eq(name,"${'😀'.repeat(4096 - 11)}")`)).toBeDefined();

    const nested = (levels: number) => `${'not('.repeat(levels - 1)}isNull(name)${')'.repeat(levels - 1)}`;
    expect(parse(nested(20))).toBeDefined();
    expect(catchError(nested(21)).message).toBe('More than 20 levels at column 81');

    const list = (count: number) => `in(score${',1'.repeat(count)})`;
    expect(parse(list(500))).toBeDefined();
    expect(catchError(list(501)).message).toBe('More than 500 values in a list at column 1010');
  });

  it('parses a printed filter to the same filter', () => {
    const roundTrip = fc.property(filter, (original) => {
      expect(parse(printFilter(original))).toEqual(original);
    });
    fc.assert(roundTrip, { numRuns: 1000 });
  });
});

describe('listFields', () => {
  it('returns the fields of all levels in the order of the text', () => {
    const text = 'and(isNull(name),or(eq(code,"a"),not(isNull(score))),eq(code,"b"))';
    expect(listFields(parse(text))).toEqual(['name', 'code', 'score', 'code']);
  });
});
