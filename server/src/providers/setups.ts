import type { ChannelKind } from './kinds.ts';

/** A setting of `config`, as a form shows it. */
export interface SetupField {
  /** Its path below `config`, such as `smtp.host`. */
  name: string;
  label: string;
  type: 'text' | 'number' | 'boolean';
  isRequired: boolean;
  /** Never shown again once it is stored. */
  isSecret: boolean;
  /** Most channels do without it. */
  isAdvanced: boolean;
  help: string;
}

/**
 * What a step is, which says what shows that it is done. `vendor`: the vendor accepts the credentials. `create`: the channel
 * exists. `webhook` and `receive`: a message of a contact came in; the first needs the webhook URL. `send`: a message was sent.
 * `elsewhere`: nothing shows it.
 */
export const stepKinds = ['vendor', 'create', 'webhook', 'receive', 'send', 'elsewhere'] as const;
export type StepKind = (typeof stepKinds)[number];

interface SetupStep {
  kind: StepKind;
  text: string;
}

/** What somebody must know to connect a channel of a provider. */
export interface ChannelSetup {
  label: string;
  fields: readonly SetupField[];
  /** Which URL the vendor calls: that of the channel, one for all channels of the app, or none. */
  callback: 'channel' | 'shared' | null;
  /** What to do, in order. */
  steps: readonly SetupStep[];
  /** The page of docs/use about it. */
  guide: string;
}

const field = (
  name: string,
  label: string,
  help: string,
  more: Partial<Omit<SetupField, 'name' | 'label' | 'help'>> = {},
): SetupField => ({
  name,
  label,
  type: 'text',
  isRequired: true,
  isSecret: false,
  isAdvanced: false,
  help,
  ...more,
});
const optional = { isRequired: false } as const;
const secret = { isSecret: true } as const;
const advanced = { isRequired: false, isAdvanced: true } as const;
const flag = { type: 'boolean', ...advanced } as const;
const number = { type: 'number' } as const;

/** The settings of all channels of Meta. */
const metaFields: readonly SetupField[] = [
  field('accessToken', 'Access token', 'With which Parley calls Meta.', secret),
  field('appSecret', 'App secret', 'With which Meta signs its requests.', secret),
  field('verifyToken', 'Verify token', 'Any text without spaces. Enter the same at Meta.', secret),
  field('graphVersion', 'Graph version', 'Such as v26.0, if it must be a certain one.', advanced),
  field('baseUrl', 'Base URL', 'Only for a server that stands for Meta.', advanced),
];

const step = (kind: StepKind, text: string): SetupStep => ({ kind, text });
const send = step('send', 'Send a message.');

