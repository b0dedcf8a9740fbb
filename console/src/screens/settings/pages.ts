import type { ScreenPage } from '../../app/screen-page.ts';

/** The pages of the settings, in the order of their navigation. The first one that a person may see is shown first. */
export const settingsPages: readonly ScreenPage[] = [
  {
    id: 'people',
    title: 'people.title',
    icon: 'people',
    scope: 'users:read',
    load: async () => (await import('./people.tsx')).People,
  },
  {
    id: 'teams',
    title: 'teams.title',
    icon: 'assign',
    scope: 'users:read',
    load: async () => (await import('./teams.tsx')).Teams,
  },
  {
    id: 'hours',
    title: 'hours.title',
    icon: 'clock',
    scope: 'tenant:read',
    load: async () => (await import('./hours.tsx')).Hours,
  },
  {
    id: 'replies',
    title: 'replies.title',
    icon: 'reply',
    scope: 'chats:read',
    load: async () => (await import('./replies.tsx')).Replies,
  },
  {
    id: 'labels',
    title: 'labels.title',
    icon: 'label',
    scope: 'contacts:read',
    load: async () => (await import('./labels.tsx')).Labels,
  },
  {
    id: 'attributes',
    title: 'attributes.title',
    icon: 'attribute',
    scope: 'attributes:read',
    load: async () => (await import('./attributes.tsx')).Attributes,
  },
  {
    id: 'tokens',
    title: 'tokens.title',
    icon: 'key',
    scope: 'tokens:read',
    load: async () => (await import('./tokens.tsx')).Tokens,
  },
  {
    id: 'v2',
    title: 'v2.title',
    icon: 'clock',
    scope: 'tokens:read',
    load: async () => (await import('./v2-usage.tsx')).V2Usage,
  },
  {
    id: 'audit',
    title: 'audit.title',
    icon: 'audit',
    scope: 'audit:read',
    load: async () => (await import('./audit.tsx')).Audit,
  },
  {
    id: 'tenant',
    title: 'tenant.title',
    icon: 'tenant',
    scope: 'tenant:read',
    load: async () => (await import('./tenant.tsx')).Tenant,
  },
  {
    id: 'system',
    title: 'system.title',
    icon: 'system',
    isForOperators: true,
    load: async () => (await import('./system.tsx')).System,
  },
];
