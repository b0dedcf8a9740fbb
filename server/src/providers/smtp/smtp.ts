import type { Adapter } from '../adapter.ts';
import type { AdapterChannel, ChannelProblem } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { CredentialFailure } from '../vendor-failure.ts';
import { configureSmtp, isAddress, type SmtpConfig, serversOf } from './config.ts';
import { openMailbox } from './mailbox.ts';
import { parseMail } from './parse.ts';
import { MAX_MAIL_BYTES } from './receive-mails.ts';
import { withRelay } from './relay.ts';
import { sendMail } from './send.ts';
import { isSignedMail, SIGNATURE_HEADER } from './signature.ts';

/** Mail: sent through any relay by SMTP, received from any mailbox by IMAP or posted as it is. */
export const smtp: Adapter = {
  provider: 'smtp',
  kinds: ['email'],
  // Relays differ; strict ones allow about this much.
  perSecond: 10,
  perContactMs: 0,
  // The timeouts of fetching files, an access token, connecting, and the SMTP session together.
  sendMs: 330_000,
  bodyBytes: MAX_MAIL_BYTES,
  signatureHeaders: [SIGNATURE_HEADER],
  reply: { contentType: 'application/json', body: '{"success":true}' },
  configure: configureSmtp,
  servers: serversOf,
  check: checkSmtp,
  verifySignature: (request, { config }) => isSignedMail(request, (config as SmtpConfig).inboundSecret),
  parseInbound: parseMail,
  inThread: () => 'always',
  send: sendMail,
  mailboxOf(config) {
    const { imap } = config as SmtpConfig;
    return imap && JSON.stringify([imap.host, imap.port, imap.user, imap.mailbox]);
  },
  openMailbox,
};

/** Checks the logins to relay and mailbox. */
async function checkSmtp(channel: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]> {
  const { smtp: relay, imap, inboundSecret } = channel.config as SmtpConfig;
  const problems: ChannelProblem[] = [];
  const addProblem =
    (path: string) =>
    (error: unknown): void => {
      problems.push({
        path: error instanceof CredentialFailure ? error.path : path,
        message: (error as Error).message,
      });
    };
  if (!isAddress(channel.address.trim()))
    problems.push({ path: 'address', message: 'Must be an email address' });
  if (!imap && inboundSecret === undefined)
    problems.push({
      path: 'config',
      message:
        'No mail can be received: there is neither a mailbox (imap) nor an inboundSecret for posted mail',
    });
  await withRelay(relay, channel, context, async () => {}).catch(addProblem('config.smtp'));
  if (imap) await openMailbox(channel, context).then((mailbox) => mailbox.close(), addProblem('config.imap'));
  return problems;
}
