import { describe, expect, it } from 'vitest';
import { dataOf, eventually } from './client.ts';
import * as make from './fixtures.ts';
import { useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
const tenant = await server.tenant();
const chat = await make.chat(tenant);
const created = async (path: string, body: object) => dataOf(await tenant.post(path, body));

/** Creates one of each searched resource. Returns the paths of the searches, each with the fields it documents. */
async function createOfEach(): Promise<Record<string, string[]>> {
  const user = await created('/v3/users', { name: 'Ada', email: 'ada@example.com', role: 'agent' });
  await created('/v3/teams', { name: 'Support', userIds: [user.id] });
  await created('/v3/segments', { name: 'Customers', query: 'eq(isSubscribed,true)' });
  await created('/v3/views', { name: 'Open', query: 'eq(status,"open")', sortBy: 'asc(waitingSince)' });
  await created('/v3/saved_replies', { shortcut: 'hours', text: 'We are open from nine to five.' });
  await created(`/v3/chats/${chat.id}/notes`, { text: 'Asked twice' });
  const { jobId } = await created('/v3/chats/bulk', { ids: [chat.id], action: { type: 'read' } });
  await make.label(tenant);
  await make.attribute(tenant);
  const { id: templateId } = await make.template(tenant, chat.channelId);
  const { id: fileId } = await make.file(tenant, 'Phone\n+12025550999\n', 'customers.csv');
  const started = await created('/v3/imports', { fileId, mapping: { Phone: 'phoneNumber' } });
  await eventually('end of the import', async () => {
    const { status } = dataOf(await tenant.get(`/v3/imports/${started.id}`));
    return status === 'completed' ? status : undefined;
  });
  await eventually('end of the bulk action', async () => {
    const { status } = dataOf(await tenant.get(`/v3/jobs/${jobId}`));
    return status === 'completed' ? status : undefined;
  });
  await eventually('approval of the template', async () => {
    const { status } = dataOf(await tenant.get(`/v3/message_templates/${templateId}`));
    return status === 'approved' ? status : undefined;
  });
  return {
    tokens: ['name', 'expiresAt'],
    users: ['name', 'email', 'role', 'access'],
    teams: ['name'],
    channels: ['kind', 'provider', 'name', 'address', 'optOutConfirmation'],
    labels: ['name', 'color'],
    attributes: [
      ...['name', 'externalId', 'type', 'description'],
      ...['isVisibleQuickEdit', 'isVisibleContactsTable', 'isVisibleContactCreate'],
    ],
    message_templates: ['channelId', 'name', 'language', 'category', 'status', 'body', 'footer'],
    files: ['filename', 'mimeType', 'size', 'sha256', 'isPrivate'],
    segments: ['name', 'query'],
    views: ['name', 'query', 'sortBy', 'isShared'],
    saved_replies: ['shortcut', 'text'],
    [`chats/${chat.id}/notes`]: ['chatId', 'channelId', 'contactId', 'text'],
    imports: [
      ...['fileId', 'filename', 'status', 'dryRun', 'onExisting', 'defaultCountry', 'encoding', 'delimiter'],
      ...['triggerAutomations', 'total', 'created', 'updated', 'skipped', 'failed'],
    ],
    jobs: ['kind', 'status', 'done', 'total', 'failed'],
    messages: [
      ...['chatId', 'channelId', 'contactId', 'vendorId', 'sender', 'type', 'status', 'text', 'timestamp'],
      'isAutomatic',
    ],
    chats: [
      ...['status', 'channelId', 'contactId', 'assignedUserId', 'assignedTeamId', 'isUnread', 'unreadCount'],
      ...['openUntil', 'waitingSince', 'firstRespondedAt', 'closedAt', 'snoozedUntil', 'isAutomationPaused'],
    ],
    contacts: ['firstName', 'lastName', 'fullName', 'phoneNumber', 'email', 'isSubscribed'],
  };
}

describe('POST /v3/…/search', async () => {
  for (const [resource, fields] of Object.entries(await createOfEach()))
    it(`finds and sorts ${resource.replace(chat.id, '…')} by their own fields`, async () => {
      const search = async (body: object) => dataOf(await tenant.post(`/v3/${resource}/search`, body));
      const [item] = await search({});
      for (const name of ['id', 'createdAt', 'updatedAt', ...fields]) {
        expect(item, name).toHaveProperty(name);
        const query = item[name] === null ? `isNull(${name})` : `eq(${name},${JSON.stringify(item[name])})`;
        expect(await search({ query }), query).toContainEqual(item);
        for (const direction of ['asc', 'desc'])
          expect(await search({ sortBy: `${direction}(${name})` })).toContainEqual(item);
      }
    });
});
