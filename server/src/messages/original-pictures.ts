import { createReadStream } from 'node:fs';
import type { TenantReader } from '../db/tenant.ts';
import { findFilesOfMessage } from '../files/file.ts';
import type { FileStore } from '../files/store.ts';
import type { Message } from './schema.ts';

interface Picture {
  fileId: string;
  mimeType: string;
  size: number;
}

/** The pictures of a mail by their content ids. */
export type Pictures = ReadonlyMap<string, Picture>;

/** Types that browsers show and that can contain no script: SVG can. Detected from the bytes, not as the mail says. */
const SAFE_TYPE = /^image\/(?:apng|avif|bmp|gif|jpeg|png|webp)$/;

/**
 * Where HTML and styles name a picture of the mail. Spaces are bounded: without that, long runs of them would take quadratic
 * time.
 */
const CID =
  /((?:\b(?:src|background)\s{0,5}=\s{0,5}|\burl\(\s{0,5})(?:["']|&quot;)?\s{0,5})cid:([^\s"'<>()]{1,1000})/gi;

/** How much of a page pictures may be, each as often as it is shown. A mail has at most 40 MB. */
const MAX_BYTES = 40 * 1024 * 1024;
/** A picture that is named more often is one that fills a table, such as a spacer. */
const MAX_SHOWN = 1_000;

/** The message's own pictures, of which its HTML shows some. */
export async function findPictures(
  db: TenantReader,
  { id, content, media }: Pick<Message, 'id' | 'content' | 'media'>,
): Promise<Pictures> {
  const { html } = content as { html?: unknown };
  const named = media.filter(({ contentId }) => contentId !== undefined);
  if (typeof html !== 'string' || named.length === 0 || !/cid:/i.test(html)) return new Map();
  const files = new Map((await findFilesOfMessage(db, id)).map((file) => [file.id, file]));
  const pictures = new Map<string, Picture>();
  for (const { contentId = '', fileId } of named) {
    const file = files.get(fileId ?? '');
    // The first one counts, as in mail programs.
    if (file && SAFE_TYPE.test(file.mime_type) && !pictures.has(contentId))
      pictures.set(contentId, { fileId: file.id, mimeType: file.mime_type, size: file.size });
  }
  return pictures;
}

/** HTML in pieces, with the bytes of pictures in place of their content ids: the page may load nothing. */
export async function* withPictures(
  html: string,
  pictures: Pictures,
  store: FileStore,
): AsyncGenerator<string> {
  let end = 0;
  let bytes = 0;
  let shown = 0;
  for (const found of pictures.size === 0 ? [] : html.matchAll(CID)) {
    const [whole, before = '', id = ''] = found;
    const picture = pictureOf(pictures, id);
    if (!picture || shown >= MAX_SHOWN || bytes + picture.size > MAX_BYTES) continue;
    shown += 1;
    bytes += picture.size;
    yield html.slice(end, found.index) + before;
    yield* dataUrl(picture, store);
    end = found.index + whole.length;
  }
  yield html.slice(end);
}

/** As it is, or as a URL and an attribute of HTML write it. */
function pictureOf(pictures: Pictures, id: string): Picture | undefined {
  const plain = id.replaceAll('&amp;', '&').replace(/&quot;$/, '');
  return pictures.get(plain) ?? pictures.get(decode(plain));
}

function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Piece by piece, so that a large picture takes no memory. One whose bytes were deleted meanwhile is empty. */
async function* dataUrl({ fileId, mimeType }: Picture, store: FileStore): AsyncGenerator<string> {
  yield `data:${mimeType};base64,`;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(store.pathOf(fileId)) as AsyncIterable<Buffer>) {
      const whole = Buffer.concat([rest, chunk]);
      const used = whole.length - (whole.length % 3);
      yield whole.toString('base64', 0, used);
      rest = whole.subarray(used);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  yield rest.toString('base64');
}
