import type { RealClock } from './clock.ts';
import type { Keys } from './crypto.ts';

const PURPOSE = 'files.url';
export const SIGNED_FILES_PATH = '/public/signed-files';

/** A file as its URL names it. */
interface NamedFile {
  id: string;
  filename: string;
}

/** URLs by which anyone can download a file, until they end. */
export interface FileUrls {
  sign(file: NamedFile): string;
  /** How many milliseconds a URL is still valid, below 0 if it has ended; undefined if it was not signed here. */
  remainingMs(fileId: string, expires: string, signature: string): number | undefined;
}

interface FileUrlOptions {
  keys: Pick<Keys, 'sign' | 'isSigned'>;
  baseUrl: () => string;
  clock: Pick<RealClock, 'real'>;
  ttlMs: number;
}

export function createFileUrls({ keys, baseUrl, clock, ttlMs }: FileUrlOptions): FileUrls {
  // A URL stays the same for a while, so that browsers find the file in their cache. It lives up to that much longer.
  const stepMs = Math.ceil(ttlMs / 24);
  const textOf = (fileId: string, expires: string): string => `${fileId} ${expires}`;
  return {
    sign({ id, filename }) {
      const endMs = Math.ceil((clock.real().getTime() + ttlMs) / stepMs) * stepMs;
      const expires = String(Math.ceil(endMs / 1000));
      const signature = keys.sign(textOf(id, expires), PURPOSE);
      const name = encodeURIComponent(filename.toWellFormed());
      // The name comes last, because some vendors look at the end of a URL for the type of the file.
      return `${baseUrl()}${SIGNED_FILES_PATH}/${id}/${expires}/${signature}/${name}`;
    },
    remainingMs(fileId, expires, signature) {
      if (!/^\d{1,12}$/.test(expires)) return undefined;
      if (!keys.isSigned(textOf(fileId, expires), signature, PURPOSE)) return undefined;
      return Number(expires) * 1000 - clock.real().getTime();
    },
  };
}
