import type { Route } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { auditFields, auditSource, presentEntry } from './audit-entry.ts';
import { exampleAuditEntry } from './example.ts';
import { AuditEntry } from './schema.ts';

export const auditRoutes = (): Route[] => [
  searchRoute({
    path: '/v3/audit_entries/search',
    operationId: 'searchAuditEntries',
    tag: 'Audit log',
    noun: 'entries of the audit log',
    access: 'audit:read',
    searchable: auditFields,
    source: auditSource,
    schema: AuditEntry,
    present: presentEntry,
    example: { query: 'eq(operation,"assignChat")', item: exampleAuditEntry },
  }),
];
