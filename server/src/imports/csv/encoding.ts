import { isUtf8 } from 'node:buffer';

export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
] as const;
export type Encoding = (typeof encodings)[number];

const marks: readonly { encoding: Encoding; bytes: readonly number[] }[] = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** How many bytes at the beginning are a byte order mark. */
export const markLength = (head: Buffer, encoding: Encoding): number => {
  const bytes = marks.find((mark) => mark.encoding === encoding)?.bytes ?? [];
  return bytes.every((byte, index) => head[index] === byte) ? bytes.length : 0;
};

/** Texts in UTF-16 without a mark: nearly every second byte of a table is zero. */
function utf16Of(head: Buffer): Encoding | undefined {
  let even = 0;
  let odd = 0;
  for (const [index, byte] of head.entries())
    if (byte === 0) {
      if (index % 2 === 0) even += 1;
      else odd += 1;
    }
  const many = head.length / 8;
  if (odd > many && even === 0) return 'utf-16le';
  return even > many && odd === 0 ? 'utf-16be' : undefined;
}

/** The bytes up to the last whole character of UTF-8. */
function wholeCharacters(head: Buffer): Buffer {
  let end = head.length;
  while (end > 0 && end > head.length - 3 && ((head[end - 1] as number) & 0xc0) === 0x80) end -= 1;
  return end > 0 && (head[end - 1] as number) >= 0xc0 ? head.subarray(0, end - 1) : head;
}

/**
 * Detects the encoding of a text by its first bytes; undefined for what is no text. Spreadsheets on Windows write windows-1252
 * where they do not write UTF-8.
 */
export function detectEncoding(head: Buffer): Encoding | undefined {
  const marked = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (marked) return marked.encoding;
  if (head.includes(0)) return utf16Of(head);
  return isUtf8(wholeCharacters(head)) ? 'utf-8' : 'windows-1252';
}

/** How many bytes a text has in the file. It is exact, because texts that are not valid UTF-8 are refused. */
export function byteLengthOf(text: string, encoding: Encoding): number {
  if (encoding === 'utf-8') return Buffer.byteLength(text);
  return encoding.startsWith('utf-16') ? text.length * 2 : text.length;
}
