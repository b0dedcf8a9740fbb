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

/**
 * The text of HTML, in one pass. Libraries build a tree first: a mail of nested tables kept one busy for minutes.
 */
export function textOf(html: string): string {
  const lowered = html.toLowerCase();
  const pieces: string[] = [];
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    const text = html.slice(position, open < 0 ? html.length : open);
    pieces.push(decodeEntities(text.replaceAll(/\s+/g, ' ')));
    if (open < 0) break;
    const isComment = html.startsWith('<!--', open);
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lowered.slice(open, open + 24))?.[1];
    if (!isComment && name === undefined && !html.startsWith('<!', open)) {
      pieces.push('<');
      position = open + 1;
      continue;
    }
    const isHidden = name !== undefined && hidden.has(name) && lowered[open + 1] !== '/';
    const last = isHidden ? lowered.indexOf(`</${name}`, open) : open;
    // A tag that is not closed extends to the end.
    const end = last < 0 ? -1 : html.indexOf(isComment ? '-->' : '>', last);
    if (end < 0) break;
    if (name !== undefined) pieces.push(paragraphs.has(name) ? '\n\n' : lines.has(name) ? '\n' : '');
    position = end + (isComment ? 3 : 1);
  }
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
