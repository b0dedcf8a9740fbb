import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  confirmationOf,
  defaultStartWords,
  defaultStopWords,
  findConsentWord,
  normalizeWord,
  optOutLanguages,
} from '../../../../src/contacts/consent/words.ts';
import { channelKinds } from '../../../../src/providers/kinds.ts';

const DEFAULTS = { optOutWords: null, optInWords: null };
const found = (text: string, kind: (typeof channelKinds)[number] = 'whatsapp') =>
  findConsentWord(text, kind, DEFAULTS)?.subscription;

describe('a message that consists of a word', () => {
  it.each([
    ['STOP', 'stop'],
    ['Stop.', 'stop'],
    [' stop!\n', 'stop'],
    ['“Stop”', 'stop'],
    ['opt-out', 'stop'],
    ['Opt  Out', 'stop'],
    ['Arrêt', 'stop'],
    ['ARRE\u0302T', 'stop'],
    ['Désabonner', 'stop'],
    ['СТОП', 'stop'],
    ['Отписаться', 'stop'],
    ['ABONELİKTEN ÇIK', 'stop'],
    ['abonelikten çık', 'stop'],
    ['Afmelden', 'stop'],
    ['ｓｔｏｐ', 'stop'],
    ['START', 'start'],
    ['Unstop', 'start'],
    ['yes', undefined],
    ['ok', undefined],
    ['please stop', undefined],
    ['stop it', undefined],
    ['nonstop', undefined],
    ['', undefined],
    ['!?', undefined],
    ['stop'.repeat(20), undefined],
  ])('%j means %s', (text, expected) => {
    expect(found(text)).toBe(expected);
  });

  it('cancels, ends or quits only on SMS, and then only if nothing was asked', () => {
    for (const word of ['cancel', 'end', 'quit', 'revoke'])
      for (const kind of channelKinds)
        expect(findConsentWord(word, kind, DEFAULTS)?.isWeak).toBe(kind === 'sms' ? true : undefined);
    expect(findConsentWord('stop', 'sms', DEFAULTS)?.isWeak).toBe(false);
  });

  it('is the channel’s, if it has words of its own', () => {
    const own = { optOutWords: ['Genug!'], optInWords: ['weiter'] };
    expect(findConsentWord('GENUG', 'sms', own)).toMatchObject({ subscription: 'stop', isWeak: false });
    expect(findConsentWord('Weiter', 'sms', own)).toMatchObject({ subscription: 'start' });
    for (const word of ['stop', 'start', 'cancel']) expect(findConsentWord(word, 'sms', own)).toBeUndefined();
    expect(findConsentWord('stop', 'email', { optOutWords: [], optInWords: [] })).toBeUndefined();
  });

  it('is found in any case, with any punctuation around it', () => {
    const word = fc.constantFrom(...defaultStopWords);
    const around = fc.stringMatching(/^[ .,!?"'()\-…]{0,4}$/);
    fc.assert(
      fc.property(word, around, around, fc.boolean(), (one, before, after, isUpper) => {
        expect(found(`${before}${isUpper ? one.toUpperCase() : one}${after}`)).toBe('stop');
      }),
    );
  });
});

describe('the words', () => {
  it('are twelve languages, each with a confirmation that says how to undo it', () => {
    expect(Object.keys(optOutLanguages)).toHaveLength(12);
    for (const { words, confirmation } of Object.values(optOutLanguages)) {
      expect(confirmation).toContain('START');
      for (const word of words) expect(confirmationOf(word)).toBe(confirmation);
    }
    expect(confirmationOf('genug')).toBe(optOutLanguages.en?.confirmation);
  });

  it('are written as they are compared, and none means both', () => {
    for (const word of [...defaultStopWords, ...defaultStartWords]) expect(normalizeWord(word)).toBe(word);
    expect(defaultStopWords.filter((word) => defaultStartWords.includes(word))).toEqual([]);
  });
});
