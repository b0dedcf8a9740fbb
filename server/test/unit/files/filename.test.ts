import { describe, expect, it } from 'vitest';
import { dispositionOf, shownName } from '../../../src/files/filename.ts';

describe('the shown name of a file', () => {
  it.each([
    ['photo.jpg', 'photo.jpg'],
    ['Grüße 😀.pdf', 'Grüße 😀.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['%2e%2e%2fpasswd', '%2e%2e%2fpasswd'],
    ['a\0.html.png', 'a.html.png'],
    ['two\r\nlines.txt', 'twolines.txt'],
    ['\u202egpj.exe', 'gpj.exe'],
    ['lone\ud800.txt', 'lone\ufffd.txt'],
    ['  spaced.txt ', 'spaced.txt'],
    ['..', 'file'],
    ['.', 'file'],
    ['folder/', 'file'],
    ['', 'file'],
    ['\0', 'file'],
    [undefined, 'file'],
    ['.htaccess', '.htaccess'],
  ])('F2: of %j is %j', (given, shown) => {
    expect(shownName(given)).toBe(shown);
  });

  it('is at most 255 characters long and keeps its extension', () => {
    expect(shownName(`${'é'.repeat(300)}.jpeg`)).toBe(`${'é'.repeat(250)}.jpeg`);
    expect(shownName(`${'😀'.repeat(300)}`)).toBe('😀'.repeat(255));
    expect(shownName(`a.${'b'.repeat(300)}`)).toBe(`a.${'b'.repeat(253)}`);
  });
});

describe('Content-Disposition', () => {
  it('has the name in ASCII, and in full for clients that can read it', () => {
    expect(dispositionOf('attachment', 'a.txt')).toBe(
      'attachment; filename="a.txt"; filename*=UTF-8\'\'a.txt',
    );
    expect(dispositionOf('inline', 'é"\\%\'(1)*.png')).toBe(
      "inline; filename=\"____'(1)*.png\"; filename*=UTF-8''%C3%A9%22%5C%25%27%281%29%2a.png",
    );
  });
});
