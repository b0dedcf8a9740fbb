import { messageTypes } from '../providers/kinds.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { authorTypes } from '../users/author.ts';
import { OWN_COLUMNS } from './message.ts';
import { messageStatuses, senders } from './schema.ts';

/** Counting reads every matching row, and there can be any number of messages. */
export const COUNT_CAP = 10_000;

export const messageFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'm.id' },
    chatId: { type: 'uuid', sql: 'm.chat_id' },
    channelId: { type: 'uuid', sql: 'm.channel_id' },
    contactId: { type: 'uuid', sql: 'm.contact_id' },
    vendorId: { type: 'string', sql: 'm.vendor_id', nullable: true },
    sender: { type: 'enum', sql: 'm.sender', values: senders },
    authorType: { type: 'enum', sql: 'm.author', values: authorTypes },
    authorId: {
      type: 'uuid',
      sql: `case when m.author = 'contact' then m.contact_id else m.author_id end`,
      nullable: true,
    },
    isAutomatic: { type: 'boolean', sql: 'm.is_automatic' },
    campaignId: { type: 'uuid', sql: 'm.campaign_id', nullable: true },
    type: { type: 'enum', sql: 'm.type', values: messageTypes },
    status: { type: 'enum', sql: 'm.status', values: messageStatuses },
    text: { type: 'string', sql: 'm.text', nullable: true, isLong: true },
    timestamp: { type: 'time', sql: 'm.timestamp' },
    createdAt: { type: 'time', sql: 'm.created_at' },
    updatedAt: { type: 'time', sql: 'm.updated_at' },
  },
  names: ['m.text'],
  id: 'm.id',
};

/** All messages of the tenant. */
export const messageSource: SearchSource = {
  select: OWN_COLUMNS,
  from: 'visible_messages m',
  tenantColumn: 'm.tenant_id',
  countCap: COUNT_CAP,
  stops: { within: ['chatId', 'contactId', 'channelId'], unless: ['id', 'campaignId'] },
  inChannels: (ids) => `m.channel_id = any (${ids})`,
};

/** Those of a chat that was found, and so is not being deleted. */
export const chatMessageSource = (chatId: string): SearchSource => ({
  ...messageSource,
  needsNoView: true,
  appendOnlyKey: chatId,
  where: (bind) => `m.chat_id = ${bind(chatId)}::uuid`,
});
