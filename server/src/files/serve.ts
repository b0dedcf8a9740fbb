import type { StoredContent } from '../http/content.ts';
import type { FileRow } from './file.ts';
import { dispositionOf } from './filename.ts';
import type { FileStore } from './store.ts';

/** Types that browsers display and never execute. Everything else is sent as an attachment. */
const SHOWN =
  /^(?:image\/(?:apng|avif|bmp|gif|jpeg|png|webp|x-icon)|(?:audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * If a browser renders a file as a page all the same, the page executes nothing and loads nothing. The page that a
 * browser generates to play audio or video needs `allow-same-origin` to load the file.
 */
const INERT =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin";

export const caching = {
  /** For requests with a token: revalidate each time; the answer is mostly 304. */
  ownOnly: 'private, no-cache',
  /** The content of a public URL never changes. */
  forAll: 'public, max-age=31536000, immutable',
  /** No copy outlives a signed URL, and none is kept for others. */
  until: (remainingMs: number): string => `private, max-age=${Math.floor(remainingMs / 1000)}, immutable`,
} as const;

/** The path of a file's bytes and the headers of the answer. */
export function contentOf(store: FileStore, row: FileRow, cacheControl: string): StoredContent {
  const { id, filename, mime_type: mimeType, size, sha256 } = row;
  return {
    path: store.pathOf(id),
    size,
    etag: sha256.toString('hex'),
    headers: {
      'cache-control': cacheControl,
      'content-disposition': dispositionOf(SHOWN.test(mimeType) ? 'inline' : 'attachment', filename),
      'content-security-policy': INERT,
      'content-type': mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType,
    },
  };
}
