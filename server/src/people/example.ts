import { roleScopes } from '../users/roles.ts';
import type { AuditEntry, LinkInfo, OwnSession, PersonLink, SessionInfo } from './schema.ts';

const USER_ID = '019a82a0-0000-7000-8000-000000000060';

export const exampleSession: SessionInfo = {
  id: '019a82a0-0000-7000-8000-000000000080',
  expiresAt: '2026-12-15T01:02:03.456Z',
  person: {
    id: '019a82a0-0000-7000-8000-000000000081',
    email: 'grace@example.com',
    name: 'Grace Hopper',
    isOperator: false,
    hasPassword: true,
    hasTotp: false,
  },
  memberships: [
    {
      tenantId: '019a82a0-0000-7000-8000-000000000002',
      tenantName: 'Example Ltd',
      userId: USER_ID,
      name: 'Grace Hopper',
      role: 'agent',
      scopes: [...roleScopes.agent],
      channelIds: null,
    },
  ],
};

export const exampleOwnSession: OwnSession = {
  id: exampleSession.id,
  isCurrent: true,
  address: '203.0.113.7',
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  createdAt: '2026-11-15T01:02:03.456Z',
  lastSeenAt: '2026-11-15T01:02:03.456Z',
  expiresAt: exampleSession.expiresAt,
};

export const exampleLink: PersonLink = {
  url: 'https://parley.example.com/console/welcome#kq0Zk1…',
  expiresAt: '2026-11-22T01:02:03.456Z',
  isMailed: false,
};

export const exampleLinkInfo: LinkInfo = {
  kind: 'invitation',
  email: exampleSession.person.email,
  name: exampleSession.person.name,
  tenantName: 'Example Ltd',
  hasAccount: false,
  hasTotp: false,
  createsTenant: false,
};

export const exampleAuditEntry: AuditEntry = {
  id: '019a82a0-0000-7000-8000-000000000085',
  actor: { type: 'user', id: USER_ID, name: 'Grace Hopper' },
  operation: 'assignChat',
  targetId: '019a82a0-0000-7000-8000-000000000010',
  changes: { userId: USER_ID },
  address: '203.0.113.7',
  requestId: 'req_019a82a0-0000-7000-8000-000000000099',
  createdAt: '2026-11-15T01:02:03.456Z',
};
