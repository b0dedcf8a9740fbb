import { type Scope, scopes } from '../http/permissions.ts';

/** What people may be in a tenant, the one with the most rights first. */
export const userRoles = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof userRoles)[number];

const isRead = (scope: Scope): boolean => scope.endsWith(':read');
/** Read by those who manage the tenant. The audit log shows the addresses of colleagues. */
const MANAGED: ReadonlySet<Scope> = new Set<Scope>(['tokens:read', 'webhooks:read', 'audit:read']);

/** The scopes of each role: the same as those of tokens, so that a route says once what it requires. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  // Also the only one who manages owners and the tenant.
  owner: ['*'],
  admin: scopes.filter((scope) => scope !== '*' && scope !== 'tenant:write'),
  agent: [
    'chats:read',
    'chats:write',
    'contacts:read',
    'contacts:write',
    'messages:read',
    'messages:write',
    'files:read',
    'files:write',
    'channels:read',
    'templates:read',
    'attributes:read',
    'users:read',
    'events:read',
    'automations:read',
    'automations:trigger',
    'campaigns:read',
    'reports:read',
    'tenant:read',
  ],
  viewer: scopes.filter((scope) => isRead(scope) && !MANAGED.has(scope)),
};

/** Owners and admins see everything that they manage: the channels of teams restrict agents and viewers only. */
export const isAdmin = (role: Role): boolean => role === 'owner' || role === 'admin';
