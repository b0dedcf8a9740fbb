import type { ProviderRequest } from './provider-request.ts';

/** How far a mailbox has been read: ids of mails only grow as long as `uidValidity` stays the same. */
export interface MailboxCursor {
  uidValidity: number;
  uid: number;
}

export interface ReceivedMails {
  requests: ProviderRequest[];
  cursor: MailboxCursor;
  /** Whether there are further mails. */
  more: boolean;
  /** The first mail after the cursor, if the server does not hand it out. The connection is closed. */
  refused?: RefusedMail;
  /** A mail before the cursor that was left out. */
  leftOut?: RefusedMail;
}

export interface RefusedMail {
  uid: number;
  reason: string;
}

export interface ReadOptions {
  /** Whether enough time has passed: what was read so far is returned. */
  isTimeUp(): boolean;
  /** How often the server has refused a mail before, without another answer in between. */
  refusals(uid: number): number;
}

/** A mail that the server has refused so often is left out, as soon as it hands out a later one. */
export const MAX_REFUSALS = 5;

/** A connection to a mailbox. After an error it is closed. */
export interface OpenMailbox {
  /** Whether the server announces new mail, so that it is worth keeping the connection. */
  readonly canWait: boolean;
  /** Whether the connection is in order, as far as this side can see. */
  isUsable(): boolean;
  /**
   * The mails after the cursor, as requests that are stored like those of other vendors. Without a cursor it returns no
   * mails, only the cursor to start from.
   */
  read(cursor: MailboxCursor | null, options: ReadOptions): Promise<ReceivedMails>;
  /** Resolves when the server announces new mail; rejected when the connection is lost or closed. Ends with the next read. */
  waitForMail(): Promise<void>;
  close(): Promise<void>;
}
