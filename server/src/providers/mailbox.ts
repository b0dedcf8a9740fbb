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
}

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
  read(cursor: MailboxCursor | null): Promise<ReceivedMails>;
  /** Resolves when the server announces new mail; rejected when the connection is lost or closed. Ends with the next read. */
  waitForMail(): Promise<void>;
  close(): Promise<void>;
}
