import type { Complain } from '../contacts/faults.ts';
import type { FileRow } from '../files/file.ts';
import { publicUrlOf } from '../files/file.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { judgeUrl } from '../outbound/judge-url.ts';
import type { ChannelKind } from '../providers/adapter.ts';
import { capabilities } from '../providers/capabilities.ts';
import { filenameOfUrl, isOneOf, mediaTypeOf, mimeTypeOfName } from '../providers/media-kind.ts';
import type { SendableType } from './judge-parts.ts';
import type { MediaInput, Message } from './schema.ts';

export type StoredMedia = Message['media'][number];

export interface MediaNeeds {
  files: ReadonlyMap<string, FileRow>;
  policy: OutboundPolicy;
  baseUrl: string;
}

/** One file as it is stored with its message; undefined for one that is not there. */
function storedMedia(
  given: MediaInput,
  path: string,
  needs: MediaNeeds,
  complain: Complain,
): StoredMedia | undefined {
  const { fileId, url, mimeType, filename } = given;
  if ((fileId === undefined) === (url === undefined)) {
    complain(path, { key: 'custom', message: 'Needs either `fileId` or `url`' });
    return undefined;
  }
  if (fileId !== undefined) {
    const file = needs.files.get(fileId.toLowerCase());
    if (!file) {
      complain(`${path}.fileId`, { key: 'custom', message: `There is no file ${fileId}` });
      return undefined;
    }
    return {
      fileId: file.id,
      url: publicUrlOf(file, needs.baseUrl),
      mimeType: file.mime_type,
      filename: filename ?? file.filename,
      size: file.size,
    };
  }
  const verdict = judgeUrl(url as string, needs.policy);
  if (!verdict.ok) {
    complain(`${path}.url`, { key: 'invalid_string', message: verdict.reason });
    return undefined;
  }
  const name = filename ?? filenameOfUrl(verdict.url.href) ?? null;
  const told = mimeType ?? (name === null ? undefined : mimeTypeOfName(name));
  return { fileId: null, url: verdict.url.href, mimeType: told ?? null, filename: name, size: null };
}

export const pathOfMedia = (given: MediaInput | MediaInput[], index: number): string =>
  Array.isArray(given) ? `media.${index}` : 'media';

/** The files of a message as they are stored with it, in their places; undefined where one makes no sense. */
export const readMedia = (
  given: MediaInput | MediaInput[] | undefined,
  needs: MediaNeeds,
  complain: Complain,
): (StoredMedia | undefined)[] =>
  given === undefined
    ? []
    : [given].flat().map((one, index) => storedMedia(one, pathOfMedia(given, index), needs, complain));

/** What files are sent as unless somebody says otherwise: as what they are, and different ones as documents. */
export function typeOfMedia(media: (StoredMedia | undefined)[]): SendableType {
  const types = new Set(media.map((one) => mediaTypeOf(one?.mimeType ?? '')));
  const [first] = types;
  return types.size === 1 && first !== undefined ? first : 'document';
}

/** Whether a vendor of this kind takes the files with a message of this type. */
export function judgeMedia(
  given: MediaInput | MediaInput[] | undefined,
  media: (StoredMedia | undefined)[],
  type: SendableType,
  kind: ChannelKind,
  complain: Complain,
): void {
  const { mediaMost, mediaBytes, media: limits } = capabilities[kind];
  const limit = limits[type];
  if (given === undefined || !limit) return;
  if (media.length > mediaMost)
    complain('media', {
      key: 'too_big',
      message: `At most ${mediaMost} on ${kind}, received ${media.length}`,
    });
  const total = media.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  if (total > mediaBytes && media.length > 1)
    complain('media', {
      key: 'too_big',
      message: `At most ${mediaBytes} bytes in all on ${kind}, received ${total}`,
    });
  for (const [index, one] of media.entries()) {
    const path = pathOfMedia(given, index);
    if (one?.size != null && one.size > limit.maxBytes)
      complain(path, {
        key: 'too_big',
        message: `A file of the type "${type}" has at most ${limit.maxBytes} bytes on ${kind}, received ${one.size}`,
      });
    if (one?.mimeType != null && !isOneOf(one.mimeType, limit.mimeTypes))
      complain(path, {
        key: 'custom',
        message: `As "${type}" only ${limit.mimeTypes.join(', ')} can be sent on ${kind}, received ${one.mimeType}`,
      });
  }
}
