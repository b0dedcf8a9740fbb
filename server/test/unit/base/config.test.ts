import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/base/config.ts';

describe('PARLEY_RETENTION_DAYS', () => {
  it('is 30 days, or what the operator says', () => {
    expect(readConfig({}).PARLEY_RETENTION_DAYS).toBe(30);
    expect(readConfig({ PARLEY_RETENTION_DAYS: '14' }).PARLEY_RETENTION_DAYS).toBe(14);
    expect(readConfig({ PARLEY_RETENTION_DAYS: '9999' }).PARLEY_RETENTION_DAYS).toBe(9999);
  });

  it.each(['0', '13', '-30', '1e3', '30.5', 'a month', '10000'])('is refused as "%s", by name', (value) => {
    expect(() => readConfig({ PARLEY_RETENTION_DAYS: value })).toThrow(
      `The variable PARLEY_RETENTION_DAYS must be a number of days from 14 to 9999 (it is "${value}").`,
    );
  });
});