/** By provider. */
export const setups: Readonly<Record<string, ChannelSetup>> = {
  sandbox: {
    label: 'Sandbox',
    fields: [
      field('statusDelayMs', 'Delay of statuses', 'Milliseconds between sent, delivered and read.', {
        ...number,
        ...advanced,
      }),
      field('readsAutomatically', 'Customers read by themselves', 'On unless it is switched off.', flag),
    ],
    callback: null,
    steps: [
      step(
        'create',
        'Nothing: the sandbox needs no account. Write as a customer with the phone beside the inbox.',
      ),
      step('receive', 'Receive a message.'),
      send,
    ],
    guide: 'first-conversation',
  },
  whatsapp_cloud: {
    label: 'Meta Cloud API',
    fields: [
      field('phoneNumberId', 'Phone number ID', 'Of the number, on WhatsApp → API Setup. Digits only.'),
      field('businessAccountId', 'WhatsApp Business Account ID', 'On the same page. Digits only.'),
      field('appId', 'App ID', 'On App settings → Basic. Needed for media in templates.', advanced),
      ...metaFields,
      field('importHistory', 'Import history', 'Imports chats of the WhatsApp Business app.', flag),
    ],
    callback: 'shared',
    steps: [
      step(
        'vendor',
        'Create an app of the type Business at developers.facebook.com and add the product WhatsApp.',
      ),
      step(
        'vendor',
        'Generate a permanent token for a system user with whatsapp_business_messaging and whatsapp_business_management.',
      ),
      step(
        'create',
        'Create the channel here, with ids, token, app secret and a verify token of your choice.',
      ),
      step(
        'webhook',
        'On WhatsApp → Configuration enter the webhook URL and the verify token, and subscribe to messages and the other fields of the guide.',
      ),
      step(
        'receive',
        'Subscribe the app to the WhatsApp Business Account (subscribed_apps), or Meta sends nothing.',
      ),
      step('receive', 'Check the channel, then write a message to the number.'),
      send,
    ],
    guide: 'channels/whatsapp',
  },
  instagram: {
    label: 'Meta',
    fields: [
      field('accountId', 'Account ID', 'The user_id of the professional account. Digits only.'),
      ...metaFields,
      field(
        'humanAgent',
        'Human agent',
        'Replies of people up to seven days later, if Meta allows it.',
        flag,
      ),
    ],
    callback: 'shared',
    steps: [
      step(
        'vendor',
        'Create an app of the type Business at developers.facebook.com and add Instagram with Instagram login.',
      ),
      step('vendor', 'Add the account there, and generate its access token.'),
      step(
        'create',
        'Create the channel here, with account ID, token, Instagram app secret and a verify token of your choice.',
      ),
      step(
        'webhook',
        'Under Configure webhooks enter the webhook URL and the verify token, and subscribe to messages.',
      ),
      step('receive', 'Check the channel, then write a message to the account.'),
      send,
    ],
    guide: 'channels/instagram',
  },
  twilio: {
    label: 'Twilio',
    fields: [
      field('accountSid', 'Account SID', 'AC and 32 characters, on the start page of the console.'),
      field('authToken', 'Auth token', 'Beside it. Twilio signs its requests with it.', secret),
      field(
        'apiKeySid',
        'API key SID',
        'SK and 32 characters. Calls use it instead of the auth token.',
        advanced,
      ),
      field('apiKeySecret', 'API key secret', 'Together with the API key SID.', { ...advanced, ...secret }),
      field('from', 'Sender', 'A number, short code or name; this or a messaging service.', optional),
      field(
        'messagingServiceSid',
        'Messaging service SID',
        'MG and 32 characters; this or a sender.',
        optional,
      ),
      field('baseUrl', 'Base URL', 'Only for a server that stands for Twilio.', advanced),
    ],
    callback: 'channel',
    steps: [
      step('vendor', 'Buy a number that can send SMS, or create a messaging service with one.'),
      step('create', 'Create the channel here, with account SID, auth token and sender.'),
      step(
        'webhook',
        'At the number, under Messaging → A message comes in, choose Webhook and HTTP POST, and enter the webhook URL.',
      ),
      step('receive', 'Check the channel, then write an SMS to the number.'),
      send,
    ],
    guide: 'channels/sms',
  },
  smtp: {
    label: 'Mail server',
    fields: [
      field('from', 'Sender', 'An address, or Name <address>.'),
      field('smtp.host', 'Outgoing server', 'The host of the SMTP server.'),
      field('smtp.port', 'Outgoing port', 'Usually 465 or 587.', number),
      field('smtp.user', 'Outgoing user', 'With a password, unless there is OAuth.', optional),
      field('smtp.password', 'Outgoing password', 'Of that user.', { ...optional, ...secret }),
      field('smtp.secure', 'Outgoing TLS', 'From the first byte; on by itself for port 465.', flag),
      field('imap.host', 'Incoming server', 'The host of the IMAP server.', optional),
      field('imap.port', 'Incoming port', 'Usually 993.', { ...number, ...optional }),
      field('imap.user', 'Incoming user', 'Of the mailbox.', optional),
      field('imap.password', 'Incoming password', 'Of that user.', { ...optional, ...secret }),
      field('imap.mailbox', 'Folder', 'INBOX unless another one is named.', advanced),
      field('imap.secure', 'Incoming TLS', 'From the first byte; on by itself for port 993.', flag),
      field('oauth.vendor', 'OAuth vendor', 'microsoft365 or google.', advanced),
      field('oauth.directoryId', 'OAuth directory', 'Of Microsoft 365.', advanced),
      field('oauth.clientId', 'OAuth client ID', 'Of your app at the vendor.', advanced),
      field('oauth.clientSecret', 'OAuth client secret', 'If your app has one.', { ...advanced, ...secret }),
      field('oauth.refreshToken', 'OAuth refresh token', 'Of the mailbox’s user.', {
        ...advanced,
        ...secret,
      }),
      field('oauth.tokenUrl', 'OAuth token URL', 'For another vendor.', advanced),
      field('oauth.scopes', 'OAuth scopes', 'For another vendor.', advanced),
      field('inboundSecret', 'Secret for posted mail', 'At least 16 characters.', { ...advanced, ...secret }),
      field('plusAddressing', 'Plus addressing', 'Mail to help+anything@ arrives at help@.', flag),
    ],
    callback: 'channel',
    steps: [
      step('elsewhere', 'Add the SPF and DKIM records of your mail provider to the domain.'),
      step(
        'create',
        'Create the channel here, with the outgoing server, and the mailbox or a secret for posted mail.',
      ),
      step(
        'webhook',
        'Only for posted mail: let your mail server post each mail to the webhook URL, signed with the secret.',
      ),
      step('receive', 'Check the channel, then write a mail to the address.'),
      send,
    ],
    guide: 'channels/email',
  },
};

/** What the address of a channel of each kind is. */
export const addressHelp: Readonly<Record<ChannelKind, string>> = {
  whatsapp: 'The number that customers write to, such as +15550009999',
  sms: 'The number that customers write to, such as +15550009999',
  email: 'The address that customers write to, such as help@example.com',
  instagram: 'The name of the account',
};
