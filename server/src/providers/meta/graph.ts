import { isNestedTooDeeply } from '../../base/json-depth.ts';
import type { OutboundRequest, OutboundResponse } from '../../outbound/exchange.ts';
import type { ChannelConfig } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { VendorFailure } from '../vendor-failure.ts';
import { asVendorFailure, classifyAnswer, classifyFailure, type GraphError } from './classify-error.ts';
import { type Part, partOf } from './payload.ts';

const GRAPH_VERSION = 'v26.0';
export const FACEBOOK_GRAPH = 'https://graph.facebook.com';
export const INSTAGRAM_GRAPH = 'https://graph.instagram.com';

const DEADLINE_MS = 30_000;
/** Long enough for the largest file over a slow connection. */
export const FILE_DEADLINE_MS = 180_000;
/** Answers are parsed on the event loop, and the tenant chooses the server: a megabyte takes some 20 ms. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** One of Meta's Graph APIs with the credentials of a channel. */
export interface Graph {
  root: string;
  accessToken: string;
  request: AdapterContext['request'];
}

export function graphFor(config: ChannelConfig, defaultBase: string, { request }: AdapterContext): Graph {
  const { baseUrl = defaultBase, graphVersion = GRAPH_VERSION, accessToken } = config;
  const root = `${String(baseUrl).replace(/\/+$/, '')}/${graphVersion}`;
  return { root, accessToken: String(accessToken), request };
}

interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  /** Instead of `json`. */
  body?: Buffer;
  headers?: Record<string, string>;
  deadlineMs?: number;
  /** If the answer may be larger than usual. */
  maxAnswerBytes?: number;
}

export type GraphAnswer = { ok: true; body: Part } | { ok: false; error: GraphError };

/** Makes one call. Errors of Meta and of the network are returned, not thrown. */
export async function call(graph: Graph, { method, path, ...rest }: GraphCall): Promise<GraphAnswer> {
  const query = rest.query ? `?${new URLSearchParams(rest.query)}` : '';
  const body = rest.json === undefined ? rest.body : JSON.stringify(rest.json);
  const request: OutboundRequest = {
    url: `${graph.root}/${path}${query}`,
    method,
    headers: {
      authorization: `Bearer ${graph.accessToken}`,
      ...(rest.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...rest.headers,
    },
    ...(body === undefined ? {} : { body }),
    deadlineMs: rest.deadlineMs ?? DEADLINE_MS,
    maxResponseBytes: rest.maxAnswerBytes ?? MAX_ANSWER_BYTES,
  };
  let response: OutboundResponse;
  try {
    response = await graph.request(request);
  } catch (error) {
    return { ok: false, error: classifyFailure(error) };
  }
  const answer = objectIn(response.body);
  const isSuccess = response.status >= 200 && response.status < 300;
  if (isSuccess && answer && answer.error === undefined) return { ok: true, body: answer };
  const error = answer?.error === undefined ? undefined : partOf(answer.error);
  return { ok: false, error: classifyAnswer(response, error) };
}

/** The same for calls other than sending a message: errors are thrown. */
export async function callOrThrow(graph: Graph, request: GraphCall): Promise<Part> {
  const answer = await call(graph, request);
  if (!answer.ok) throw asVendorFailure(answer.error);
  return answer.body;
}

function objectIn(body: Buffer): Part | undefined {
  if (isNestedTooDeeply(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : undefined;
  } catch {
    return undefined;
  }
}

/** The name of the file at a URL. */
export function filenameIn(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') || 'file';
  } catch {
    return 'file';
  }
}

export const MAX_FILE_BYTES = 100 * 1024 * 1024;

/** Downloads a file. Redirects are not followed, and a file that is too large is refused. */
export async function download(
  request: AdapterContext['request'],
  url: string,
  headers: Record<string, string> = {},
): Promise<{ bytes: Buffer; mimeType: string | null }> {
  let response: OutboundResponse;
  try {
    response = await request({
      url,
      method: 'GET',
      headers,
      deadlineMs: FILE_DEADLINE_MS,
      maxResponseBytes: MAX_FILE_BYTES,
    });
  } catch (error) {
    throw asVendorFailure(classifyFailure(error));
  }
  const { status, truncated, body } = response;
  if (status < 200 || status >= 300)
    throw new VendorFailure(
      `http_${status}`,
      `The download of the file failed with HTTP ${status}.`,
      status === 429 || status >= 500,
    );
  if (truncated) throw tooLarge();
  return { bytes: body, mimeType: response.headers['content-type'] ?? null };
}

export const tooLarge = (): VendorFailure =>
  new VendorFailure('media_too_large', `The file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
