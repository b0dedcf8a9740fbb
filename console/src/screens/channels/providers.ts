import type { Channel } from '@parley/sdk';
import type { PlainKey } from '../../i18n/catalogue.ts';

/** A setting of a vendor that the form asks for. */
export interface Setting {
  /** Below `config`; a dot leads into a group, as in `smtp.host`. */
  path: string;
  label: PlainKey;
  help?: PlainKey;
  isSecret?: boolean;
  isOptional?: boolean;
  isNumber?: boolean;
}

export interface Provider {
  id: 'whatsapp_cloud' | 'twilio' | 'smtp' | 'instagram';
  kind: Channel['kind'];
  /** What customers write to. */
  address: { label: PlainKey; help?: PlainKey };
  settings: readonly Setting[];
  /** Where the vendor sends to, if it does. */
  webhook?: (channelId: string) => string;
}

const META: readonly Setting[] = [
  { path: 'accessToken', label: 'channels.field.accessToken', isSecret: true },
  { path: 'appSecret', label: 'channels.field.appSecret', isSecret: true },
  {
    path: 'verifyToken',
    label: 'channels.field.verifyToken',
    help: 'channels.field.verifyTokenHelp',
  },
];
const PHONE = { label: 'channels.field.phone', help: 'channels.field.phoneHelp' } as const;

/** The vendors, and what each needs to know. */
export const providers: readonly Provider[] = [
  {
    id: 'whatsapp_cloud',
    kind: 'whatsapp',
    address: PHONE,
    settings: [
      { path: 'phoneNumberId', label: 'channels.field.phoneNumberId' },
      { path: 'businessAccountId', label: 'channels.field.businessAccountId' },
      ...META,
    ],
    webhook: () => '/providers/whatsapp_cloud',
  },
  {
    id: 'twilio',
    kind: 'sms',
    address: PHONE,
    settings: [
      { path: 'accountSid', label: 'channels.field.accountSid' },
      { path: 'authToken', label: 'channels.field.authToken', isSecret: true },
      {
        path: 'from',
        label: 'channels.field.from',
        help: 'channels.field.fromHelp',
        isOptional: true,
      },
      { path: 'messagingServiceSid', label: 'channels.field.messagingServiceSid', isOptional: true },
    ],
    webhook: (channelId) => `/providers/twilio/${channelId}`,
  },
  {
    id: 'smtp',
    kind: 'email',
    address: { label: 'channels.field.mail' },
    settings: [
      { path: 'from', label: 'channels.field.fromMail', help: 'channels.field.fromMailHelp' },
      { path: 'smtp.host', label: 'channels.field.smtpHost' },
      { path: 'smtp.port', label: 'channels.field.port', isNumber: true },
      { path: 'smtp.user', label: 'channels.field.user', isOptional: true },
      { path: 'smtp.password', label: 'channels.field.password', isSecret: true, isOptional: true },
      { path: 'imap.host', label: 'channels.field.imapHost', isOptional: true },
      { path: 'imap.port', label: 'channels.field.port', isNumber: true, isOptional: true },
      { path: 'imap.user', label: 'channels.field.user', isOptional: true },
      { path: 'imap.password', label: 'channels.field.password', isSecret: true, isOptional: true },
    ],
  },
  {
    id: 'instagram',
    kind: 'instagram',
    address: { label: 'channels.field.account' },
    settings: [{ path: 'accountId', label: 'channels.field.accountId' }, ...META],
    webhook: () => '/providers/instagram',
  },
];

export const providerOf = ({ provider }: Channel): Provider | undefined =>
  providers.find(({ id }) => id === provider);

type Config = Record<string, unknown>;

/** What the form sends as `config`: only what somebody filled in. */
export function configOf(settings: readonly Setting[], values: Readonly<Record<string, string>>): Config {
  const config: Config = {};
  for (const { path, isNumber } of settings) {
    const value = (values[path] ?? '').trim();
    if (value === '') continue;
    const names = path.split('.');
    const last = names.pop() as string;
    let group = config;
    for (const name of names) {
      group[name] ??= {};
      group = group[name] as Config;
    }
    group[last] = isNumber ? Number(value) : value;
  }
  return config;
}
