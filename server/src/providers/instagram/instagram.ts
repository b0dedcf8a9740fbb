import type { Adapter } from '../adapter.ts';
import { configureWith, metaSettings, type Setting, vendorId } from '../meta/config.ts';
import { download } from '../meta/graph.ts';
import { handshake } from '../meta/handshake.ts';
import { entriesIfReadable, idOf } from '../meta/payload.ts';
import { isSigned } from '../meta/signature.ts';
import { check } from './check.ts';
import { readWebhook } from './parse.ts';
import { send } from './send.ts';

const settings: Record<string, Setting> = {
  accountId: vendorId('the id of the Instagram professional account'),
  ...metaSettings,
  humanAgent: {
    isRequired: false,
    isFine: (value) => typeof value === 'boolean',
    otherwise: 'Must be true or false',
  },
};

/** Instagram's direct messages. One callback serves a whole app, so requests name their account themselves. */
export const instagram: Adapter = {
  provider: 'instagram',
  kinds: ['instagram'],
  // What Meta allows for sound and film. Texts may go ten times as fast, but a channel has one pace.
  perSecond: 10,
  perContactMs: 0,
  reply: { contentType: 'text/plain', body: '' },
  configure: (given, stored) => configureWith(settings, given, stored),
  vendorKey: ({ accountId }) => String(accountId),
  verifyToken: ({ verifyToken }) => String(verifyToken),
  check,
  route: (request) => [
    ...new Set(entriesIfReadable(request).flatMap(({ id }) => (idOf(id) === '' ? [] : [idOf(id)]))),
  ],
  handshake,
  verifySignature: (request, { config }) => isSigned(request, config.appSecret),
  parseInbound: (request, { config }) => readWebhook(request, String(config.accountId)),
  /** The URL carries its own permission: no token is shown to whoever serves it. */
  async fetchMedia({ url }, _channel, { request }) {
    return { ...(await download(request, String(url))), filename: null };
  },
  send,
};
