import type { LookupFunction } from 'node:net';
import type { ImapFlow } from 'imapflow';
import type { AdapterChannel, AdapterContext, MailboxCursor, ProviderRequest } from '../adapter.ts';
import type { Mailbox, SmtpConfig } from './config.ts';
import { mayBePlain } from './relay.ts';

const CONNECT_MS = 15_000;
const SILENCE_MS = 30_000;
/** For a whole visit, however slowly the server goes on talking. */
const VISIT_MS = 180_000;
const MAILS_AT_ONCE = 50;
/** More than that is no mailbox that fell behind, but a server that fills our memory. */
const MAILS_LISTED = 200_000;
const BYTES_AT_ONCE = 50 * 1024 * 1024;
/** Of a larger mail only the headers come, so that people see at least who wrote and what about. */
export const LARGEST_MAIL = 40 * 1024 * 1024;
const LARGEST_HEADERS = 1024 * 1024;

/** What the server said, which its errors only carry along. */
const wordsOf = (error: unknown): string => {
  const { message, responseText } = error as Error & { responseText?: string };
  return responseText ? `${message}: ${responseText}` : message;
};

/** Opens a mailbox for reading, nothing in it is marked as seen, and leaves it in order. */
export async function withMailbox<T>(
  { host, port, secure, user, password, mailbox }: Mailbox,
  context: AdapterContext,
  visit: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  // The library connects by itself: it is handed the addresses that were judged, and asks for none.
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
    // A password goes over TLS only, unless the server is on this very machine.
    ...(secure || addresses.every(({ address }) => mayBePlain(address)) ? {} : { doSTARTTLS: true }),
    tls: { lookup },
    auth: { user, pass: password },
    disableAutoIdle: true,
    logger: false,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: LARGEST_MAIL + LARGEST_HEADERS,
    maxResponseSize: LARGEST_MAIL + 2 * LARGEST_HEADERS,
    maxLineLength: LARGEST_HEADERS,
  });
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('The server closed the connection.')));
  });
  lost.catch(() => {});
  const timer = setTimeout(() => {
    client.emit('error', new Error('The server took too long.'));
    client.close();
  }, VISIT_MS);
  try {
    const result = await Promise.race([
      lost,
      (async () => {
        await client.connect();
        await client.mailboxOpen(mailbox, { readOnly: true });
        return visit(client);
      })(),
    ]);
    await client.logout().catch(() => {});
    return result;
  } catch (error) {
    throw new Error(`The mailbox ${mailbox} at ${host} could not be read: ${wordsOf(error)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

/** What came into a channel's mailbox since it was read up to the cursor. */
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
    // A mailbox that was made anew gives its mails other ids: those that it holds may all have been read.
    if (before?.uidValidity !== uidValidity)
      return { requests: [], cursor: { uidValidity, uid: newest }, more: false };

    const listed = newest > before.uid ? await listMails(client, before.uid) : [];
    const requests: ProviderRequest[] = [];
    let { uid } = before;
    let bytes = 0;
    let read = 0;
    for (const mail of listed) {
      if (read === MAILS_AT_ONCE || bytes > BYTES_AT_ONCE) break;
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

/** The mails after one, the oldest first. A range up to `*` has the last mail in it, even when that is older. */
async function listMails(client: ImapFlow, after: number): Promise<{ uid: number; size: number }[]> {
  const mails: { uid: number; size: number }[] = [];
  const wanted = { uid: true, size: true };
  for await (const { uid, size = 0 } of client.fetch(`${after + 1}:*`, wanted, { uid: true })) {
    if (mails.length === MAILS_LISTED) throw new Error('the server tells of too many mails');
    if (uid > after) mails.push({ uid, size });
  }
  return mails.sort((a, b) => a.uid - b.uid);
}

/** A mail's bytes, or undefined where somebody has removed it meanwhile. */
async function fetchMail(
  client: ImapFlow,
  { uid, size }: { uid: number; size: number },
): Promise<Buffer | undefined> {
  const part = size > LARGEST_MAIL ? { headers: true } : { source: true };
  const mail = await client.fetchOne(String(uid), part, { uid: true });
  return mail ? (mail.source ?? mail.headers) : undefined;
}
