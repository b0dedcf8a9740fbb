import type { Issues } from '../../base/issues.ts';
import type { FileRow } from '../../files/file.ts';
import { hasSignedUrls, publicUrlOf } from '../../files/file.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import { validateUrl } from '../../outbound/validate-url.ts';
import { capabilities } from '../../providers/capabilities.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { filenameOfUrl, isOneOf, mediaTypeOf, mimeTypeOfName } from '../../providers/media-kind.ts';
import type { MediaInput, TemplateFile } from '../content-schema.ts';
import type { Message } from '../schema.ts';
import type { SendableType } from './validate-parts.ts';

export type StoredMedia = Message['media'][number];

export interface MediaDeps {
  files: ReadonlyMap<string, FileRow>;
  policy: OutboundPolicy;
  baseUrl: string;
}

/** One file as it is stored with its message; undefined if it has an issue. */
function storedMedia(
  given: MediaInput,
  path: string,
  deps: MediaDeps,
  issues: Issues,
): StoredMedia | undefined {
  const { fileId, url, mimeType, filename } = given;
  if ((fileId === undefined) === (url === undefined)) {
    issues.add(path, 'custom', 'Either `fileId` or `url` is required');
    return undefined;
  }
  if (fileId !== undefined) {
    const file = deps.files.get(fileId.toLowerCase());
    if (!file) {
      issues.add(`${path}.fileId`, 'custom', `There is no file ${fileId}`);
      return undefined;
    }
    return {
      fileId: file.id,
      url: hasSignedUrls(file) ? null : publicUrlOf(file, deps.baseUrl),
      mimeType: file.mime_type,
      filename: filename ?? file.filename,
      size: file.size,
    };
  }
  const decision = validateUrl(url as string, deps.policy);
  if (!decision.ok) {
    issues.add(`${path}.url`, 'invalid_string', decision.reason);
    return undefined;
  }
  const name = filename ?? filenameOfUrl(decision.url.href) ?? null;
  const type = mimeType ?? (name === null ? undefined : mimeTypeOfName(name));
  return { fileId: null, url: decision.url.href, mimeType: type ?? null, filename: name, size: null };
}

/** The file in the header of a template, checked like a message with that file. */
export function validateHeaderFile(
  given: Pick<TemplateFile, 'fileId' | 'url' | 'filename'>,
  path: string,
  type: 'image' | 'video' | 'document',
  kind: ChannelKind,
  deps: MediaDeps,
  issues: Issues,
): StoredMedia[] {
  const file = storedMedia(given, path, deps, issues);
  const limit = capabilities[kind].media[type];
  if (file && limit) checkFile(file, path, type, kind, limit, issues);
  return file ? [file] : [];
}

const pathOfMedia = (given: MediaInput | MediaInput[], index: number): string =>
  Array.isArray(given) ? `media.${index}` : 'media';

/** The files of a message as they are stored with it, in order; undefined for those with an issue. */
export const readMedia = (
  given: MediaInput | MediaInput[] | undefined,
  deps: MediaDeps,
  issues: Issues,
): (StoredMedia | undefined)[] =>
  given === undefined
    ? []
    : [given].flat().map((one, index) => storedMedia(one, pathOfMedia(given, index), deps, issues));

/** The default type of a message with files: the type of the files, or document if they differ. */
export function typeOfMedia(media: (StoredMedia | undefined)[]): SendableType {
  const types = new Set(media.map((one) => mediaTypeOf(one?.mimeType ?? '')));
  const [first] = types;
  return types.size === 1 && first !== undefined ? first : 'document';
}

/** Checks number, size and MIME type of the files of a message. */
export function validateMedia(
  given: MediaInput | MediaInput[] | undefined,
  media: (StoredMedia | undefined)[],
  type: SendableType,
  kind: ChannelKind,
  issues: Issues,
): void {
  const { maxMedia, maxMediaBytes, media: limits } = capabilities[kind];
  const limit = limits[type];
  if (given === undefined || !limit) return;
  if (media.length > maxMedia)
    issues.add('media', 'too_big', `At most ${maxMedia} on ${kind}, received ${media.length}`);
  const total = media.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  if (total > maxMediaBytes && media.length > 1)
    issues.add('media', 'too_big', `At most ${maxMediaBytes} bytes in all on ${kind}, received ${total}`);
  for (const [index, one] of media.entries()) {
    if (one) checkFile(one, pathOfMedia(given, index), type, kind, limit, issues);
  }
}

function checkFile(
  { size, mimeType }: StoredMedia,
  path: string,
  type: SendableType,
  kind: ChannelKind,
  limit: { maxBytes: number; mimeTypes: readonly string[] },
  issues: Issues,
): void {
  if (size !== null && size > limit.maxBytes)
    issues.add(
      path,
      'too_big',
      `A file of the type "${type}" has at most ${limit.maxBytes} bytes on ${kind}, received ${size}`,
    );
  if (mimeType !== null && !isOneOf(mimeType, limit.mimeTypes))
    issues.add(
      path,
      'custom',
      `As "${type}" only ${limit.mimeTypes.join(', ')} can be sent on ${kind}, received ${mimeType}`,
    );
}
