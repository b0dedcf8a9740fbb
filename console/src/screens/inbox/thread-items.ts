import type { Message, Note, SendChatMessageBody } from '@parley/sdk';
import type { Attachment } from './attachment.ts';

/** A message that the server has not taken yet. It stays until it is sent or given up, on whatever screen the person is. */
export interface Outgoing {
  key: string;
  chatId: string;
  at: string;
  body: SendChatMessageBody;
  files: readonly Attachment[];
  /** What is shown until it is sent. */
  text: string;
  /** Why it was not taken; undefined while it is on its way. */
  error: unknown;
}

type Entry =
  | { kind: 'message'; key: string; at: string; author: string; message: Message }
  | { kind: 'note'; key: string; at: string; author: string; note: Note }
  | { kind: 'outgoing'; key: string; at: string; author: string; outgoing: Outgoing };

/** What one author wrote in a row on one day. */
export interface Group {
  key: string;
  /** The day before it ended: a line with the date comes first. */
  startsDay: boolean;
  entries: Entry[];
}

const GAP_MS = 10 * 60_000;
const dayOf = (at: string): string => new Date(at).toDateString();

const entryOfMessage = (message: Message): Entry => ({
  kind: 'message',
  key: message.id,
  at: message.timestamp,
  author: `${message.sender} ${message.author.type} ${message.author.id}`,
  message,
});
const entryOfNote = (note: Note): Entry => ({
  kind: 'note',
  key: note.id,
  at: note.createdAt,
  author: `note ${note.author.id}`,
  note,
});

/** Vendors' times are whole seconds; ids are in the order in which things were stored. */
const byTime = (a: Entry, b: Entry): number => a.at.localeCompare(b.at) || a.key.localeCompare(b.key);

/** Everything in a chat, the oldest first. Notes before the oldest message that is loaded are left out. */
export function groupEntries(
  messages: readonly Message[],
  notes: readonly Note[],
  outgoing: readonly Outgoing[],
  hasOlder: boolean,
): Group[] {
  const oldest = hasOlder ? (messages.at(-1)?.createdAt ?? '') : '';
  const entries: Entry[] = [
    ...messages.map(entryOfMessage),
    ...notes.filter(({ createdAt }) => createdAt >= oldest).map(entryOfNote),
  ].sort(byTime);
  // They stand at the end, whatever the clock of this device says.
  for (const one of outgoing)
    entries.push({ kind: 'outgoing', key: one.key, at: one.at, author: 'outgoing', outgoing: one });

  const groups: Group[] = [];
  let last: Entry | undefined;
  for (const entry of entries) {
    const startsDay = !last || dayOf(last.at) !== dayOf(entry.at);
    const isSame =
      last?.author === entry.author && Date.parse(entry.at) - Date.parse(last.at) < GAP_MS && !startsDay;
    if (isSame) groups.at(-1)?.entries.push(entry);
    else groups.push({ key: entry.key, startsDay, entries: [entry] });
    last = entry;
  }
  return groups;
}
