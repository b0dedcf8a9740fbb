import { expect, it } from 'vitest';
import type { AttributeKind } from '../../../src/attributes/find-attributes.ts';
import { guessColumns } from '../../../src/imports/columns.ts';
import { useHeartbeat } from '../../kit/heartbeat.ts';

const attribute = (external_id: string) => ({ id: external_id, external_id }) as AttributeKind;

it('columns are what their names say: a field, an attribute, or nothing', () => {
  const attributes = ['city', 'City', 'plan_name', 'constructor'].map(attribute);
  const fieldOf = (name: string) => guessColumns([name], attributes)[0]?.field;
  expect(fieldOf('E-Mail')).toBe('email');
  expect(fieldOf('Plan name')).toBe('attributes.plan_name');
  expect(fieldOf('CITY')).toBe('attributes.city');
  expect(fieldOf('attributes.City')).toBe('attributes.City');
  expect(fieldOf('constructor')).toBe('attributes.constructor');
  for (const name of ['', '…', 'toString', '__proto__', 'attributes.unknown'])
    expect(fieldOf(name)).toBeNull();
});

it('500 columns and 3,000 attributes do not block others', () => {
  const attributes = Array.from({ length: 3_000 }, (_, index) => attribute(`some_attribute_of_${index}`));
  const header = Array.from({ length: 500 }, (_, index) => `A column that is no attribute, ${index}`);
  const heartbeat = useHeartbeat();
  expect(guessColumns(header, attributes).every(({ field }) => field === null)).toBe(true);
  expect(heartbeat.longestGapMs()).toBeLessThan(500);
});
