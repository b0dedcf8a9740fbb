const BOUNDARY = /^oundary\s{0,5}=\s{0,5}(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i;
/** No mail program nests more parts. */
const MAX_BOUNDARIES = 100;
const MAX_WORDS = 10_000;
const LINE_FEED = 0x0a;
const DASH = 0x2d;
/** A line with a boundary is not longer. */
const MAX_LINE = 300;

/** The boundaries that a mail declares. Searches bytes: a mail can have 40 MiB of files. */
function boundariesIn(mail: Buffer): Set<string> {
  const found = new Set<string>();
  let words = 0;
  for (const word of ['oundary', 'OUNDARY'])
    for (let start = mail.indexOf(word); start >= 0 && found.size < MAX_BOUNDARIES && words < MAX_WORDS; ) {
      words++;
      const [, quoted, plain] = BOUNDARY.exec(mail.toString('latin1', start, start + MAX_LINE)) ?? [];
      const name = (quoted ?? plain ?? '').trimEnd();
      if (name !== '') found.add(name);
      start = mail.indexOf(word, start + word.length);
    }
  return found;
}

/**
 * A mail whose inner parts are closed before the next outer one begins. The parser does not look for the boundary of an
 * outer part inside of two inner ones, so the pictures after an unclosed part would be lost.
 */
export function closeParts(mail: Buffer): Buffer {
  const names = boundariesIn(mail);
  if (names.size < 2) return mail;
  const kept: Buffer[] = [];
  const opened: string[] = [];
  let from = 0;
  for (let start = 0; start < mail.length; ) {
    const feed = mail.indexOf(LINE_FEED, start);
    const end = feed < 0 ? mail.length : feed + 1;
    if (mail[start] === DASH && mail[start + 1] === DASH && end - start <= MAX_LINE) {
      const line = mail.toString('latin1', start + 2, end).trimEnd();
      const isEnd = !names.has(line) && line.endsWith('--');
      const name = isEnd ? line.slice(0, -2) : line;
      const depth = names.has(name) ? opened.lastIndexOf(name) : -2;
      if (depth === -1 && !isEnd) opened.push(name);
      if (depth >= 0) {
        const unclosed = opened.splice(isEnd ? depth : depth + 1);
        const missing = isEnd ? unclosed.slice(1) : unclosed;
        if (missing.length > 0) {
          kept.push(mail.subarray(from, start));
          kept.push(
            Buffer.from(
              missing
                .toReversed()
                .map((one) => `\r\n--${one}--\r\n`)
                .join(''),
              'latin1',
            ),
          );
          from = start;
        }
      }
    }
    start = end;
  }
  return from === 0 ? mail : Buffer.concat([...kept, mail.subarray(from)]);
}
