import { describe, expect, it } from 'vitest';
import { externalIdFor } from '../../../../console/src/api/external-id.ts';
import { ExternalId } from '../../../src/attributes/schema.ts';

const { pattern, maxLength } = ExternalId as unknown as { pattern: string; maxLength: number };
const isAllowed = (id: string): boolean => new RegExp(pattern).test(id) && id.length <= maxLength;

describe('the name of an attribute in texts and programs', () => {
  it.each([
    ['Kundennummer', 'kundennummer'],
    ['Größe (EU)', 'grosseEu'],
    ['  shoe SIZE ', 'shoeSize'],
    ['2nd address', 'attribute2ndAddress'],
    ['Straße', 'strasse'],
    ['名前', 'attribute'],
    ['🚲', 'attribute'],
    ['', 'attribute'],
  ])('of %j is %s', (name, id) => {
    expect(externalIdFor(name, [])).toBe(id);
  });

  it('is not one that is taken', () => {
    expect(externalIdFor('Size', ['size', 'size2'])).toBe('size3');
  });

  it('is one that the server takes, however long or strange the name is', () => {
    const names = [
      'x'.repeat(500),
      '\u202eabc',
      "Robert'); drop table",
      '-',
      '9'.repeat(300),
      'a\nb',
      'İstanbul',
    ];
    expect(names.filter((name) => !isAllowed(externalIdFor(name, [])))).toEqual([]);
  });
});
