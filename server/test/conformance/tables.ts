import { expect } from 'vitest';
import { TIMESTAMP } from './client.ts';

type Kind = 'string' | 'timestamp' | 'boolean' | 'integer' | 'object' | 'array' | 'anything';
/** Version 3 has `or null`, because every field is always present; version 2 has `or absent`. */
type FieldType = Kind | `${Kind} or null` | `${Kind} or absent`;
export type Table = Record<string, FieldType>;

const times = { createdAt: 'timestamp', updatedAt: 'timestamp' } as const;

export const chat: Table = {
  id: 'string',
  ...times,
  status: 'string',
  isUnread: 'boolean',
  openUntil: 'timestamp or null',
  unreadCount: 'integer',
  channelId: 'string',
  contactId: 'string',
  contact: 'object',
  handleId: 'string',
  handle: 'object',
  latestMessage: 'object or null',
  assignedUserId: 'string or null',
  assignedTeamId: 'string or null',
  isSensitive: 'boolean',
};

export const contact: Table = {
  id: 'string',
  ...times,
  firstName: 'string or null',
  lastName: 'string or null',
  fullName: 'string',
  displayName: 'string',
  isSubscribed: 'boolean',
  handles: 'array',
  labels: 'array',
  attributes: 'array',
  phoneNumber: 'string or null',
  email: 'string or null',
  chats: 'array',
  metadata: 'object',
};

export const handle: Table = {
  id: 'string',
  ...times,
  type: 'string',
  isPrimary: 'boolean',
  value: 'string',
  extra: 'object',
  hasChats: 'boolean',
};

export const message: Table = {
  id: 'string',
  vendorId: 'string or null',
  sender: 'string',
  type: 'string',
  timestamp: 'timestamp',
  text: 'string or null',
};

export const apiWebhook: Table = { id: 'string', url: 'string', status: 'string', events: 'array', ...times };

export const automation: Table = {
  id: 'string',
  ...times,
  name: 'string',
  status: 'string',
  activeVersionId: 'string or null',
  activeVersionTriggerType: 'string or null',
  activeVersionTriggerParametersChannelId: 'string or null',
  latestVersionTriggerType: 'string',
  latestVersionTriggerParametersChannelId: 'string or null',
  latestVersionId: 'string',
};

export const v2ApiWebhook: Table = {
  id: 'string',
  type: 'string',
  url: 'string',
  isActive: 'boolean',
  channelId: 'string or absent',
  ...times,
};

export const v2Attribute: Table = {
  id: 'string',
  name: 'string',
  type: 'string',
  externalId: 'string or absent',
  isVisibleQuickEdit: 'boolean',
  isVisibleContactsTable: 'boolean',
  isVisibleContactCreate: 'boolean',
  description: 'string or absent',
  ...times,
};

export const v2Broadcast: Table = {
  id: 'string',
  name: 'string',
  workflowId: 'string',
  isScheduled: 'boolean',
  isReoccurring: 'boolean',
  scheduledAt: 'timestamp or absent',
  recurrenceRules: 'anything or absent',
  variables: 'anything or absent',
  status: 'string',
  ...times,
};

const isOfKind: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  timestamp: (value) => typeof value === 'string' && TIMESTAMP.test(value),
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  anything: (value) => value !== undefined && value !== null,
};

type Resource = Record<string, unknown>;

const isMissing = (record: Resource, name: string, type: FieldType): boolean =>
  type.endsWith(' or absent') ? !(name in record) : type.endsWith(' or null') && record[name] === null;

/** Checks a field of records against their table. At least one of them must have a value. */
export function expectField(records: Resource[], name: string, type: FieldType): void {
  const values = records.filter((record) => !isMissing(record, name, type)).map((record) => record[name]);
  expect(values.length, `records with ${name}`).toBeGreaterThan(0);
  const [kind] = type.split(' or ') as [Kind];
  for (const value of values) expect(isOfKind[kind](value), `${name}: ${JSON.stringify(value)}`).toBe(true);
}

/** Checks all fields of a record against its table. */
export function expectFits(table: Table, record: Resource): void {
  for (const [name, type] of Object.entries(table))
    if (!isMissing(record, name, type)) expectField([record], name, type);
}
