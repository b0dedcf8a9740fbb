import { describe, expect, it } from 'vitest';
import { authenticationOf } from '../../../../src/providers/smtp/authentication.ts';
import { closeParts } from '../../../../src/providers/smtp/close-parts.ts';
import { readMime } from '../../../../src/providers/smtp/read-mime.ts';

const read = (...lines: (string | Buffer)[]) =>
  readMime(Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), Buffer.from('\r\n')])));

describe('the text of a mail', () => {
  it.each([
    ['big5', 'text/plain', Buffer.from('你好，世界'), '你好，世界'],
    ['big5', 'text/plain', Buffer.from([0xa7, 0x41, 0xa6, 0x6e]), '你好'],
    ['gbk', 'text/plain', Buffer.from([0xd2, 0xbb]), '一'],
    ['iso-8859-1', 'text/plain', Buffer.from('Grüße'), 'Grüße'],
    ['iso-8859-1', 'text/plain', Buffer.from('Grüße', 'latin1'), 'Grüße'],
    ['iso-2022-kr', 'text/plain', Buffer.from('\x1b$)C\x0e>H3g\x0f Ada', 'latin1'), '안녕 Ada'],
    ['us-ascii', 'text/plain', Buffer.from('Grüße', 'latin1'), 'Grüße'],
    ['utf-16le', 'text/plain', Buffer.from('Grüße', 'utf16le'), 'Grüße'],
  ])('that is labelled %s is decoded (%s)', async (charset, type, bytes, text) => {
    const mail = await read(
      'From: a@b.c',
      `Content-Type: ${type}; charset=${charset}`,
      'Content-Transfer-Encoding: base64',
      '',
      bytes.toString('base64'),
    );
    expect(mail.text?.trim()).toBe(text);
  });

  it.each([
    ['<meta charset="koi8-r"><p>', Buffer.from([0xf0, 0xd2, 0xc9]), 'При'],
    [
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
      Buffer.from([0xcf, 0xf0]),
      'Пр',
    ],
    ['<p>', Buffer.from('Grüße'), 'Grüße'],
    ['<p>', Buffer.from('Grüße', 'latin1'), 'Grüße'],
    ['<meta charset="unheard-of">', Buffer.from('plain'), 'plain'],
  ])('without a label is decoded as it says itself: %s', async (head, bytes, text) => {
    const mail = await read(
      'From: a@b.c',
      'Content-Type: text/html',
      '',
      Buffer.concat([Buffer.from(head), bytes]),
    );
    expect(String(mail.html).trim()).toBe(`${head}${text}`);
  });
});

describe('the parts of a mail', () => {
  const picture = ['Content-Type: image/png', 'Content-Disposition: attachment; filename=a.png', '', 'x'];

  it('are found after inner parts that are not closed', async () => {
    const mail = await read(
      'From: a@b.c',
      'Content-Type: multipart/mixed; boundary=outer',
      '',
      '--outer',
      'Content-Type: multipart/related; boundary="inner"',
      '',
      '--inner',
      'Content-Type: multipart/alternative; boundary=innermost',
      '',
      '--innermost',
      'Content-Type: text/plain',
      '',
      'Hello',
      '--outer',
      ...picture,
      '--outer--',
    );
    expect([mail.text?.trim(), mail.attachments.map(({ filename }) => filename)]).toEqual([
      'Hello',
      ['a.png'],
    ]);
  });

  it('stay as they are if every one is closed', () => {
    const mail = Buffer.from(
      'Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n--a--\n',
    );
    expect(closeParts(mail)).toBe(mail);
  });
});

describe('the authentication of a sender', () => {
  const lineOf = (line: string) => ({
    key: 'authentication-results',
    line: `Authentication-Results: ${line}`,
  });
  it('is what the topmost header says', () => {
    expect(
      authenticationOf([
        lineOf(
          'mx.shop.test;\r\n dkim=fail header.d=a; dkim=pass (2048 bit; dkim=none) header.d=b;\r\n spf=SoftFail smtp.mailfrom=a@b; dmarc=pass',
        ),
        lineOf('forged; spf=pass; dkim=pass; dmarc=fail'),
      ]),
    ).toEqual({ spf: 'softfail', dkim: 'pass', dmarc: 'pass' });
    expect(authenticationOf([lineOf('mx.shop.test; none')])).toEqual({ spf: null, dkim: null, dmarc: null });
    expect(authenticationOf([])).toBeUndefined();
  });
});
