import type { StoredContent } from '../http/content.ts';
import type { FileRow } from './file.ts';
import { dispositionOf } from './filename.ts';
import type { FileStore } from './store.ts';

/** What browsers show and never run. Everything else is for saving, whatever it may turn out to be. */
const SHOWN =
  /^(?:image\/(?:apng|avif|bmp|gif|jpeg|png|webp|x-icon)|(?:audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * Should a browser take a file for a page after all, it runs nothing and loads nothing. The page that a browser makes to
 * play a sound or a film must be allowed to load that, which without an origin it is not.
 */
const INERT =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin";

export const caching = {
  /** For whoever has the token: ask each time, the answer is mostly 304. */
  ownOnly: 'private, no-cache',
  /** What is behind a public URL never changes. */
  forAll: 'public, max-age=31536000, immutable',
} as const;

/** The bytes of a file and how they are to be taken. */
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
