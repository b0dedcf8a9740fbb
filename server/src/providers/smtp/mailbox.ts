import type { LookupFunction } from 'node:net';
import type { ImapFlow } from 'imapflow';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { OpenMailbox } from '../mailbox.ts';
import { CredentialFailure } from '../vendor-failure.ts';
import type { Mailbox, SmtpConfig } from './config.ts';
import { type Login, withLogin } from './login.ts';
import { describeError, MAX_MAIL_BYTES, type Run, receiveMails } from './receive-mails.ts';
import { mayBeUnencrypted } from './relay.ts';

const CONNECT_MS = 15_000;
const IDLE_TIMEOUT_MS = 30_000;
/** For reading a mailbox once, however slowly the server answers. */
const TIMEOUT_MS = 180_000;
const MAX_HEADER_BYTES = 1024 * 1024;
/** Mails are not in lines but in literals. The library reads a line character by character, on the event loop. */
const MAX_LINE_BYTES = 64 * 1024;

/** How long a connection that was kept may take to answer before another one is opened. */
const PROBE_MS = 10_000;
const LOGOUT_MS = 2_000;
/** An IDLE that the server ends sooner, again and again, would keep both sides busy. */
const SHORT_IDLE_MS = 10_000;
/** What a server may say between two reads: an announcement has about 20 bytes. */
const MAX_ANNOUNCED_BYTES = 256 * 1024;

/** Answers to a login that are about the server, and not about the user. */
const TEMPORARY_CODES = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'OVERQUOTA']);

/** The error as the channel shows it. */
function mailboxError({ host, mailbox, user }: Mailbox, error: unknown): Error {
  const { authenticationFailed, serverResponseCode } = error as {
    authenticationFailed?: boolean;
    serverResponseCode?: string;
  };
  const message = `The mailbox ${mailbox} at ${host} could not be read: ${describeError(error)}`;
  return authenticationFailed && !TEMPORARY_CODES.has(serverResponseCode ?? '')
    ? new CredentialFailure('login_refused', `${message} (user ${user})`, 'config.imap')
    : new Error(message, { cause: error });
}

/** A client that is logged in. `lost` is rejected when the connection breaks. */
interface Session {
  client: ImapFlow;
  lost: Promise<never>;
}

/** Runs something on a connection that ends with it, or after the time, however slowly the server answers. */
async function runWithin<T>(
  { client, lost }: Session,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => {
    client.emit('error', new Error('The server took too long.'));
    client.close();
  }, timeoutMs);
  try {
    return await Promise.race([lost, work()]);
  } finally {
    clearTimeout(timer);
  }
}

/** Connects, logs in, and opens the mailbox for reading, without marking mails as seen. */
async function connectMailbox(imap: Mailbox, login: Login, context: AdapterContext): Promise<Session> {
  const { host, port, secure, mailbox } = imap;
  // The library connects by itself: it gets the validated addresses and resolves none.
  const addresses = await context.resolve(host);
  const [first] = addresses;
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port,
    secure,
    // A password is only sent over TLS, unless the server is on this machine.
    ...(secure || addresses.every(({ address }) => mayBeUnencrypted(address)) ? {} : { doSTARTTLS: true }),
    tls: { lookup },
    auth:
      login.accessToken === undefined
        ? { user: login.user, pass: login.password }
        : { user: login.user, accessToken: login.accessToken },
    disableAutoIdle: true,
    // A megabyte from a hostile server could be a gigabyte to parse.
    disableCompression: true,
    logger: false,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    maxLiteralSize: MAX_MAIL_BYTES + MAX_HEADER_BYTES,
    maxResponseSize: MAX_MAIL_BYTES + 2 * MAX_HEADER_BYTES,
    maxLineLength: MAX_LINE_BYTES,
  });
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('The server closed the connection.')));
  });
  lost.catch(() => {});
  const session = { client, lost };
  try {
    await runWithin(session, TIMEOUT_MS, async () => {
      await client.connect();
      await client.mailboxOpen(mailbox, { readOnly: true });
    });
    return session;
  } catch (error) {
    client.close();
    throw mailboxError(imap, error);
  }
}

/** Opens the mailbox of a channel. */
export async function openMailbox(channel: AdapterChannel, context: AdapterContext): Promise<OpenMailbox> {
  const { imap } = channel.config as SmtpConfig;
  if (!imap) throw new Error('The channel has no mailbox.');
  return withLogin(imap, channel, context, async (login) =>
    mailboxOn(imap, await connectMailbox(imap, login as Login, context)),
  );
}

function mailboxOn(imap: Mailbox, session: Session): OpenMailbox {
  const { client } = session;
  const receivedBytes = (): number => client.stats().received;
  let readBefore = false;
  let waits = 0;
  let bytesAtRead = receivedBytes();
  return {
    canWait: client.capabilities.has('IDLE'),
    isUsable: () => client.usable && receivedBytes() - bytesAtRead < MAX_ANNOUNCED_BYTES,
    async read(before, options) {
      waits += 1;
      try {
        // Servers announce new mail with the answer to any command. A server that is gone answers to none.
        if (readBefore) await runWithin(session, PROBE_MS, () => client.noop());
        const endsAt = performance.now() + TIMEOUT_MS;
        const run: Run = (work) => runWithin(session, endsAt - performance.now(), work);
        const received = await receiveMails(client, run, before, readBefore, options);
        readBefore = true;
        bytesAtRead = receivedBytes();
        // Another connection may see that the mail was deleted.
        if (received.refused) client.close();
        return received;
      } catch (error) {
        client.close();
        throw mailboxError(imap, error);
      }
    },
    waitForMail() {
      waits += 1;
      const own = waits;
      return waitForMail(session, () => waits === own);
    },
    async close() {
      const timer = setTimeout(() => client.close(), LOGOUT_MS);
      await client.logout().catch(() => {});
      clearTimeout(timer);
      client.close();
    },
  };
}

/**
 * Resolves when the server announces new mail, or when `isWanted` is false. The library ends IDLE when nothing came for a
 * while: it begins again.
 */
async function waitForMail({ client, lost }: Session, isWanted: () => boolean): Promise<void> {
  let announce = (): void => {};
  const announced = new Promise<'mail'>((resolve) => {
    announce = () => resolve('mail');
  });
  client.on('exists', announce);
  try {
    while (client.usable) {
      const begunAt = performance.now();
      const end = await Promise.race([announced, lost, client.idle()]);
      if (end === 'mail' || !isWanted()) return;
      if (performance.now() - begunAt < SHORT_IDLE_MS) throw new Error('The server ends IDLE at once.');
    }
    throw new Error('The server closed the connection.');
  } finally {
    client.off('exists', announce);
  }
}
