/** Elements whose content is not shown. */
const hidden = new Set(['head', 'style', 'script', 'title', 'template']);
const paragraphs = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'blockquote',
  'table',
  'ul',
  'ol',
  'pre',
  'hr',
]);
const lines = new Set(['br', 'div', 'tr', 'li', 'section', 'article', 'header', 'footer', 'dt', 'dd']);

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decodeEntities = (text: string): string =>
  text.replaceAll(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const LESS_THAN = 0x3c;

/** In lower case, of the same length: `İ` would become two characters. */
function lowerAscii(text: string): string {
  const lowered = text.toLowerCase();
  return lowered.length === text.length
    ? lowered
    : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether a tag, a comment or a declaration may begin with this character after `<`. */
const canOpen = (code: number): boolean =>
  code === 0x21 || code === 0x2f || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

/**
 * The text of HTML, in one pass. Libraries build a tree first: a mail of nested tables kept one busy for minutes. Half a
 * megabyte of tags takes 0.1 s.
 */
export function textOf(html: string): string {
  const lowered = lowerAscii(html);
  const tag = /<\/?([a-z][a-z0-9]{0,20})/y;
  const pieces: string[] = [];
  /** Two breaks in a row are a paragraph, and more are no more than that. */
  const addBreak = (mark: string): void => {
    const last = pieces.at(-1);
    if (last === '\n') pieces[pieces.length - 1] = '\n\n';
    else if (last !== undefined && last !== '\n\n') pieces.push(mark);
  };
  const addText = (text: string): void =>
    void pieces.push(/[\s&]/.test(text) ? decodeEntities(text.replaceAll(/\s+/g, ' ')) : text);
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    const end = open < 0 ? html.length : open;
    if (end > position) addText(html.slice(position, end));
    if (open < 0) break;
    if (!canOpen(html.charCodeAt(open + 1))) {
      // As many as there are, at once.
      let last = open + 1;
      while (html.charCodeAt(last) === LESS_THAN && !canOpen(html.charCodeAt(last + 1))) last++;
      pieces.push(html.slice(open, last));
      position = last;
      continue;
    }
    const isComment = html.startsWith('<!--', open);
    tag.lastIndex = open;
    const name = isComment ? undefined : tag.exec(lowered)?.[1];
    if (!isComment && name === undefined && !html.startsWith('<!', open)) {
      pieces.push('<');
      position = open + 1;
      continue;
    }
    const isHidden = name !== undefined && hidden.has(name) && lowered[open + 1] !== '/';
    const last = isHidden ? lowered.indexOf(`</${name}`, open) : open;
    // A tag that is not closed extends to the end.
    const close = last < 0 ? -1 : html.indexOf(isComment ? '-->' : '>', last);
    if (close < 0) break;
    if (name !== undefined && paragraphs.has(name)) addBreak('\n\n');
    else if (name !== undefined && lines.has(name)) addBreak('\n');
    position = close + (isComment ? 3 : 1);
  }
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
