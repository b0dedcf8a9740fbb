import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import type { Adapter, ProviderRequest } from '../providers/adapter.ts';
import type { Adapters } from '../providers/adapters.ts';
import {
  type ChannelCredentials,
  type channelCredentials,
  isVerifyToken,
  type vendorCredentials,
} from './channel.ts';
import { createRequestReceiver, invalidSignature, type ReceiveDeps } from './receive-request.ts';

interface ProviderRouteDeps extends ReceiveDeps {
  db: Database;
  adapters: Adapters;
  baseUrl: () => string;
  findCredentials: ReturnType<typeof channelCredentials>;
  findVendorCredentials: ReturnType<typeof vendorCredentials>;
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

/** The routes that vendors call. Not part of the API: each vendor expects an answer of its own. */
export async function providerRoute(app: FastifyInstance, deps: ProviderRouteDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // One statement that commits by itself.
  const autocommit = { all: deps.db.all, afterCommit: (effect: () => void) => effect() };
  const receiveSigned = createRequestReceiver(autocommit, deps);
  for (const path of ['/providers/:provider', '/providers/:provider/:channelId']) {
    app.get<{ Params: PathParams }>(path, (request, reply) =>
      answerHandshake(request as ProviderCall, reply, deps),
    );
    app.post<{ Params: PathParams }>(path, (request, reply) =>
      receive(request as ProviderCall, reply, deps, receiveSigned),
    );
    // One route per provider that has a body limit of its own, because Fastify sets the limit per route.
    for (const { provider, bodyBytes: bodyLimit } of deps.adapters.values())
      if (bodyLimit !== undefined)
        app.post<{ Params: PathParams }>(
          path.replace(':provider', provider),
          { bodyLimit },
          (request, reply) => {
            request.params.provider = provider;
            return receive(request as ProviderCall, reply, deps, receiveSigned);
          },
        );
  }
}

async function receive(
  request: ProviderCall,
  reply: FastifyReply,
  deps: ProviderRouteDeps,
  receiveSigned: ReturnType<typeof createRequestReceiver>,
): Promise<string> {
  const adapter = deps.adapters.get(request.params.provider);
  if (!adapter) throw invalidSignature();
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
  const channels = await channelsOf(request.params, adapter, received, deps);
  await receiveSigned(channels, adapter, received).catch((error) => {
    throw error.key === 'channel_not_found' ? invalidSignature() : error;
  });
  reply.type(adapter.reply.contentType);
  return adapter.reply.body;
}

/** The channels whose secrets are tried. An unknown channel is refused like an invalid signature, so callers cannot probe. */
async function channelsOf(
  { provider, channelId }: PathParams,
  adapter: Adapter,
  request: ProviderRequest,
  { findCredentials, findVendorCredentials }: ProviderRouteDeps,
): Promise<ChannelCredentials[]> {
  if (channelId !== undefined) {
    const channel = await findCredentials(channelId);
    return channel?.provider === provider ? [channel] : [];
  }
  const keys = vendorKeysIn(request, adapter);
  return keys.length === 0 || keys.length > MAX_KEYS ? [] : findVendorCredentials(provider, keys);
}

/** The vendor keys in the request. It is not verified yet, so they may be anything. */
function vendorKeysIn(request: ProviderRequest, adapter: Adapter): string[] {
  try {
    const keys = adapter.route?.(request) ?? [];
    return [...new Set(keys.filter((key) => typeof key === 'string' && !key.includes('\0')))];
  } catch {
    return [];
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
