import type { MessageType } from './kinds.ts';

/** The types of messages that are files. */
const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies MessageType[];
export type MediaType = (typeof mediaTypes)[number];

export const isMediaType = (type: MessageType): type is MediaType =>
  (mediaTypes as readonly MessageType[]).includes(type);

/** The default message type of a file with this MIME type. */
export function mediaTypeOf(mimeType: string): MediaType {
  const [family] = mimeType.toLowerCase().split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}

const BY_EXTENSION: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  '3gp': 'video/3gpp',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  amr: 'audio/amr',
  ogg: 'audio/ogg',
  opus: 'audio/opus',
  wav: 'audio/wav',
  pdf: 'application/pdf',
  csv: 'text/csv',
  txt: 'text/plain',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  zip: 'application/zip',
};

/** The MIME type by the extension of a file name; undefined if it is unknown. */
export const mimeTypeOfName = (filename: string): string | undefined => {
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
};

/** The name of the file at a URL. */
export function filenameOfUrl(url: string): string | undefined {
  const name = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return name;
  }
}

/** Whether a MIME type is one of `allowed`, which may have entries such as `image/*`. */
export const isOneOf = (mimeType: string, allowed: readonly string[]): boolean => {
  const [bare = ''] = mimeType.toLowerCase().split(';');
  return allowed.some(
    (one) =>
      one === '*/*' || one === bare.trim() || (one.endsWith('/*') && bare.startsWith(one.slice(0, -1))),
  );
};
