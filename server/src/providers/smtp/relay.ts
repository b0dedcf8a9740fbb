import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import type { AdapterContext } from '../adapter.ts';
import type { MailServer } from './config.ts';

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
export async function withRelay<T>(
  server: MailServer,
  context: AdapterContext,
  talk: (relay: Relay) => Promise<T>,
): Promise<T> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const { host, port, secure, user, password } = server;
  const socket: Socket = await context.connect({ host, port, secure, deadlineMs: CONNECT_MS });
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    secured: secure,
    connection: socket,
    requireTLS: !secure && user !== undefined && !mayBeUnencrypted(socket.remoteAddress),
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
    if (user !== undefined) await step((done) => connection.login({ user, pass: password }, done));
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
