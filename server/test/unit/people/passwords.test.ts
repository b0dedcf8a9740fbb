import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '../../../src/people/password-rules.ts';
import { createPasswords } from '../../../src/people/passwords.ts';

const CHEAP = { ln: 4, r: 8, p: 1 };

describe('a password', () => {
  it('is stored as a PHC string of scrypt with a salt of its own', async () => {
    const passwords = createPasswords();
    const phc = await passwords.hash('correct horse');
    const [, salt = '', hash] = /^\$scrypt\$ln=15,r=8,p=3\$([\w+/]{22})\$([\w+/]{43})$/.exec(phc) ?? [];
    const expected = scryptSync('correct horse', Buffer.from(salt, 'base64'), 32, {
      N: 2 ** 15,
      r: 8,
      p: 3,
      maxmem: 2 ** 27,
    });
    expect(hash).toBe(expected.toString('base64').replace('=', ''));
    expect(await passwords.verify('correct horse', phc)).toBe(true);
    expect(await passwords.verify('Correct horse', phc)).toBe(false);
    expect(passwords.isOutdated(phc)).toBe(false);
    expect(createPasswords(CHEAP).isOutdated(phc)).toBe(true);
  });

  it('fits however its characters are composed', async () => {
    const passwords = createPasswords(CHEAP);
    expect(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait'))).toBe(
      true,
    );
  });

  it.each([
    null,
    '',
    '$scrypt$ln=99,r=8,p=1$YWJj$YWJj',
    '$2b$10$abc',
    'plain text',
  ])('fits no hash such as %s', async (phc) => {
    const passwords = createPasswords(CHEAP);
    expect(await passwords.verify('anything', phc)).toBe(false);
  });

  it('waits in a line that ends: more are asked to try again', async () => {
    const passwords = createPasswords({ ...CHEAP, ln: 10 });
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.hash('x')));
    const refused = results.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(18);
    for (const { reason } of refused) expect(reason.key).toBe('service_unavailable');
    expect(await passwords.hash('x')).toMatch(/^\$scrypt/);
  });
});

describe('a common password', () => {
  it.each([
    'password123',
    'Password2026!',
    'P@ssw0rd!!!!',
    '1234567890',
    '0987654321',
    'qwertyuiop',
    '1q2w3e4r5t',
    'aaaaaaaaaa',
    'abcabcabcabc',
    'iloveyou!!',
    'administrator',
    'letmein12345',
    'Willkommen2026',
  ])('%s is recognised', (password) => expect(isCommonPassword(password)).toBe(true));

  it.each([
    'four entirely random words',
    'xK9#mPq2vL',
    'correct horse battery staple',
    'Tr4nsp0rt-Kiste',
  ])('%s is none', (password) => expect(isCommonPassword(password)).toBe(false));
});
