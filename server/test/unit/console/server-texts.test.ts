import { describe, expect, it } from 'vitest';
import { serverTexts } from '../../../../console/src/i18n/de/server-texts.ts';
import { addressHelp, setups } from '../../../src/providers/setups.ts';
import { allQueues } from '../../../src/queues.ts';

describe('the texts of the server that the console shows', () => {
  const texts = new Set([
    ...Object.values(addressHelp),
    ...Object.values(setups).flatMap(({ label, fields, steps }) => [
      label,
      ...fields.flatMap((field) => [field.label, field.help]),
      ...steps.map(({ text }) => text),
    ]),
    ...allQueues.map(({ purpose }) => purpose),
  ]);

  it.each([...texts])('have a German translation: %s', (text) => {
    expect(Object.hasOwn(serverTexts, text)).toBe(true);
  });

  it('have no translation of what the server does not say', () => {
    expect(Object.keys(serverTexts).filter((text) => !texts.has(text))).toEqual([]);
  });
});
