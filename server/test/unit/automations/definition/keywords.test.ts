import { describe, expect, it } from 'vitest';
import { createKeywordFinder } from '../../../../src/automations/definition/keywords.ts';

describe('keywords in a text', () => {
  it.each([
    ['My order came', ['order'], true],
    ['In disorder', ['order'], false],
    ['Thanks 👍', ['👍'], true],
    // Versions from before this was refused may have such keywords.
    ['My order came', [' '], false],
    ['', [' '], false],
    ['My order came', [' ', 'order'], true],
  ])('%j has one of %j: %s', (text, keywords, expected) => {
    expect(createKeywordFinder(text)(keywords)).toBe(expected);
  });
});
