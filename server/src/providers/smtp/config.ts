import { type ChannelConfig, mergeConfig } from '../adapter-channel.ts';
import { readSettings, type Settings } from '../settings.ts';
import { isTokenVendor, type MailOAuth, TOKEN_VENDORS } from './oauth-vendors.ts';

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  user?: string;
  /** Without it the user logs in with an access token. */
  password?: string;
}

export interface Mailbox extends MailServer {
  user: string;
  mailbox: string;
}

export interface SmtpConfig extends ChannelConfig {
  /** `help@example.com` or `Support <help@example.com>`. */
  from: string;
  smtp: MailServer;
  imap?: Mailbox;
  oauth?: MailOAuth;
  inboundSecret?: string;
  /** Whether mail to `help+anything@…` arrives at `help@…`. */
  plusAddressing?: true;
}

const ADDRESS = /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]{1,190}$/;
const NAMED_ADDRESS = /^[^<>\r\n]{0,200}<([^<>]{3,255})>$/;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** The bare address in `Support <help@example.com>`, in lower case. */
export const bareAddress = (from: string): string =>
  (NAMED_ADDRESS.exec(from)?.[1] ?? from).trim().toLowerCase();

const host = { pattern: /^[^\s/@?#]{1,253}$/, named: 'the name of a host' };
const secret = { pattern: /^.{16,}$/, named: 'at least 16 characters long' };

function serverOf(settings: Settings, securePort: number): MailServer {
  const port = settings.port('port');
  return {
    host: settings.requiredText('host', host),
    port,
    secure: settings.flag('secure') ?? port === securePort,
  };
}

function relayOf(settings: Settings, hasTokens: boolean): MailServer {
  const user = settings.text('user');
  const password = settings.text('password');
  if (user === undefined && password !== undefined)
    settings.addIssue('user', 'user and password must be given together');
  if (user !== undefined && password === undefined && !hasTokens)
    settings.addIssue('password', 'user and password must be given together, unless there is an oauth');
  return {
    ...serverOf(settings, 465),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
  };
}

function mailboxOf(settings: Settings, hasTokens: boolean): Mailbox {
  const password = hasTokens ? settings.text('password') : settings.requiredText('password');
  return {
    ...serverOf(settings, 993),
    user: settings.requiredText('user'),
    ...(password === undefined ? {} : { password }),
    mailbox: settings.text('mailbox') ?? 'INBOX',
  };
}

const vendorRule = {
  pattern: new RegExp(`^(${TOKEN_VENDORS.join('|')})$`),
  named: TOKEN_VENDORS.map((name) => `"${name}"`).join(' or '),
};
const directory = {
  pattern: /^[\w.-]{1,100}$/,
  named: 'the id or the domain of a directory (tenant) of Microsoft Entra',
};
/** A refresh token is like a password: unencrypted it goes only to the same machine. */
const tokenUrl = {
  pattern: /^(https:\/\/[^\s?#@]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\/[^\s?#@]*)$/,
  named: 'a URL that begins with https://, without a user, a query or a fragment',
};
const scopes = {
  pattern: /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
  named: 'scopes separated by single spaces',
};
/** Those of Microsoft have 1,000 to 2,000 characters. */
const token = { pattern: /^[\x21-\x7e]+$/, named: 'a text without spaces', maxLength: 8000 };

function oauthOf(settings: Settings): MailOAuth {
  const vendor = settings.text('vendor', vendorRule);
  const url = settings.text('tokenUrl', tokenUrl);
  const directoryId = settings.text('directoryId', directory);
  const clientSecret = settings.text('clientSecret');
  const wanted = settings.text('scopes', scopes);
  if (vendor === undefined && url === undefined)
    settings.addIssue('vendor', `Required, unless there is a tokenUrl: ${vendorRule.named}`);
  if (directoryId !== undefined && (vendor !== 'microsoft365' || url !== undefined))
    settings.addIssue('directoryId', 'Only with the vendor "microsoft365" and without a tokenUrl');
  return {
    ...(isTokenVendor(vendor) ? { vendor } : {}),
    ...(url === undefined ? {} : { tokenUrl: url }),
    ...(directoryId === undefined ? {} : { directoryId }),
    clientId: settings.requiredText('clientId'),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    refreshToken: settings.requiredText('refreshToken', token),
    ...(wanted === undefined ? {} : { scopes: wanted }),
  };
}

/** The settings that a channel stores. */
export function configureSmtp(given: ChannelConfig, stored: ChannelConfig): SmtpConfig {
  const settings = readSettings(mergeConfig(stored, given));
  const from = settings.requiredText('from');
  if (from !== '' && !isAddress(bareAddress(from)))
    settings.addIssue('from', 'Must be an address such as help@example.com or Support <help@example.com>');
  const relay = settings.group('smtp');
  if (!relay) settings.addIssue('smtp', 'Required: host and port of the outgoing mail server');
  const inbox = settings.group('imap');
  const tokens = settings.group('oauth');
  const oauth = tokens && oauthOf(tokens);
  const inboundSecret = settings.text('inboundSecret', secret);
  const servers = {
    ...(relay && { smtp: relayOf(relay, oauth !== undefined) }),
    ...(inbox && { imap: mailboxOf(inbox, oauth !== undefined) }),
  };
  const isUsed = [servers.smtp, servers.imap].some(
    (server) => server?.user !== undefined && server.password === undefined,
  );
  if (oauth && !isUsed)
    settings.addIssue(
      'oauth',
      'Nothing uses it: give smtp or imap a user, and no password (null removes one)',
    );
  const config = {
    from,
    ...servers,
    ...(oauth && { oauth }),
    ...(inboundSecret === undefined ? {} : { inboundSecret }),
    ...(settings.flag('plusAddressing') ? { plusAddressing: true as const } : {}),
  };
  settings.throwIfAnyIssue();
  return config as SmtpConfig;
}

/** The servers that the settings name, by their paths. */
export function serversOf(config: ChannelConfig): Record<string, string | undefined> {
  const { smtp, imap, oauth } = config as SmtpConfig;
  return { 'smtp.host': smtp.host, 'imap.host': imap?.host, 'oauth.tokenUrl': oauth?.tokenUrl };
}
