import { type ChannelConfig, mergeConfig } from '../adapter.ts';
import { readSettings, type Settings } from '../settings.ts';

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  user?: string;
  password?: string;
}

export interface Mailbox extends MailServer {
  user: string;
  password: string;
  mailbox: string;
}

export interface SmtpConfig extends ChannelConfig {
  /** `help@example.com` or `Support <help@example.com>`. */
  from: string;
  smtp: MailServer;
  imap?: Mailbox;
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

function relayOf(settings: Settings): MailServer {
  const user = settings.text('user');
  const password = settings.text('password');
  if ((user === undefined) !== (password === undefined))
    settings.addIssue(user === undefined ? 'user' : 'password', 'user and password must be given together');
  return {
    ...serverOf(settings, 465),
    ...(user === undefined || password === undefined ? {} : { user, password }),
  };
}

const mailboxOf = (settings: Settings): Mailbox => ({
  ...serverOf(settings, 993),
  user: settings.requiredText('user'),
  password: settings.requiredText('password'),
  mailbox: settings.text('mailbox') ?? 'INBOX',
});

/** The settings that a channel stores. */
export function configureSmtp(given: ChannelConfig, stored: ChannelConfig): SmtpConfig {
  const settings = readSettings(mergeConfig(stored, given));
  const from = settings.requiredText('from');
  if (from !== '' && !isAddress(bareAddress(from)))
    settings.addIssue('from', 'Must be an address such as help@example.com or Support <help@example.com>');
  const relay = settings.group('smtp');
  if (!relay) settings.addIssue('smtp', 'Required: host and port of the outgoing mail server');
  const inbox = settings.group('imap');
  const inboundSecret = settings.text('inboundSecret', secret);
  const config = {
    from,
    ...(relay && { smtp: relayOf(relay) }),
    ...(inbox && { imap: mailboxOf(inbox) }),
    ...(inboundSecret === undefined ? {} : { inboundSecret }),
    ...(settings.flag('plusAddressing') ? { plusAddressing: true as const } : {}),
  };
  settings.throwIfAnyIssue();
  return config as SmtpConfig;
}
