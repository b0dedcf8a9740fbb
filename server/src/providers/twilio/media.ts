import type { OutboundResponse } from '../../outbound/exchange.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { VendorFailure } from '../vendor-failure.ts';
import { basicAuth, type TwilioConfig } from './config.ts';

const DEADLINE_MS = 60_000;
const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Fetches a file of an MMS. Twilio redirects authenticated requests to the bytes: that one redirect is followed, without
 * the credentials, through the same guarded client.
 */
export async function fetchTwilioMedia(
  ref: Record<string, unknown>,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }> {
  const config = channel.config as TwilioConfig;
  const url = String(ref.url);
  // The URL comes from a request; the credentials must only be sent to Twilio.
  if (!URL.canParse(url) || new URL(url).origin !== new URL(config.baseUrl).origin)
    throw new VendorFailure('media_elsewhere', 'The URL of the file is not at Twilio.');
  let response = await get(url, { authorization: basicAuth(config) }, context);
  const { location } = response.headers;
  if (response.status >= 300 && response.status < 400 && location !== undefined)
    response = await get(new URL(location, url).href, {}, context);
  const { status, body, headers, truncated } = response;
  if (status !== 200)
    throw new VendorFailure(
      `http_${status}`,
      `The download of the file failed with HTTP ${status}.`,
      status === 429 || status >= 500,
    );
  if (truncated) throw new VendorFailure('too_large', `The file has more than ${MAX_BYTES} bytes.`);
  return { bytes: body, mimeType: headers['content-type']?.split(';')[0]?.trim() || null, filename: null };
}

async function get(
  url: string,
  headers: Record<string, string>,
  context: AdapterContext,
): Promise<OutboundResponse> {
  try {
    const limits = { deadlineMs: DEADLINE_MS, maxResponseBytes: MAX_BYTES };
    return await context.request({ url, method: 'GET', headers, ...limits });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new VendorFailure(`connection_${error.phase}`, error.message, error.phase !== 'refused');
  }
}
