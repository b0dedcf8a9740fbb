import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { networkOf } from '../base/network.ts';
import type { Database } from '../db/database.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { Adapters } from '../providers/adapters.ts';
import type { ProviderRequest } from '../providers/provider-request.ts';
import {
  type BytesInFlight,
  bytesInFlight,
  IN_FLIGHT_LIMITS,
  type InFlightLimits,
} from './bytes-in-flight.ts';
import {
  type ChannelCredentials,
  type channelCredentials,
  isVerifyToken,
  type signerCredentials,
  type vendorCredentials,
} from './credentials.ts';
import {
  createRequestReceiver,
  invalidSignature,
  type ReceiveDeps,
  requireSigned,
} from './receive-request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The channel of a vendor's request, found before its body is read. */
    providerChannel: ChannelCredentials | undefined;
  }
}

interface ProviderRouteDeps extends ReceiveDeps {
  db: Database;
  adapters: Adapters;
  baseUrl: () => string;
  findCredentials: ReturnType<typeof channelCredentials>;
  findVendorCredentials: ReturnType<typeof vendorCredentials>;
  findSigners: ReturnType<typeof signerCredentials>;
  metrics: Pick<Metrics, 'countIgnored'>;
  /** Tests use smaller limits. */
  inFlightLimits?: InFlightLimits;
}

/** A request without a channel id names its channels by the vendor's own keys. */
interface PathParams {
  provider: string;
  channelId?: string;
}
type ProviderCall = FastifyRequest<{
  Params: PathParams;
  Querystring: Record<string, unknown>;
  Body: Buffer | undefined;
}>;

/** Signatures are in headers of the vendor; cookies and credentials of other callers are not stored. */
const isStoredHeader = (header: string): boolean => header === 'content-type' || header.startsWith('x-');

/** More than any vendor puts into one request. */
const MAX_KEYS = 1_000;
/** A connection whose caller would still send more than this is closed after the refusal, instead of reading it all. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** The routes that vendors call. Not part of the API: each vendor expects an answer of its own. */
export async function providerRoute(app: FastifyInstance, deps: ProviderRouteDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('providerChannel', undefined);
  const receiveSigned = createRequestReceiver(deps.db, deps);
  const inFlight = bytesInFlight(deps.inFlightLimits ?? IN_FLIGHT_LIMITS);
  for (const path of ['/providers/:provider', '/providers/:provider/:channelId']) {
    app.get<{ Params: PathParams }>(path, (request, reply) =>
      answerHandshake(request as ProviderCall, reply, deps),
    );
    app.post(path, { onRequest: refuseUnknown }, refuseUnknown);
    // One route per provider, because Fastify sets the body limit per route.
    for (const adapter of deps.adapters.values())
      app.post<{ Params: PathParams }>(
        path.replace(':provider', adapter.provider),
        {
          ...(adapter.bodyBytes === undefined ? {} : { bodyLimit: adapter.bodyBytes }),
          onRequest: checkBeforeBody(adapter, deps),
          preParsing: countBytes(inFlight),
        },
        (request, reply) => receive(request as ProviderCall, reply, adapter, deps, receiveSigned),
      );
  }
}

/** Refuses a request of which not everything has arrived. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: ApiError): ApiError {
  const unread = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (unread > MAX_UNREAD_BYTES) reply.header('connection', 'close');
  return error;
}

async function refuseUnknown(request: FastifyRequest, reply: FastifyReply): Promise<never> {
  throw refuse(request, reply, invalidSignature());
}

/**
 * Everything that can be checked without the body, because anyone can send one: 30 connections with 39 MB each took
 * 1.3 GB. An unknown channel is refused like an invalid signature, so callers cannot probe.
 */
function checkBeforeBody(adapter: Adapter, { findCredentials }: ProviderRouteDeps) {
  // With a callback: a promise for every request takes longer than the check.
  return (call: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const request = call as ProviderCall;
    const { channelId } = request.params;
    const refused = (): void => done(refuse(call, reply, invalidSignature()));
    const isSigned = adapter.signatureHeaders.some((name) => Boolean(request.headers[name]));
    if (!isSigned) refused();
    else if (channelId !== undefined)
      findCredentials(channelId).then((channel) => {
        request.providerChannel = channel;
        if (channel?.provider === adapter.provider) done();
        else refused();
      }, done);
    else if (adapter.findKeys) done();
    else refused();
  };
}

/** Counts the bytes of requests while they are in memory, and refuses one when there are too many. */
const countBytes =
  (inFlight: BytesInFlight) =>
  (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Readable,
    done: (error: null, payload: Readable) => void,
  ): void => {
    const held = inFlight.open(networkOf(request.ip));
    const onData = (chunk: Buffer): void => {
      if (held.add(chunk.length)) return;
      payload.off('data', onData);
      held.release();
      // The parser of the body ends with this error, which becomes the answer.
      payload.emit('error', refuse(request, reply, tooManyBytes()));
    };
    payload.on('data', onData);
    reply.raw.once('close', held.release);
    done(null, payload);
  };

