import type { Adapter } from '../adapter.ts';
import { configureWith, metaSettings, vendorId } from '../meta/config.ts';
import { handshake } from '../meta/handshake.ts';
import { entriesOrNone, findMetaKeys, idOf, partOf, partsOf } from '../meta/payload.ts';
import { isSigned, MAX_BODY_BYTES, SIGNATURE_HEADER } from '../meta/signature.ts';
import { accountOf } from './account.ts';
import { check } from './check.ts';
import { fetchMedia } from './media.ts';
import { parseWebhook } from './parse.ts';
import { send } from './send.ts';
import { signal } from './signal.ts';
import { templates } from './templates.ts';

const settings = {
  phoneNumberId: vendorId("the phone number's id at Meta"),
  businessAccountId: vendorId('the id of the WhatsApp business account'),
  appId: vendorId("the app's id", false),
  importHistory: {
    isRequired: false,
    isValid: (value: unknown) => typeof value === 'boolean',
    rule: 'Must be true or false',
  },
  ...metaSettings,
};

/** WhatsApp through Meta's Cloud API. An app has one callback URL, so requests name their number. */
export const whatsappCloud: Adapter = {
  provider: 'whatsapp_cloud',
  kinds: ['whatsapp'],
  perSecond: 80,
  perContactMs: 0,
  bodyBytes: MAX_BODY_BYTES,
  signatureHeaders: [SIGNATURE_HEADER],
  reply: { contentType: 'text/plain', body: '' },
  configure: (given, stored) => configureWith(settings, given, stored),
  vendorKey: ({ phoneNumberId }) => String(phoneNumberId),
  accountKey: ({ businessAccountId }) => String(businessAccountId),
  servers: ({ baseUrl }) => ({ baseUrl: baseUrl as string | undefined }),
  isVendorItself: ({ baseUrl }) => baseUrl === undefined,
  signingSecret: ({ appSecret }) => String(appSecret),
  verifyToken: ({ verifyToken }) => String(verifyToken),
  check,
  findKeys: findMetaKeys,
  // In texts the quotes are escaped, so this only matches the key.
  namesChannel: ({ body }, { phoneNumberId }) => body.includes(`"phone_number_id":"${phoneNumberId}"`),
  route(request) {
    const keys = entriesOrNone(request).flatMap((entry) =>
      partsOf(entry.changes).map(
        // A change without a number, such as one of a template, is about the account.
        ({ value }) =>
          idOf(partOf(partOf(value).metadata).phone_number_id) || accountOf(partOf(value), entry),
      ),
    );
    return [...new Set(keys)].filter((key) => key !== '');
  },
  handshake,
  verifySignature: (request, { config }) => isSigned(request, config.appSecret),
  inThread: () => 'large',
  parseInbound: (request, { address, config }) =>
    parseWebhook(request, {
      phoneNumberId: String(config.phoneNumberId),
      businessAccountId: String(config.businessAccountId),
      address,
      importHistory: config.importHistory === true,
    }),
  fetchMedia,
  send,
  signal,
  templates,
};
