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
  ])('is detected from its bytes, not from the given type: %s', async (_, content, type) => {
    for (const claimed of ['application/octet-stream', 'image/png', 'text/html', 'nonsense', ''])
      expect(await typeOf(content, claimed)).toBe(type);
  });

  it('is the given one only for types of plain text', async () => {
    expect(await typeOf('a,b\n1,2\n', 'text/csv; charset=utf-8')).toBe('text/csv');
    expect(await typeOf('{}', 'application/JSON')).toBe('application/json');
    expect(await typeOf('alert(1)', 'text/javascript')).toBe('text/plain');
    expect(await typeOf('<svg/>', 'text/csv')).toBe('image/svg+xml');
    expect(await typeOf(PNG, 'text/csv')).toBe('image/png');
  });

  it('is detected although the first bytes end in the middle of a character', async () => {
    const text = Buffer.from('世'.repeat(100));
    for (const length of [298, 299, 300]) expect(await typeOf(text.subarray(0, length))).toBe('text/plain');
  });

  it('D3: is found in time that grows with the length of a hostile beginning', async () => {
    const hostile: ((size: number) => string)[] = [
      (size) => '<!'.repeat(size / 2),
      (size) => '<!-->'.repeat(size / 5),
      (size) => ' '.repeat(size),
      (size) => '<?xml ?>'.repeat(size / 8),
      (size) => '<a:'.repeat(size / 3),
    ];
    const SIZE = 32_500;
    /** Milliseconds of the processor: other work on the machine makes waiting longer, and not this. */
    const costOf = async (text: string): Promise<number> => {
      const before = process.cpuUsage();
      await typeOf(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    /** The best of five: compiling and collecting garbage only ever add. */
    const bestOf = async (text: string): Promise<number> => {
      let best = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 5; time += 1) best = Math.min(best, await costOf(text));
      return best;
    };
    await typeOf('what has to be loaded is');
    for (const make of hostile) {
      // Milliseconds are linear on any machine: quadratic work on 65,000 characters takes seconds.
      if ((await costOf(make(2 * SIZE))) < 50) continue;
      const [once, twice] = [await bestOf(make(SIZE)), await bestOf(make(2 * SIZE))];
      expect(twice).toBeLessThan(3 * once + 50);
    }
  });
});
