import type { TenantReader } from '../db/tenant.ts';
import { findChats } from './chat.ts';

const COLUMNS = [
  'id',
  'status',
  'channelId',
  'contactId',
  'displayName',
  'handle',
  'labels',
  'assignedUserId',
  'assignedTeamId',
  'unreadCount',
  'latestMessage',
  'latestMessageAt',
  'waitingSince',
  'firstRespondedAt',
  'snoozedUntil',
  'closedAt',
  'createdAt',
  'updatedAt',
];

/** Chats as rows of a table. */
export const chatTable = {
  columns: COLUMNS,
  readCells: async (reader: TenantReader, ids: string[]): Promise<(string | null)[][]> =>
    (await findChats(reader, ids)).map((chat) => [
      chat.id,
      chat.status,
      chat.channelId,
      chat.contactId,
      chat.contact.displayName,
      chat.handle.value,
      chat.contact.labels.map(({ name }) => name).join(', '),
      chat.assignedUserId,
      chat.assignedTeamId,
      String(chat.unreadCount),
      chat.latestMessage?.text ?? null,
      chat.latestMessage?.timestamp ?? null,
      chat.waitingSince,
      chat.firstRespondedAt,
      chat.snoozedUntil,
      chat.closedAt,
      chat.createdAt,
      chat.updatedAt,
    ]),
};
