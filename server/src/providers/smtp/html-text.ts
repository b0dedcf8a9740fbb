/** What is not there to be read. */
const hidden = new Set(['head', 'style', 'script', 'title', 'template']);
const apart = new Set([
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

const decoded = (text: string): string =>
  text.replaceAll(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/**
 * The text of a piece of HTML, in one pass. Libraries for this build a tree first, and a mail of tables within tables,
 * which anybody can send, kept one busy for minutes.
 */
export function textOf(html: string): string {
  const lowered = html.toLowerCase();
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const text = html.slice(at, open < 0 ? html.length : open);
    pieces.push(decoded(text.replaceAll(/\s+/g, ' ')));
    if (open < 0) break;
    const isComment = html.startsWith('<!--', open);
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lowered.slice(open, open + 24))?.[1];
    if (!isComment && name === undefined && !html.startsWith('<!', open)) {
      pieces.push('<');
      at = open + 1;
      continue;
    }
    const isHidden = name !== undefined && hidden.has(name) && lowered[open + 1] !== '/';
    const last = isHidden ? lowered.indexOf(`</${name}`, open) : open;
    // What is not closed goes on to the end.
    const end = last < 0 ? -1 : html.indexOf(isComment ? '-->' : '>', last);
    if (end < 0) break;
    if (name !== undefined) pieces.push(apart.has(name) ? '\n\n' : lines.has(name) ? '\n' : '');
    at = end + (isComment ? 3 : 1);
  }
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
