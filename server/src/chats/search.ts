import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { chatStatuses } from './schema.ts';

/** The text that `search` looks in: the contact's names and handles. */
const CONTACT_TEXT = 'p.search_text';

export const chatFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'c.id' },
    status: { type: 'enum', sql: 'c.status', values: chatStatuses },
    channelId: { type: 'uuid', sql: 'c.channel_id' },
    contactId: { type: 'uuid', sql: 'c.contact_id' },
    assignedUserId: { type: 'uuid', sql: 'c.assigned_user_id', nullable: true },
    assignedTeamId: { type: 'uuid', sql: 'c.assigned_team_id', nullable: true },
    isUnread: { type: 'boolean', sql: 'c.marked_unread or c.unread_count > 0' },
    isAutomationPaused: {
      type: 'boolean',
      sql: 'coalesce(c.automation_pause, c.assigned_user_id is not null)',
    },
    snoozedUntil: { type: 'time', sql: 'c.snoozed_until', nullable: true },
    unreadCount: { type: 'number', sql: 'c.unread_count' },
    waitingSince: { type: 'time', sql: 'c.waiting_since', nullable: true },
    firstRespondedAt: { type: 'time', sql: 'c.first_responded_at', nullable: true },
    closedAt: { type: 'time', sql: 'c.closed_at', nullable: true },
    openUntil: { type: 'time', sql: 'c.open_until', nullable: true },
    // Of a chat without messages: when it was created. As in the indexes on it.
    latestMessageAt: { type: 'time', sql: 'coalesce(c.latest_message_at, c.created_at)' },
    createdAt: { type: 'time', sql: 'c.created_at' },
    updatedAt: { type: 'time', sql: 'c.updated_at' },
    labelIds: {
      type: 'list',
      sql: 'array(select cl.label_id from contact_labels cl where cl.contact_id = c.contact_id)',
      valueTable: {
        from: 'contact_labels cl join visible_chats lc on lc.contact_id = cl.contact_id',
        resourceId: 'lc.id',
        column: 'cl.label_id',
        isSingleTenant: true,
      },
    },
  },
  names: [CONTACT_TEXT],
  hasPhoneNumbers: true,
  id: 'c.id',
};

/** Selects ids only: contact and latest message are read for the rows of the page, not for those before it. */
export const chatSource: SearchSource = {
  select: 'c.id',
  selectsOnlyId: true,
  from: 'visible_chats c',
  tenantColumn: 'c.tenant_id',
  countCap: 10_000,
  fromForNames:
    'visible_chats c left join visible_contacts p on p.id = c.contact_id and p.tenant_id = c.tenant_id',
  // Contacts are joined to check a name, which takes longer than sorting a few thousand chats.
  window: 5_000,
  orderIndexes: [
    { where: [], sort: 'latestMessageAt' },
    { where: [], sort: 'updatedAt' },
    { where: ['eq(status)'], sort: 'latestMessageAt' },
    { where: ['eq(status)'], sort: 'updatedAt' },
    { where: ['eq(status)', 'eq(assignedUserId)'], sort: 'latestMessageAt' },
    { where: ['eq(status)', 'isNull(assignedUserId)'], sort: 'latestMessageAt' },
    { where: ['eq(status)', 'not(isNull(waitingSince))'], sort: 'waitingSince', hasNoNulls: true },
    { where: ['eq(status,"snoozed")'], sort: 'snoozedUntil', hasNoNulls: true },
  ],
  inChannels: (ids) => `c.channel_id = any (${ids})`,
};
