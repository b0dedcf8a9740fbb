import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import type { AdapterContext } from '../adapter.ts';
import type { MailServer } from './config.ts';

const CONNECT_MS = 15_000;
const GREETING_MS = 30_000;
/** Without a word from the relay. */
const SILENCE_MS = 60_000;
/** For a whole conversation, however slowly the relay goes on talking. */
const CONVERSATION_MS = 180_000;

/** After a mail was taken, a relay that does not say goodbye is not waited for. */
const GOODBYE_MS = 5_000;

/** What a relay said no to, or how a conversation with it ended. */
export interface RelayError extends Error {
  code?: string | undefined;
  responseCode?: number | undefined;
}

export interface Relay {
  send(envelope: { from: string; to: string[] }, mail: Readable): Promise<SMTPConnectionSendInfo>;
  /** Whether the relay may have got the whole of a mail: everything was handed on, the final dot with it. */
  isMailOut(): boolean;
}

/** A password is told to nobody who could be anybody: only within TLS, or to this very machine. */
export const mayBePlain = (address: string | undefined): boolean =>
  address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);

/** Runs a conversation with a relay over a guarded socket: greeting, STARTTLS, login; then what is to be said. */
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
    requireTLS: !secure && user !== undefined && !mayBePlain(socket.remoteAddress),
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
  });
  let isOut = false;
  const lost = new Promise<never>((_, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('The relay closed the connection.')));
  });
  // Whoever waits for an answer hears of it there; nobody may be waiting.
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
  }, CONVERSATION_MS);
  try {
    await step<void>((done) => connection.connect(done));
    if (user !== undefined) await step((done) => connection.login({ user, pass: password }, done));
    const result = await talk({
      isMailOut: () => isOut,
      async send(envelope, mail) {
        if (mail.errored) throw mail.errored;
        // The mail is read only when the relay has said yes to sender and recipient; after its end comes the dot.
        mail.once('end', () => {
          isOut = true;
        });
        return step((done) => connection.send(envelope, mail, done));
      },
    });
    connection.quit();
    setTimeout(() => connection.close(), GOODBYE_MS).unref();
    return result;
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