const tooManyBytes = (): ApiError =>
  new ApiError('service_unavailable', {
    detail: 'the server is receiving too many large requests at the moment, try again',
  });

async function receive(
  request: ProviderCall,
  reply: FastifyReply,
  adapter: Adapter,
  deps: ProviderRouteDeps,
  receiveSigned: ReturnType<typeof createRequestReceiver>,
): Promise<string> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      isStoredHeader(name) ? [[name, String(value)]] : [],
    ),
  );
  const received: ProviderRequest = {
    url: `${deps.baseUrl()}${request.url}`,
    headers,
    body: request.body ?? Buffer.alloc(0),
  };
  const channels = request.providerChannel
    ? await requireSigned([request.providerChannel], adapter, received)
    : await channelsOf(adapter, received, deps);
  if (channels.length === 0) deps.metrics.countIgnored(adapter.provider, 'not_connected');
  else
    await receiveSigned(channels, received).catch((error) => {
      throw error.key === 'channel_not_found' ? invalidSignature() : error;
    });
  reply.type(adapter.reply.contentType);
  return adapter.reply.body;
}

/**
 * The channels of a request to the URL of all channels. Its keys are only searched for, not parsed, until the secret of
 * one of the channels has signed it. None if the vendor has signed it, but it names no channel: a vendor that is refused
 * repeats its request for days.
 */
async function channelsOf(
  adapter: Adapter,
  request: ProviderRequest,
  { findVendorCredentials, findSigners }: ProviderRouteDeps,
): Promise<readonly ChannelCredentials[]> {
  const candidates = vendorKeys(adapter.findKeys?.(request.body) ?? []);
  const found = candidates.length === 0 ? [] : await findVendorCredentials(adapter.provider, candidates);
  if (found.length === 0) {
    const signers = (await findSigners(adapter)).slice(0, maxSigners(request));
    await requireSigned(signers, adapter, request);
    return [];
  }
  const signed = await requireSigned(found, adapter, request);
  const [only, other] = signed;
  if (only && !other && adapter.namesChannel?.(request, only.config)) return signed;
  const keys = vendorKeysIn(request, adapter);
  if (keys.size > MAX_KEYS) throw invalidSignature();
  const isMeant = ({ config }: ChannelCredentials): boolean =>
    [adapter.vendorKey?.(config), adapter.accountKey?.(config)].some(
      (key) => key !== undefined && keys.has(key),
    );
  const meant = signed.filter(isMeant);
  if (meant.length === 0 && !adapter.signingSecret) throw invalidSignature();
  return meant;
}

/** Anyone can send a body that no channel has signed: so many bytes take 5 ms. At least one secret is tried. */
const MAX_HASHED_BYTES = 2 * 1024 * 1024;
const maxSigners = ({ body }: ProviderRequest): number =>
  Math.max(1, Math.floor(MAX_HASHED_BYTES / Math.max(1, body.length)));

const vendorKeys = (keys: readonly unknown[]): string[] => [
  ...new Set(keys.filter((key): key is string => typeof key === 'string' && !key.includes('\0'))),
];

/** The vendor keys of a verified request; its sender may still have written anything. */
function vendorKeysIn(request: ProviderRequest, adapter: Adapter): ReadonlySet<string> {
  try {
    return new Set(vendorKeys(adapter.route?.(request) ?? []));
  } catch {
    return new Set();
  }
}

const FORBIDDEN = 403;

/** A vendor's first call: it carries the verify token, and expects its challenge as the answer. */
async function answerHandshake(
  request: ProviderCall,
  reply: FastifyReply,
  deps: ProviderRouteDeps,
): Promise<string> {
  const { provider, channelId } = request.params;
  const adapter = deps.adapters.get(provider);
  const query = Object.fromEntries(
    Object.entries(request.query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const handshake = adapter?.handshake?.(query);
  reply.type('text/plain');
  if (adapter && handshake?.token && (await isKnownToken(handshake.token, adapter, channelId, deps)))
    return handshake.challenge;
  reply.status(FORBIDDEN);
  return '';
}

async function isKnownToken(
  token: string,
  adapter: Adapter,
  channelId: string | undefined,
  { db, findCredentials }: ProviderRouteDeps,
): Promise<boolean> {
  if (channelId === undefined) return isVerifyToken(db, adapter.provider, token);
  const channel = await findCredentials(channelId);
  const own = channel?.provider === adapter.provider ? adapter.verifyToken?.(channel.config) : undefined;
  return own ? sameSecret(token, own) : false;
}
