import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { atOnce } from '../http/router.ts';
import type { Adapter, ProviderRequest } from '../providers/adapter.ts';
import { type ChannelCredentials, isVerifyToken } from './channel.ts';
import { type ReceiveDeps, requestReceiver, signatureRefusal } from './receive-request.ts';

interface ProviderRouteDeps extends ReceiveDeps {
  db: Database;
  adapters: ReadonlyMap<string, Adapter>;
  baseUrl: () => string;
  findCredentials: (channelId: string) => Promise<ChannelCredentials | undefined>;
  findVendorCredentials: (provider: string, vendorKeys: string[]) => Promise<ChannelCredentials[]>;
}

/** Without a channel's id, a vendor's request speaks of channels by the vendor's own keys. */
interface Place {
  provider: string;
  channelId?: string;
}
type ProviderCall = FastifyRequest<{
  Params: Place;
  Querystring: Record<string, unknown>;
  Body: Buffer | undefined;
}>;

/** Vendors sign with headers of their own; cookies and credentials of whoever else calls are not kept. */
const isKept = (header: string): boolean => header === 'content-type' || header.startsWith('x-');

/** More than any vendor puts into one request. */
const MOST_KEYS = 1_000;

/** Where vendors call. Not part of the API's envelope: each vendor expects an answer of its own. */
export async function providerRoute(app: FastifyInstance, deps: ProviderRouteDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const take = requestReceiver(atOnce(deps.db), deps);
  for (const path of ['/providers/:provider', '/providers/:provider/:channelId']) {
    app.get<{ Params: Place }>(path, (request, reply) =>
      answerHandshake(request as ProviderCall, reply, deps),
    );
    app.post<{ Params: Place }>(path, (request, reply) =>
      receive(request as ProviderCall, reply, deps, take),
    );
    // Named one by one, because how large a body may be is a matter of the route.
    for (const { provider, bodyBytes: bodyLimit } of deps.adapters.values())
      if (bodyLimit !== undefined)
        app.post<{ Params: Place }>(path.replace(':provider', provider), { bodyLimit }, (request, reply) => {
          request.params.provider = provider;
          return receive(request as ProviderCall, reply, deps, take);
        });
  }
}

async function receive(
  request: ProviderCall,
  reply: FastifyReply,
  deps: ProviderRouteDeps,
  take: ReturnType<typeof requestReceiver>,
): Promise<string> {
  const adapter = deps.adapters.get(request.params.provider);
  if (!adapter) throw signatureRefusal();
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => (isKept(name) ? [[name, String(value)]] : [])),
  );
  const received: ProviderRequest = {
    url: `${deps.baseUrl()}${request.url}`,
    headers,
    body: request.body ?? Buffer.alloc(0),
  };
  const channels = await channelsOf(request.params, adapter, received, deps);
  await take(channels, adapter, received).catch((error) => {
    throw error.key === 'channel_not_found' ? signatureRefusal() : error;
  });
  reply.type(adapter.reply.contentType);
  return adapter.reply.body;
}

/** Whose secrets are tried. An unknown channel is refused like a wrong signature: whoever cannot sign learns nothing. */
async function channelsOf(
  { provider, channelId }: Place,
  adapter: Adapter,
  request: ProviderRequest,
  { findCredentials, findVendorCredentials }: ProviderRouteDeps,
): Promise<ChannelCredentials[]> {
  if (channelId !== undefined) {
    const channel = await findCredentials(channelId);
    return channel?.provider === provider ? [channel] : [];
  }
  const keys = vendorKeysIn(request, adapter);
  return keys.length === 0 || keys.length > MOST_KEYS ? [] : findVendorCredentials(provider, keys);
}

/** What the request says it is about. Nobody has vouched for it yet, so it may be anything. */
function vendorKeysIn(request: ProviderRequest, adapter: Adapter): string[] {
  try {
    const keys = adapter.route?.(request) ?? [];
    return [...new Set(keys.filter((key) => typeof key === 'string' && !key.includes('\0')))];
  } catch {
    return [];
  }
}

const FORBIDDEN = 403;

/** A vendor's first call: it shows the token that it was given, and wants its challenge back. */
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
  const shown = adapter?.handshake?.(query);
  reply.type('text/plain');
  if (adapter && shown?.token && (await isKnown(shown.token, adapter, channelId, deps)))
    return shown.challenge;
  reply.status(FORBIDDEN);
  return '';
}

async function isKnown(
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
