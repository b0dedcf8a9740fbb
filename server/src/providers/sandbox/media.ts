import { isUuid } from '../../base/ids.ts';
import { type AdapterChannel, type AdapterContext, type InboundMedia, VendorFailure } from '../adapter.ts';

/** Where the sandbox keeps uploaded files, as far as its requests say. Nobody can call there. */
const SHELF = 'https://sandbox.invalid/files/';
const DEADLINE_MS = 30_000;
const MAX_BYTES = 100 * 1024 * 1024;

/** Where a file is that a person sends: some vendors name it by an id, others by a URL, so both are given. */
export function refOf(source: { fileId: string } | { url: string }): NonNullable<InboundMedia['ref']> {
  const url = 'fileId' in source ? `${SHELF}${source.fileId}` : source.url;
  return { id: url, url };
}

const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);

/** The file that a reference of the sandbox means. */
export async function fetchSandboxMedia(
  ref: Record<string, unknown>,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }> {
  const url = Object.values(ref).find(isUrl);
  if (url === undefined) throw new VendorFailure('media_unknown', 'The sandbox has no such file.');
  if (url.startsWith(SHELF)) {
    const fileId = url.slice(SHELF.length);
    const file = isUuid(fileId) ? await context.sandbox.readFile(channel, fileId) : undefined;
    if (!file) throw new VendorFailure('media_unknown', 'The sandbox has no such file.');
    return file;
  }
  const { status, headers, body, truncated } = await context.request({
    url,
    method: 'GET',
    headers: {},
    deadlineMs: DEADLINE_MS,
    maxResponseBytes: MAX_BYTES,
  });
  if (status !== 200 || truncated)
    throw new VendorFailure('media_unavailable', `The file could not be fetched: ${status}.`, status >= 500);
  return { bytes: body, mimeType: headers['content-type'] ?? null, filename: null };
}
