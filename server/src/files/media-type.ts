const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';

/** Types of plain text that cannot be detected from the bytes: for these the client's type is used. */
const CLAIMABLE = new Set([
  'application/json',
  'message/rfc822',
  'text/calendar',
  'text/csv',
  'text/markdown',
  'text/tab-separated-values',
  'text/vcard',
]);

/**
 * Detects the type of a file from its first bytes. The type given by the client only decides between types of plain
 * text: an HTML page declared as an image is an HTML page.
 */
export async function mediaTypeOf(head: Buffer, claimed: string): Promise<string> {
  // Loaded with the first upload: loading it takes nearly half as long as loading Fastify, and not every start needs it.
  const { fileTypeFromBuffer } = await import('file-type');
  const known = (await fileTypeFromBuffer(head))?.mime;
  if (known !== undefined && known !== 'application/xml') return known;
  const text = textOf(head);
  if (text === undefined) return known ?? UNKNOWN;
  const markup = markupOf(text);
  if (markup !== undefined) return markup;
  const [claim = ''] = claimed.toLowerCase().split(';');
  return CLAIMABLE.has(claim.trim()) ? claim.trim() : PLAIN;
}

/** Characters that no text contains: control characters other than white space and escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

/** Decodes the start of a text in UTF-8, which may end in the middle of a character; undefined for anything else. */
function textOf(head: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return BINARY.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Elements that make a browser treat a text without a type as HTML (WHATWG MIME Sniffing). */
const PAGE_ELEMENTS = new Set(
  'a b body br div font form h1 head html iframe img link meta object p script style table title'.split(' '),
);

const MAX_DECLARATIONS = 100;

/** The type of a text that is HTML, SVG or other XML, by its first element; undefined for every other text. */
function markupOf(text: string): string | undefined {
  let position = 0;
  let isXml = false;
  let isPage = false;
  for (let declarations = 0; declarations < MAX_DECLARATIONS; declarations += 1) {
    while (/\s/.test(text[position] ?? '')) position += 1;
    const rest = text.slice(position, position + 64).toLowerCase();
    // Before the first element there may be declarations and comments.
    const end = rest.startsWith('<!--') ? '-->' : /^<[?!]/.test(rest) ? '>' : undefined;
    if (end === undefined) {
      const name = /^<(?:[\w.-]+:)?([\w.-]+)(?=[\s/>]|$)/.exec(rest)?.[1];
      if (name === 'svg') return 'image/svg+xml';
      if (isXml) return name === 'html' ? 'application/xhtml+xml' : 'application/xml';
      return isPage || PAGE_ELEMENTS.has(name ?? '') ? 'text/html' : undefined;
    }
    if (rest.startsWith('<!doctype svg')) return 'image/svg+xml';
    isXml ||= rest.startsWith('<?xml');
    isPage ||= rest.startsWith('<!doctype html');
    const next = text.indexOf(end, position);
    if (next < 0) break;
    position = next + end.length;
  }
  return isXml ? 'application/xml' : 'text/html';
}
