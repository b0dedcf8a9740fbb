import { describe, expect, it } from 'vitest';
import { mediaTypeOf } from '../../../src/files/media-type.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const typeOf = (content: string | Buffer, claimed = 'application/octet-stream') =>
  mediaTypeOf(Buffer.from(content as string), claimed);

describe('the type of a file', () => {
  it.each([
    ['a picture', PNG, 'image/png'],
    ['a document', '%PDF-1.7\n', 'application/pdf'],
    ['text', 'Hello, 世界\n', 'text/plain'],
    ['bytes', Buffer.from([1, 2, 3, 0, 255]), 'application/octet-stream'],
    ['text that is not UTF-8', Buffer.from('Grüße', 'latin1'), 'application/octet-stream'],
    ['a page', '<!DOCTYPE html><title>x</title>', 'text/html'],
    ['a page in capitals', '\ufeff \n<HTML><script>alert(1)</script>', 'text/html'],
    ['a page behind comments', '<!-- a --><!-- b > --><script>alert(1)</script>', 'text/html'],
    ['a page without a head', '<img src=x onerror=alert(1)>', 'text/html'],
    ['a comment without an end', '<!-- <script>alert(1)</script>', 'text/html'],
    [
      'a page in XML',
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
      'application/xhtml+xml',
    ],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['a drawing in XML', '<?xml version="1.0"?>\n<!-- x -->\n<svg:svg xmlns:svg="…"/>', 'image/svg+xml'],
    ['a drawing with a type', '<!DOCTYPE svg [<!ENTITY x "y">]><svg/>', 'image/svg+xml'],
    ['XML', '<?xml version="1.0"?><note/>', 'application/xml'],
    ['text that begins with a sign', '<3 you', 'text/plain'],
    ['an unknown element', '<note>', 'text/plain'],
  ])('is told from its bytes, whatever is claimed: %s', async (_, content, type) => {
    for (const claimed of ['application/octet-stream', 'image/png', 'text/html', 'nonsense', ''])
      expect(await typeOf(content, claimed)).toBe(type);
  });

  it('is what the client says only between kinds of plain text', async () => {
    expect(await typeOf('a,b\n1,2\n', 'text/csv; charset=utf-8')).toBe('text/csv');
    expect(await typeOf('{}', 'application/JSON')).toBe('application/json');
    expect(await typeOf('alert(1)', 'text/javascript')).toBe('text/plain');
    expect(await typeOf('<svg/>', 'text/csv')).toBe('image/svg+xml');
    expect(await typeOf(PNG, 'text/csv')).toBe('image/png');
  });

  it('is told although the beginning ends in the middle of a character', async () => {
    const text = Buffer.from('世'.repeat(100));
    for (const length of [298, 299, 300]) expect(await typeOf(text.subarray(0, length))).toBe('text/plain');
  });

  it('D3: is told in no time of hostile beginnings', async () => {
    const hostile = [
      '<!'.repeat(32_000),
      '<!-->'.repeat(13_000),
      ' '.repeat(65_000),
      '<?xml ?>'.repeat(8_000),
      '<a:'.repeat(20_000),
    ];
    await typeOf('what has to be loaded is');
    for (const text of hostile) {
      const startedAt = performance.now();
      await typeOf(text);
      expect(performance.now() - startedAt).toBeLessThan(50);
    }
  });
});
