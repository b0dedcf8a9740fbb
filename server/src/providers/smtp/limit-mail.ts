/**
 * The address parser takes quadratic time: a header of 0.6 MB took 24 s, one of 64 kB takes 0.3 s. What is cut off is beyond
 * everything that is shown: 100 recipients in copy, 50 message ids.
 */
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 1024 * 1024;
/** Encoded, as they are sent. More than what is stored of a text or of HTML in any encoding that is used. */
const MAX_PART_BYTES: Record<string, number> = {
  'text/plain': 4 * 1024 * 1024,
  'text/html': 12 * 1024 * 1024,
};
/** Its decoder takes quadratic time: 5 MB took 12 s. Hardly any mail is written in it. */
const SLOW_CHARSET = /\bcharset\s*=\s*["']?(?:unicode-1-1-)?utf-?7/i;
const MAX_SLOW_BYTES = 256 * 1024;
/** A type with its parameters is short; the rest cannot matter. */
const READ_BYTES = 2_000;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DASH = 0x2d;
const END_OF_LINE = Buffer.from('\r\n');

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;

/**
 * A mail without what would keep its parser busy for long: the rest of very long headers and texts. Files stay as they are.
 * Goes through the mail once, line by line.
 */
export function limitMail(mail: Buffer): Buffer {
  if (mail.length <= MAX_FIELD_BYTES) return mail;
  const kept: Buffer[] = [];
  /** What is kept and not yet in the list begins here. */
  let from = 0;
  let isCut = false;
  /** Leaves out a line, or the rest of it. */
  const cut = (start: number, keptBytes: number, end: number): void => {
    if (start + keptBytes > from) kept.push(mail.subarray(from, start + keptBytes));
    if (keptBytes > 0) kept.push(END_OF_LINE);
    from = end;
    isCut = true;
  };

  const boundaries = new Set<string>();
  let part = newPart();
  for (let start = 0; start < mail.length; ) {
    const feed = mail.indexOf(LINE_FEED, start);
    const end = feed < 0 ? mail.length : feed + 1;
    const size = end - start;
    if (mail[start] === DASH && mail[start + 1] === DASH && boundaries.size > 0) {
      const line = mail
        .subarray(start + 2, Math.min(end, start + READ_BYTES))
        .toString('latin1')
        .trimEnd();
      if (boundaries.has(line)) part = newPart();
      else if (line.endsWith('--') && boundaries.has(line.slice(0, -2)))
        part = { ...newPart(), isHeader: false };
    } else if (part.isHeader) {
      const isBlank = size <= 2 && (mail[start] === LINE_FEED || mail[start] === CARRIAGE_RETURN);
      if (isBlank) part = endHeader(part, boundaries);
      else {
        const isNewField = !isSpace(mail[start]);
        if (isNewField) {
          readField(part);
          part.field = '';
          part.fieldBytes = 0;
        }
        const room = Math.min(MAX_FIELD_BYTES - part.fieldBytes, MAX_HEADER_BYTES - part.headerBytes);
        part.fieldBytes += size;
        part.headerBytes += Math.min(size, Math.max(0, room));
        if (part.field.length < READ_BYTES)
          part.field += mail.subarray(start, Math.min(end, start + READ_BYTES)).toString('latin1');
        if (size > room) cut(start, Math.max(0, room), end);
      }
    } else {
      const room = part.maxBytes - part.bodyBytes;
      part.bodyBytes += size;
      if (size > room) cut(start, Math.max(0, room), end);
    }
    start = end;
  }
  if (!isCut) return mail;
  kept.push(mail.subarray(from));
  return Buffer.concat(kept);
}

interface Part {
  isHeader: boolean;
  headerBytes: number;
  /** The beginning of the header field that is being read, and its size. */
  field: string;
  fieldBytes: number;
  type: string;
  isFile: boolean;
  bodyBytes: number;
  maxBytes: number;
}

const newPart = (): Part => ({
  isHeader: true,
  headerBytes: 0,
  field: '',
  fieldBytes: 0,
  type: 'text/plain',
  isFile: false,
  bodyBytes: 0,
  maxBytes: Number.POSITIVE_INFINITY,
});

/** Keeps what matters of a header field that has ended. */
function readField(part: Part): void {
  const { field } = part;
  if (/^content-type[ \t]*:/i.test(field)) part.type = field.slice(field.indexOf(':') + 1).trim();
  else if (/^content-disposition[ \t]*:\s*attachment/i.test(field)) part.isFile = true;
}

function endHeader(part: Part, boundaries: Set<string>): Part {
  readField(part);
  const { type, isFile } = part;
  const [, quoted, plain] = /\bboundary\s*=\s*(?:"([^"]{1,500})"|([^\s;"]{1,500}))/i.exec(type) ?? [];
  const boundary = (quoted ?? plain)?.trimEnd();
  if (boundary !== undefined && /^multipart\//i.test(type)) boundaries.add(boundary);
  // The header of a forwarded mail follows.
  if (/^message\/(?!delivery-status)/i.test(type)) return newPart();
  const name = /^[^;\s]+/.exec(type)?.[0].toLowerCase() ?? 'text/plain';
  const maxBytes = SLOW_CHARSET.test(type)
    ? MAX_SLOW_BYTES
    : (MAX_PART_BYTES[name] ?? Number.POSITIVE_INFINITY);
  return { ...part, isHeader: false, maxBytes: isFile ? Number.POSITIVE_INFINITY : maxBytes };
}
