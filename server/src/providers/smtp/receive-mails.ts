import type { ImapFlow } from 'imapflow';
import {
  MAX_REFUSALS,
  type MailboxCursor,
  type ReadOptions,
  type ReceivedMails,
  type RefusedMail,
} from '../mailbox.ts';
import type { ProviderRequest } from '../provider-request.ts';

const MAX_MAILS_READ = 50;
/** A longer list would fill our memory; no real mailbox falls behind that far. */
const MAX_MAILS_LISTED = 200_000;
const MAX_BYTES_READ = 50 * 1024 * 1024;
/** Of a larger mail only the headers are read, so that its sender and subject are shown. */
export const MAX_MAIL_BYTES = 40 * 1024 * 1024;

/** Runs a command on the connection; rejected when that is lost, or after the time. */
export type Run = <T>(work: () => Promise<T>) => Promise<T>;

interface ListedMail {
  uid: number;
  size: number;
}

/** The error with the server's answer, which is in another property. */
export const describeError = (error: unknown): string => {
  const { message, responseText } = error as Error & { responseText?: string };
  return responseText ? `${message}: ${responseText}` : message;
};

/** The mails after the cursor. A connection that was used before has no newer numbers than those of the listed mails. */
export async function receiveMails(
  client: ImapFlow,
  run: Run,
  before: MailboxCursor | null,
  isUsedBefore: boolean,
  options: ReadOptions,
): Promise<ReceivedMails> {
  if (!client.mailbox) throw new Error('no mailbox was opened');
  const uidValidity = Number(client.mailbox.uidValidity);
  const newestAtOpening = Number(client.mailbox.uidNext) - 1;
  if (!Number.isSafeInteger(uidValidity) || !Number.isSafeInteger(newestAtOpening))
    throw new Error('the server does not number its mails');
  // A mailbox that was created again has other ids: all of its mails may have been read before.
  if (before?.uidValidity !== uidValidity) {
    if (isUsedBefore) throw new Error('the mailbox must be opened again');
    return { requests: [], cursor: { uidValidity, uid: newestAtOpening }, more: false };
  }

  const hasNew = isUsedBefore || newestAtOpening > before.uid;
  const listed = hasNew ? await run(() => listMails(client, before.uid)) : [];
  const newest = Math.max(newestAtOpening, before.uid, listed.at(-1)?.uid ?? 0);
  const { requests, done, last, ...problems } = await fetchMails(client, run, listed, options);
  const more = done < listed.length;
  return {
    requests,
    cursor: { uidValidity, uid: more ? (last ?? before.uid) : newest },
    more,
    ...problems,
  };
}

interface FetchedMails {
  requests: ProviderRequest[];
  /** How many of the listed mails need not be read again, and the last of them. */
  done: number;
  last?: number;
  refused?: RefusedMail;
  leftOut?: RefusedMail;
}

/** Reads mails in their order, until it is enough or one is refused. */
async function fetchMails(
  client: ImapFlow,
  run: Run,
  listed: readonly ListedMail[],
  { isTimeUp, refusals }: ReadOptions,
): Promise<FetchedMails> {
  const fetched: FetchedMails = { requests: [], done: 0 };
  const [first, ...others] = listed;
  // Asked before, because some servers end the connection instead of handing out a mail.
  const mayLeaveOut =
    first !== undefined &&
    refusals(first.uid) >= MAX_REFUSALS - 1 &&
    (await canReadOne(client, run, others.slice(0, MAX_MAILS_READ)));
  let bytes = 0;
  for (const mail of listed) {
    const { requests, done } = fetched;
    if (done === MAX_MAILS_READ || bytes > MAX_BYTES_READ || (done > 0 && isTimeUp())) break;
    try {
      const body = await run(() => fetchMail(client, mail));
      if (body) requests.push({ url: '', headers: { 'content-type': 'message/rfc822' }, body });
      bytes += body?.length ?? 0;
    } catch (error) {
      const refused = { uid: mail.uid, reason: describeError(error) };
      if (mail !== first || !mayLeaveOut) return { ...fetched, refused };
      fetched.leftOut = refused;
    }
    fetched.last = mail.uid;
    fetched.done += 1;
    if (!client.usable) break;
  }
  return fetched;
}

/** Whether the server hands out one of these mails: if it refuses all of them, that is not due to a mail. */
async function canReadOne(client: ImapFlow, run: Run, mails: readonly ListedMail[]): Promise<boolean> {
  for (const { uid } of mails) {
    const isRead = await run(async () => {
      const mail = await client.fetchOne(String(uid), { headers: true }, { uid: true });
      return mail && mail.headers !== undefined;
    }).catch(() => false);
    if (isRead) return true;
    if (!client.usable) return false;
  }
  return false;
}

/** The mails after an id, the oldest first. A range up to `*` always contains the last mail, even an older one. */
async function listMails(client: ImapFlow, after: number): Promise<ListedMail[]> {
  const mails: ListedMail[] = [];
  const wanted = { uid: true, size: true };
  for await (const { uid, size = 0 } of client.fetch(`${after + 1}:*`, wanted, { uid: true })) {
    if (mails.length === MAX_MAILS_LISTED) throw new Error('the server lists too many mails');
    if (uid > after) mails.push({ uid, size });
  }
  return mails.sort((a, b) => a.uid - b.uid);
}

/** The bytes of a mail; undefined if it was deleted meanwhile. */
async function fetchMail(client: ImapFlow, { uid, size }: ListedMail): Promise<Buffer | undefined> {
  const part = size > MAX_MAIL_BYTES ? { headers: true } : { source: true };
  const mail = await client.fetchOne(String(uid), part, { uid: true });
  const body = mail ? (mail.source ?? mail.headers) : undefined;
  if (!body && (await client.fetchOne(String(uid), { uid: true }, { uid: true })))
    throw new Error('The server lists the mail, but answers without it.');
  return body;
}
