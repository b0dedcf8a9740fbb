import { hrefOf, isQuotation, isReplyHeader, linkText, QUOTED_CLASS } from './html-tags.ts';

/** Elements whose content is not shown. */
const hidden = new Set(['head', 'style', 'script', 'title', 'template']);
const paragraphs = new Set('p h1 h2 h3 h4 h5 h6 blockquote table ul ol pre hr'.split(' '));
const lines = new Set('br div tr li section article header footer dt dd'.split(' '));

const LESS_THAN = 0x3c;
/** A tag with more than this is not read further. */
const MAX_TAG = 4_096;
/** Deeper quotations are shown like this one. */
const MAX_DEPTH = 5;

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

/** Collects the lines of a text, and how deep each of them is quoted. */
function createLines() {
  const done: { pieces: string[]; depth: number }[] = [];
  let current = { pieces: [] as string[], depth: 0 };
  let depth = 0;
  return {
    add(piece: string): void {
      if (current.pieces.length === 0) current.depth = depth;
      current.pieces.push(piece);
    },
    /** Ends the line, if anything is in it. A `br` in an empty line is a blank line. */
    end(by: 'block' | 'paragraph' | 'br'): void {
      const isEmpty = current.pieces.every((piece) => piece === ' ');
      if (!isEmpty) done.push(current);
      const isBlankAfter = by === 'paragraph' || (by === 'br' && isEmpty);
      if (isBlankAfter && done.length > 0 && done.at(-1)?.pieces.length !== 0)
        done.push({ pieces: [], depth });
      current = { pieces: [], depth };
    },
    quote(change: 1 | -1): void {
      depth = Math.max(0, depth + change);
    },
    text(): string {
      this.end('block');
      return done
        .map(({ pieces, depth: quoted }) => {
          const line = pieces.join('').replaceAll(/ {2,}/g, ' ').trim();
          return quoted > 0 && line !== '' ? `${'> '.repeat(Math.min(quoted, MAX_DEPTH))}${line}` : line;
        })
        .join('\n')
        .replaceAll(/\n{3,}/g, '\n\n')
        .trim();
    },
  };
}

/**
 * The text of HTML, in one pass: quotations as lines with `> `, links as `label (https://…)`. html-to-text builds a tree
 * first: half a megabyte of open tags took it 5 to 21 s, this 0.1 s, and without a limit of depth it fails at 50 kB.
 */
export async function textOf(html: string): Promise<string> {
  // Loaded with the first page: it takes 15 ms.
  const { decodeHTML } = await import('entities');
  const lowered = lowerAscii(html);
  const tag = /<\/?([a-z][a-z0-9]{0,20})/y;
  const output = createLines();
  /** The open link, and its label so far. */
  let link: { href: string; label: string } | undefined;
  let divDepth = 0;
  /** Where the divs of a quotation begin. */
  const quotedDivs: number[] = [];

  const addText = (text: string): void => {
    const shown = /[\s&]/.test(text)
      ? decodeHTML(text.replaceAll(/\s+/g, ' ')).replaceAll('\u00a0', ' ')
      : text;
    if (link && link.label.length < MAX_TAG) link.label += shown;
    output.add(shown);
  };
  const endLink = (): void => {
    if (link) output.add(linkText(link.href, link.label));
    link = undefined;
  };
  const closeDiv = (): void => {
    if (quotedDivs.at(-1) === divDepth) {
      quotedDivs.pop();
      output.quote(-1);
    }
    divDepth = Math.max(0, divDepth - 1);
  };
  const openDiv = (source: string): void => {
    divDepth++;
    if (isReplyHeader(source)) {
      output.add('_'.repeat(32));
      output.end('block');
    }
    if (QUOTED_CLASS.test(source)) {
      quotedDivs.push(divDepth);
      output.quote(1);
    }
  };
  /** The quotations that are open: a person can indent a paragraph with the same element. */
  const blockquotes: boolean[] = [];
  const readTag = (name: string, source: string, isEnd: boolean): void => {
    if (paragraphs.has(name)) output.end('paragraph');
    else if (lines.has(name)) output.end(name === 'br' ? 'br' : 'block');
    else if (isEnd && (name === 'td' || name === 'th')) output.add(' ');
    if (name === 'a') {
      endLink();
      const href = isEnd ? undefined : hrefOf(source, decodeHTML);
      if (href !== undefined) link = { href, label: '' };
    } else if (name === 'div') isEnd ? closeDiv() : openDiv(source);
    else if (name === 'blockquote') {
      if (!isEnd) blockquotes.push(isQuotation(source));
      if (isEnd ? blockquotes.pop() : blockquotes.at(-1)) output.quote(isEnd ? -1 : 1);
    }
  };

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
      output.add(html.slice(open, last));
      position = last;
      continue;
    }
    const isComment = html.startsWith('<!--', open);
    tag.lastIndex = open;
    const name = isComment ? undefined : tag.exec(lowered)?.[1];
    if (!isComment && name === undefined && !html.startsWith('<!', open)) {
      output.add('<');
      position = open + 1;
      continue;
    }
    const isEnd = lowered[open + 1] === '/';
    const isHidden = name !== undefined && hidden.has(name) && !isEnd;
    const last = isHidden ? lowered.indexOf(`</${name}`, open) : open;
    // A tag that is not closed extends to the end.
    const close = last < 0 ? -1 : html.indexOf(isComment ? '-->' : '>', last);
    if (close < 0) break;
    if (name !== undefined && !isHidden)
      readTag(name, html.slice(open, Math.min(close, open + MAX_TAG)), isEnd);
    position = close + (isComment ? 3 : 1);
  }
  endLink();
  return output.text();
}
