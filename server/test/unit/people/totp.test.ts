import { describe, expect, it } from 'vitest';
import {
  findStep,
  hashRecoveryCode,
  newRecoveryCodes,
  stepAt,
  toBase32,
  totpCode,
} from '../../../src/people/totp.ts';

/** The secret of RFC 6238, appendix B. */
const SECRET = toBase32(Buffer.from('12345678901234567890'));

describe('a code', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at %i seconds is that of RFC 6238', (seconds, code) => {
    expect(totpCode(SECRET, stepAt(seconds * 1000))).toBe(code);
  });

  it('of the step before and after is accepted, for clocks that differ, and no other', () => {
    const now = 1_234_567_890_000;
    const step = stepAt(now);
    for (const drift of [-1, 0, 1])
      expect(findStep(SECRET, totpCode(SECRET, step + drift), now, null)).toBe(step + drift);
    for (const drift of [-2, 2])
      expect(findStep(SECRET, totpCode(SECRET, step + drift), now, null)).toBeUndefined();
  });

  it('counts once: neither it nor an earlier one is accepted after it', () => {
    const now = 1_234_567_890_000;
    const step = stepAt(now);
    expect(findStep(SECRET, totpCode(SECRET, step), now, step)).toBeUndefined();
    expect(findStep(SECRET, totpCode(SECRET, step - 1), now, step)).toBeUndefined();
    expect(findStep(SECRET, totpCode(SECRET, step + 1), now, step)).toBe(step + 1);
  });

  it.each(['', '12345', '1234567', 'ééé123', '00000a', '１２３４５６'])('%s is none', (code) => {
    expect(findStep(SECRET, code, 59_000, null)).toBeUndefined();
  });
});

it('base32 is that of RFC 4648', () => {
  const samples = {
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  };
  for (const [text, expected] of Object.entries(samples)) expect(toBase32(Buffer.from(text))).toBe(expected);
});

it('recovery codes differ, and are recognised however they are typed', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
    expect(hashRecoveryCode(` ${code.toLowerCase().replaceAll('-', ' ')}`)).toEqual(hashRecoveryCode(code));
  }
});
