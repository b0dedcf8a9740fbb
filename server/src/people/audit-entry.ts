import { timestamp } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import type { AuditEntry } from './schema.ts';

interface EntryRow {
  id: string;
  actor_type: AuditEntry['actor']['type'];
  actor_id: string | null;
  actor_name: string;
  operation: string;
  target_id: string | null;
  changes: Record<string, unknown>;
  address: string;
  request_id: string;
  created_at: Date;
}

export const auditFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'a.id' },
    'actor.type': { type: 'enum', sql: 'a.actor_type', values: ['user', 'token', 'operator'] },
    'actor.id': { type: 'uuid', sql: 'a.actor_id', nullable: true },
    operation: { type: 'string', sql: 'a.operation' },
    targetId: { type: 'string', sql: 'a.target_id', nullable: true },
    address: { type: 'string', sql: 'a.address' },
    requestId: { type: 'string', sql: 'a.request_id' },
    createdAt: { type: 'time', sql: 'a.created_at' },
  },
  names: ['a.actor_name', 'a.operation', 'a.target_id'],
  id: 'a.id',
};

export const auditSource: SearchSource = {
  select: `a.id, a.actor_type, a.actor_id, a.actor_name, a.operation, a.target_id, a.changes, a.address, a.request_id,
    a.created_at`,
  from: 'audit_entries a',
  tenantColumn: 'a.tenant_id',
  countCap: 10_000,
};

export const presentEntry = (row: EntryRow): AuditEntry => ({
  id: row.id,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  operation: row.operation,
  targetId: row.target_id,
  changes: row.changes,
  address: row.address,
  requestId: row.request_id,
  createdAt: timestamp(row.created_at),
});
