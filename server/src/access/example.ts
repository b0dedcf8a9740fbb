export const exampleToken = {
  id: '019a82a0-0000-7000-8000-000000000001',
  name: 'Shop backend',
  scopes: ['chats:read', 'messages:write'],
  expiresAt: '2027-02-13T01:02:03.456Z',
  lastUsedAt: null,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
export const exampleCreated = { ...exampleToken, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…' };
export const exampleTenant = {
  id: '019a82a0-0000-7000-8000-000000000002',
  name: 'Example Ltd',
  plan: 'growth',
  rateLimit: null,
  limits: {},
  isTest: false,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
