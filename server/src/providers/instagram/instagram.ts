import type { Adapter } from '../adapter.ts';
import { configureWith, metaSettings, type Setting, vendorId } from '../meta/config.ts';
import { download } from '../meta/graph.ts';
import { handshake } from '../meta/handshake.ts';
import { entriesOrNone, findMetaKeys, idOf } from '../meta/payload.ts';
import { isSigned, MAX_BODY_BYTES, SIGNATURE_HEADER } from '../meta/signature.ts';
import { check } from './check.ts';
import { parseWebhook } from './parse.ts';
import { fetchProfile } from './profile.ts';
import { send } from './send.ts';
import { signal } from './signal.ts';

const settings: Record<string, Setting> = {
  accountId: vendorId('the id of the Instagram professional account'),
  ...metaSettings,
  humanAgent: {
    isRequired: false,
    isValid: (value) => typeof value === 'boolean',
    rule: 'Must be true or false',
  },
};

/** Instagram direct messages. An app has one callback URL, so requests name their account. */
export const instagram: Adapter = {
  provider: 'instagram',
  kinds: ['instagram'],
  // Meta's limit for audio and video. Texts may be ten times as fast, but a channel has one rate.
  perSecond: 10,
  perContactMs: 0,
  bodyBytes: MAX_BODY_BYTES,
  signatureHeaders: [SIGNATURE_HEADER],
  reply: { contentType: 'text/plain', body: '' },
  configure: (given, stored) => configureWith(settings, given, stored),
  vendorKey: ({ accountId }) => String(accountId),
  servers: ({ baseUrl }) => ({ baseUrl: baseUrl as string | undefined }),
  isVendorItself: ({ baseUrl }) => baseUrl === undefined,
  signingSecret: ({ appSecret }) => String(appSecret),
  verifyToken: ({ verifyToken }) => String(verifyToken),
  check,
  findKeys: findMetaKeys,
  route: (request) => [
    ...new Set(entriesOrNone(request).flatMap(({ id }) => (idOf(id) === '' ? [] : [idOf(id)]))),
  ],
  handshake,
  verifySignature: (request, { config }) => isSigned(request, config.appSecret),
  parseInbound: (request, { config }) => parseWebhook(request, String(config.accountId)),
  inThread: () => 'large',
  /** The URL contains its own permission, so the access token is not sent. */
  async fetchMedia({ url }, _channel, { request }) {
    return { ...(await download(request, String(url))), filename: null };
  },
  send,
  signal,
  fetchProfile,
};
