import type { FileStore } from '../files/store.ts';
import { type Pictures, withPictures } from './original-pictures.ts';
import type { Message } from './schema.ts';

/**
 * What a customer wrote as HTML runs nothing, loads nothing, sends nothing, and reaches no cookie: its origin is its own. Links
 * open in a tab of their own.
 */
export const ORIGINAL_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    'img-src data:',
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
};

/**
 * Elements that no policy covers: they connect to servers beforehand, load another page, or change where links lead. A browser
 * connects to the server of a frame before it looks at the policy.
 */
const UNCOVERED = /<(?=(?:link|meta|base|i?frame|frameset|fencedframe|object|embed|applet|portal)[\s/>])/gi;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Mails are made for white paper. A photo without a size of its own, as phones send them, is as wide as the page at most. */
const START =
  '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><base target="_blank">' +
  '<style>:root{color-scheme:light;background:#fff;color:#000;font:14px/1.4 sans-serif}pre{white-space:pre-wrap;font:inherit}' +
  'img:not([height],[style*="height"]){max-width:100%}</style>';

/** A message as the page that its sender made; its text if that is all there is. */
export async function* writeOriginal(
  { content, text }: Pick<Message, 'content' | 'text'>,
  pictures: Pictures,
  store: FileStore,
): AsyncGenerator<string> {
  yield START;
  const { html } = content as { html?: unknown };
  if (typeof html === 'string' && html !== '')
    yield* withPictures(html.replace(UNCOVERED, '<x-'), pictures, store);
  else yield `<pre>${escapeText(text ?? '')}</pre>`;
}
