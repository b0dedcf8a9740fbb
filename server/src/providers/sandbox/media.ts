import { isUuid } from '../../base/ids.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { InboundMedia } from '../inbound-event.ts';
import { VendorFailure } from '../vendor-failure.ts';

/** The URLs of uploaded files in the sandbox's requests. They cannot be called. */
const FILES_URL = 'https://sandbox.invalid/files/';
const DEADLINE_MS = 30_000;
const MAX_BYTES = 100 * 1024 * 1024;

/** The reference of a customer's file. Some vendors use an id, others a URL, so it has both. */
export function refOf(source: { fileId: string } | { url: string }): NonNullable<InboundMedia['ref']> {
  const url = 'fileId' in source ? `${FILES_URL}${source.fileId}` : source.url;
  return { id: url, url };
}

const isUrl = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);

/** Fetches the file of a reference. */
export async function fetchSandboxMedia(
  ref: Record<string, unknown>,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }> {
  const url = Object.values(ref).find(isUrl);
  if (url === undefined) throw new VendorFailure('media_unknown', 'The sandbox has no such file.');
  if (url.startsWith(FILES_URL)) {
    const fileId = url.slice(FILES_URL.length);
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
    throw new VendorFailure(
      'media_unavailable',
      `The download of the file failed with HTTP ${status}.`,
      status >= 500,
    );
  return { bytes: body, mimeType: headers['content-type'] ?? null, filename: null };
}
