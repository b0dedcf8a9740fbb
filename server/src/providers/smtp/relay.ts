import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPConnectionAuth, SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { MailServer } from './config.ts';
import { type Login, withLogin, xoauth2 } from './login.ts';

const CONNECT_MS = 15_000;
const GREETING_MS = 30_000;
/** Without an answer from the relay. */
const IDLE_TIMEOUT_MS = 60_000;
/** For a whole session, however slowly the relay answers. */
const SESSION_MS = 180_000;

/** How long the relay may take to answer QUIT after a mail was accepted. */
const QUIT_MS = 5_000;

/** A refusal of the relay, or a broken session. */
export interface RelayError extends Error {
  code?: string | undefined;
  responseCode?: number | undefined;
  /** The whole reply, and the command that it answers. */
  response?: string | undefined;
  command?: string | undefined;
  /** If all recipients were refused: the refusal of each. */
  rejectedErrors?: (RelayError & { recipient?: string | undefined })[] | undefined;
}

export interface Relay {
  send(envelope: { from: string; to: string[] }, mail: Readable): Promise<SMTPConnectionSendInfo>;
  /** Whether the relay may have received the complete mail, including the final dot. */
  isMailWritten(): boolean;
}

/** Whether a password may be sent to this address without TLS: only on this machine. */
export const mayBeUnencrypted = (address: string | undefined): boolean =>
  address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);

/** Opens a session with a relay over a guarded socket (greeting, STARTTLS, login) and runs `talk` in it. */
export const withRelay = <T>(
  server: MailServer,
  channel: AdapterChannel,
  context: AdapterContext,
  talk: (relay: Relay) => Promise<T>,
): Promise<T> => withLogin(server, channel, context, (login) => withSession(server, login, context, talk));

/** The login as the library takes it. It asks for a token again if the first one is refused, which `withLogin` handles. */
const authOf = (login: Login): SMTPConnectionAuth =>
  login.accessToken === undefined
    ? { user: login.user, pass: login.password }
    : {
        user: login.user,
        oauth2: {
          getToken: (_isRetry: boolean, done: (error: null, token: string) => void) =>
            done(null, login.accessToken),
          buildXOAuth2Token: (token: string) => xoauth2(login.user, token),
        } as SMTPConnectionAuth['oauth2'],
      };

async function withSession<T>(
  { host, port, secure }: MailServer,
  login: Login | undefined,
  context: AdapterContext,
  talk: (relay: Relay) => Promise<T>,
): Promise<T> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const socket: Socket = await context.connect({ host, port, secure, deadlineMs: CONNECT_MS });
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    secured: secure,
    connection: socket,
    requireTLS: !secure && login !== undefined && !mayBeUnencrypted(socket.remoteAddress),
    greetingTimeout: GREETING_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  });
  let isWritten = false;
  const lost = new Promise<never>((_, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('The relay closed the connection.')));
  });
  // The race below handles the rejection; without one it would be unhandled.
  lost.catch(() => {});
  const step = <R>(begin: (done: (error?: Error | null, result?: R) => void) => void): Promise<R> =>
    Promise.race([
      lost,
      new Promise<R>((resolve, reject) =>
        begin((error, result) => (error ? reject(error) : resolve(result as R))),
      ),
    ]);
  const timer = setTimeout(() => {
    connection.emit('error', Object.assign(new Error('The relay took too long.'), { code: 'ETIMEDOUT' }));
    connection.close();
  }, SESSION_MS);
  try {
    await step<void>((done) => connection.connect(done));
    if (login) await step((done) => connection.login(authOf(login), done));
    const result = await talk({
      isMailWritten: () => isWritten,
      async send(envelope, mail) {
        if (mail.errored) throw mail.errored;
        // The mail is read only after the relay has accepted sender and recipient; the final dot follows its end.
        mail.once('end', () => {
          isWritten = true;
        });
        return step((done) => connection.send(envelope, mail, done));
      },
    });
    connection.quit();
    setTimeout(() => connection.close(), QUIT_MS).unref();
    return result;
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
