import { describe, expect, it } from 'vitest';
import { limitMail } from '../../../../src/providers/smtp/limit-mail.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const limit = (mail: string): string => limitMail(Buffer.from(mail, 'latin1')).toString('latin1');
const part = (header: string, body: string): string => `--b\r\n${header}\r\n\r\n${body}\r\n`;
const multipart = (...parts: string[]): string =>
  `From: a@b.c\r\nContent-Type: multipart/mixed;\r\n boundary="b"\r\n\r\n${parts.join('')}--b--\r\n`;
const lines = (bytes: number): string => `${'x'.repeat(76)}\r\n`.repeat(bytes / 78);

describe('a mail', () => {
  it('of ordinary size is left as it is, by identity', () => {
    const mail = Buffer.from(multipart(part('Content-Type: text/plain', lines(MIB)), part('A: b', 'c')));
    expect(limitMail(mail)).toBe(mail);
  });

  it('with a long header field keeps the beginning of it, and the fields after it', () => {
    const long = limit(`To: ${'g:'.repeat(MIB)}\r\nSubject: hi\r\n\r\nhello`);
    const expected = `${'g:'.repeat(32 * KIB - 2)}\r\nSubject: hi\r\n\r\nhello`;
    expect(long === `To: ${expected}`).toBe(true);
    const folded = limit(`To: a,\r\n${' g:g:g,\r\n'.repeat(100_000)}Subject: hi\r\n\r\nhello`);
    expect(folded.length).toBeLessThan(65 * KIB);
    expect(folded.endsWith('\r\nSubject: hi\r\n\r\nhello')).toBe(true);
    expect(folded.indexOf('\r\n\r\n')).toBe(folded.length - '\r\n\r\nhello'.length);
  });

  it('with very many header fields keeps a megabyte of them', () => {
    const mail = limit(`From: a@b.c\r\n${'X: yyyyyyyyyyyyyyyy\r\n'.repeat(200_000)}\r\nhello`);
    expect([mail.length < 1.1 * MIB, mail.endsWith('\r\n\r\nhello')]).toEqual([true, true]);
  });

  it('with long texts keeps the beginning of each, and all of its files', () => {
    const file = lines(30 * MIB);
    const mail = limit(
      multipart(
        part('Content-Type: text/plain', lines(6 * MIB)),
        part('Content-Type: TEXT/HTML; charset="utf-8"', lines(20 * MIB)),
        part('Content-Type: text/plain; charset=UTF-7', 'y'.repeat(MIB)),
        part('Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt', file),
        part('Content-Type: application/pdf', file),
      ),
    );
    const parts = mail.split('--b\r\n').slice(1);
    const sizes = parts.map((one) => Math.round((one.length / MIB) * 10) / 10);
    expect(sizes).toEqual([4, 12, 0.3, 30, 30]);
    expect(parts[3]).toContain(file);
    expect(mail.endsWith('--b--\r\n')).toBe(true);
  });

  it('with a forwarded mail keeps the beginning of its header fields, too', () => {
    const mail = limit(
      multipart(part('Content-Type: message/rfc822', `To: ${'g:'.repeat(MIB)}\r\n\r\nhello`)),
    );
    expect([mail.length < 66 * KIB, mail.includes('\r\n\r\nhello\r\n--b--')]).toEqual([true, true]);
  });

  it.each([
    '',
    '\n',
    '\r',
    '--',
    '\r\n\r\n',
    `--b\r\n${'\n'.repeat(70_000)}`,
    ':'.repeat(70_000),
    ' '.repeat(70_000),
    'a\n '.repeat(70_000),
  ])('that is none is survived: %#', (mail) => {
    expect(limit(mail).length).toBeLessThanOrEqual(mail.length + 2);
  });
});
