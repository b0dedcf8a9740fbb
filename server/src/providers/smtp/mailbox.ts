import type { LookupFunction } from 'node:net';
import type { ImapFlow } from 'imapflow';
import type { AdapterChannel, AdapterContext, MailboxCursor, ProviderRequest } from '../adapter.ts';
import type { Mailbox, SmtpConfig } from './config.ts';
import { mayBeUnencrypted } from './relay.ts';

const CONNECT_MS = 15_000;
const IDLE_TIMEOUT_MS = 30_000;
/** For reading a mailbox once, however slowly the server answers. */
const TIMEOUT_MS = 180_000;
const MAX_MAILS_READ = 50;
/** A longer list would fill our memory; no real mailbox falls behind that far. */
const MAX_MAILS_LISTED = 200_000;
const MAX_BYTES_READ = 50 * 1024 * 1024;
/** Of a larger mail only the headers are read, so that its sender and subject are shown. */
export const MAX_MAIL_BYTES = 40 * 1024 * 1024;
const MAX_HEADER_BYTES = 1024 * 1024;
/** Mails are not in lines but in literals. The library reads a line character by character, on the event loop. */
const MAX_LINE_BYTES = 64 * 1024;

/** The error with the server's answer, which is in another property. */
const describeError = (error: unknown): string => {
  const { message, responseText } = error as Error & { responseText?: string };
  return responseText ? `${message}: ${responseText}` : message;
};

/** Opens a mailbox for reading, without marking mails as seen, and closes it. */
export async function withMailbox<T>(
  { host, port, secure, user, password, mailbox }: Mailbox,
  context: AdapterContext,
  use: (client: ImapFlow) => Promise<T>,
): Promise<T> {
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
    auth: { user, pass: password },
    disableAutoIdle: true,
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
  const timer = setTimeout(() => {
    client.emit('error', new Error('The server took too long.'));
    client.close();
  }, TIMEOUT_MS);
  try {
    const result = await Promise.race([
      lost,
      (async () => {
        await client.connect();
        await client.mailboxOpen(mailbox, { readOnly: true });
        return use(client);
      })(),
    ]);
    await client.logout().catch(() => {});
    return result;
  } catch (error) {
    throw new Error(`The mailbox ${mailbox} at ${host} could not be read: ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

/** The mails of a channel's mailbox after the cursor. */
export async function receiveMails(
  channel: AdapterChannel,
  before: MailboxCursor | null,
  context: AdapterContext,
): Promise<{ requests: ProviderRequest[]; cursor: MailboxCursor; more: boolean }> {
  const { imap } = channel.config as SmtpConfig;
  if (!imap) throw new Error('The channel has no mailbox.');
  return withMailbox(imap, context, async (client) => {
    if (!client.mailbox) throw new Error('no mailbox was opened');
    const uidValidity = Number(client.mailbox.uidValidity);
    const newest = Number(client.mailbox.uidNext) - 1;
    if (!Number.isSafeInteger(uidValidity) || !Number.isSafeInteger(newest))
      throw new Error('the server does not number its mails');
    // A mailbox that was created again has other ids: all of its mails may have been read before.
    if (before?.uidValidity !== uidValidity)
      return { requests: [], cursor: { uidValidity, uid: newest }, more: false };

    const listed = newest > before.uid ? await listMails(client, before.uid) : [];
    const requests: ProviderRequest[] = [];
    let { uid } = before;
    let bytes = 0;
    let read = 0;
    for (const mail of listed) {
      if (read === MAX_MAILS_READ || bytes > MAX_BYTES_READ) break;
      const body = await fetchMail(client, mail);
      if (body) requests.push({ url: '', headers: { 'content-type': 'message/rfc822' }, body });
      uid = mail.uid;
      bytes += body?.length ?? 0;
      read += 1;
    }
    const more = read < listed.length;
    return { requests, cursor: { uidValidity, uid: more ? uid : Math.max(newest, uid) }, more };
  });
}

/** The mails after an id, the oldest first. A range up to `*` always contains the last mail, even an older one. */
async function listMails(client: ImapFlow, after: number): Promise<{ uid: number; size: number }[]> {
  const mails: { uid: number; size: number }[] = [];
  const wanted = { uid: true, size: true };
  for await (const { uid, size = 0 } of client.fetch(`${after + 1}:*`, wanted, { uid: true })) {
    if (mails.length === MAX_MAILS_LISTED) throw new Error('the server lists too many mails');
    if (uid > after) mails.push({ uid, size });
  }
  return mails.sort((a, b) => a.uid - b.uid);
}

/** The bytes of a mail; undefined if it was deleted meanwhile. */
async function fetchMail(
  client: ImapFlow,
  { uid, size }: { uid: number; size: number },
): Promise<Buffer | undefined> {
  const part = size > MAX_MAIL_BYTES ? { headers: true } : { source: true };
  const mail = await client.fetchOne(String(uid), part, { uid: true });
  return mail ? (mail.source ?? mail.headers) : undefined;
}
