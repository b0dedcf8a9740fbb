import { expect, it } from 'vitest';
import { findNearest, unknownKey } from '../../../src/base/nearest.ts';

it('finds the nearest of known names, whatever the length of the given one', () => {
  expect(findNearest('fristName', ['lastName', 'firstName'])).toBe('firstName');
  expect(findNearest('x'.repeat(100_000), ['a', 'xx'])).toBe('xx');
  expect(findNearest('a', [])).toBeUndefined();
});

it('suggests the nearest key, if there is any', () => {
  expect(unknownKey('scheduled_at', ['name', 'scheduledAt'])).toBe(
    'Not a known key; did you mean "scheduledAt"?',
  );
  expect(unknownKey('anything', [])).toBe('Not a known key');
});
