import type { Issues } from '../../base/issues.ts';
import type { FileRow } from '../../files/file.ts';
import { publicUrlOf } from '../../files/file.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import { validateUrl } from '../../outbound/validate-url.ts';
import type { ChannelKind } from '../../providers/adapter.ts';
import { capabilities } from '../../providers/capabilities.ts';
import { filenameOfUrl, isOneOf, mediaTypeOf, mimeTypeOfName } from '../../providers/media-kind.ts';
import type { MediaInput, Message } from '../schema.ts';
import type { SendableType } from './validate-parts.ts';

export type StoredMedia = Message['media'][number];

export interface MediaDeps {
  files: ReadonlyMap<string, FileRow>;
  policy: OutboundPolicy;
  baseUrl: string;
}

/** One file as it is stored with its message; undefined for one that is not there. */
function storedMedia(
  given: MediaInput,
  path: string,
  deps: MediaDeps,
  issues: Issues,
): StoredMedia | undefined {
  const { fileId, url, mimeType, filename } = given;
  if ((fileId === undefined) === (url === undefined)) {
    issues.add(path, 'custom', 'Needs either `fileId` or `url`');
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
      url: publicUrlOf(file, deps.baseUrl),
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
  const told = mimeType ?? (name === null ? undefined : mimeTypeOfName(name));
  return { fileId: null, url: decision.url.href, mimeType: told ?? null, filename: name, size: null };
}

export const pathOfMedia = (given: MediaInput | MediaInput[], index: number): string =>
  Array.isArray(given) ? `media.${index}` : 'media';

/** The files of a message as they are stored with it, in their places; undefined where one makes no sense. */
export const readMedia = (
  given: MediaInput | MediaInput[] | undefined,
  deps: MediaDeps,
  issues: Issues,
): (StoredMedia | undefined)[] =>
  given === undefined
    ? []
    : [given].flat().map((one, index) => storedMedia(one, pathOfMedia(given, index), deps, issues));

/** What files are sent as unless somebody says otherwise: as what they are, and different ones as documents. */
export function typeOfMedia(media: (StoredMedia | undefined)[]): SendableType {
  const types = new Set(media.map((one) => mediaTypeOf(one?.mimeType ?? '')));
  const [first] = types;
  return types.size === 1 && first !== undefined ? first : 'document';
}

/** Whether a vendor of this kind takes the files with a message of this type. */
export function validateMedia(
  given: MediaInput | MediaInput[] | undefined,
  media: (StoredMedia | undefined)[],
  type: SendableType,
  kind: ChannelKind,
  issues: Issues,
): void {
  const { mediaMost, mediaBytes, media: limits } = capabilities[kind];
  const limit = limits[type];
  if (given === undefined || !limit) return;
  if (media.length > mediaMost)
    issues.add('media', 'too_big', `At most ${mediaMost} on ${kind}, received ${media.length}`);
  const total = media.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  if (total > mediaBytes && media.length > 1)
    issues.add('media', 'too_big', `At most ${mediaBytes} bytes in all on ${kind}, received ${total}`);
  for (const [index, one] of media.entries()) {
    const path = pathOfMedia(given, index);
    if (one?.size != null && one.size > limit.maxBytes)
      issues.add(
        path,
        'too_big',
        `A file of the type "${type}" has at most ${limit.maxBytes} bytes on ${kind}, received ${one.size}`,
      );
    if (one?.mimeType != null && !isOneOf(one.mimeType, limit.mimeTypes))
      issues.add(
        path,
        'custom',
        `As "${type}" only ${limit.mimeTypes.join(', ')} can be sent on ${kind}, received ${one.mimeType}`,
      );
  }
}
