import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { atOnce } from '../http/register.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { ChannelGate } from './channel.ts';
import { type ReceiveNeeds, receiveRequest, signatureRefusal } from './receive-request.ts';

interface ProviderRouteNeeds extends ReceiveNeeds {
  db: Database;
  adapters: ReadonlyMap<string, Adapter>;
  baseUrl: () => string;
  findGate: (channelId: string) => Promise<ChannelGate | undefined>;
}

/** Vendors sign with headers of their own; cookies and credentials of whoever else calls are not kept. */
const isKept = (header: string): boolean => header === 'content-type' || header.startsWith('x-');

/** Where vendors call. Not part of the API's envelope: each vendor expects an answer of its own. */
export async function providerRoute(app: FastifyInstance, needs: ProviderRouteNeeds): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post<{ Params: { provider: string; channelId: string }; Body: Buffer | undefined }>(
    '/providers/:provider/:channelId',
    async (request) => {
      const { provider, channelId } = request.params;
      const adapter = needs.adapters.get(provider);
      const channel = await needs.findGate(channelId);
      // An unknown channel is refused like a wrong signature: whoever cannot sign learns nothing.
      if (!adapter || channel?.provider !== provider) throw signatureRefusal();
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) =>
          isKept(name) ? [[name, String(value)]] : [],
        ),
      );
      await receiveRequest(
        atOnce(needs.db),
        channel,
        adapter,
        { url: `${needs.baseUrl()}${request.url}`, headers, body: request.body ?? Buffer.alloc(0) },
        needs,
      ).catch((error) => {
        throw error.key === 'channel_not_found' ? signatureRefusal() : error;
      });
      return { success: true };
    },
  );
}
