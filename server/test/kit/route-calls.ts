import { newId } from '../../src/base/ids.ts';
import type { Route } from '../../src/http/route.ts';
import { form, upload } from './files.ts';
import { uploadTable } from './imports.ts';
import { storeInbound } from './inbound.ts';
import { OWN_PAGE, type TestPerson, usePerson } from './people.ts';
import { type CallOptions, OPERATOR_TOKEN, type TestServer, type TestTenant } from './server.ts';
import { sessionBodyFor } from './session-calls.ts';

/** A tenant with one resource for each path parameter. */
export interface Fixtures {
  tenant: TestTenant;
  ids: Record<string, string>;
  /** By the beginning of a path: ids that replace those above. */
  idsAt: Record<string, Record<string, string>>;
  /** Somebody who has logged in, for the routes about that. */
  person?: TestPerson;
  /** The body of a route about the own account, which depends on its state. */
  sessionBody?: unknown;
}

/** The names of the ids in the path or the body of a route. */
function mentionedBy(route: Route): Set<string> {
  const body = JSON.stringify(route.spec.example.body ?? null);
  const inBody = Object.entries(EXAMPLES).filter(([example]) => body.includes(example));
  return new Set([...paramsOf(route), ...inBody.map(([, name]) => name)]);
}

/**
 * Creates a tenant with one of every resource, or of those that a route needs. It is a test tenant if the route is for those.
 * A new path parameter must be added here, or the tests of all routes fail.
 */
export async function createFixtures(server: TestServer, route?: Route): Promise<Fixtures> {
  const tenant = await server.tenant({ isTest: route?.spec.operationId === 'advanceClock' });
  const channel = await tenant.channel();
  const wanted = route && mentionedBy(route);
  const wants = (...ids: string[]): boolean => wanted === undefined || ids.some((id) => wanted.has(id));
  const ids: Record<string, string> = { tenantId: tenant.id, channelId: channel.id };
  const idsAt: Fixtures['idsAt'] = {};
  const made = async (path: string, body: unknown): Promise<string> =>
    (await tenant.post(path, body)).body.data.id;

  async function makeThings(): Promise<void> {
    if (wants('tokenId')) ids.tokenId = await made('/v3/tokens', { name: 'spare', scopes: ['*'] });
    if (wants('labelId')) ids.labelId = await made('/v3/labels', { name: 'Fixture' });
    if (wants('fromContactId')) ids.fromContactId = await made('/v3/contacts', { firstName: 'Other' });
    if (wants('viewId'))
      ids.viewId = await made('/v3/views', { name: 'Fixture', query: 'eq(status,"open")' });
    if (wants('segmentId'))
      ids.segmentId = await made('/v3/segments', { name: 'Fixture', query: 'eq(isSubscribed,true)' });
    if (wants('tableId', 'importId'))
      ids.tableId = await uploadTable(tenant, 'Name;Phone;Notes\nAda;+15550001111;\n');
    if (wants('importId'))
      ids.importId = await made('/v3/imports', { fileId: ids.tableId, mapping: { Phone: 'phoneNumber' } });
    if (wants('savedReplyId'))
      ids.savedReplyId = await made('/v3/saved_replies', {
        shortcut: 'fixture',
        text: 'Hello',
        channelIds: [ids.channelId],
      });
    if (wants('secretName')) {
      ids.secretName = `of_${tenant.id.replaceAll('-', '_')}`;
      await tenant.put(`/v3/secrets/${ids.secretName}`, { value: 'hidden' });
    }
    if (wants('attributeId'))
      ids.attributeId = await made('/v3/attributes', { name: 'Fixture', externalId: 'fixture' });
    if (wants('messageTemplateId'))
      ids.messageTemplateId = await made('/v3/message_templates', {
        channelId: channel.id,
        name: 'fixture',
        language: 'en',
        body: 'Hello {{name}}',
      });
  }
  async function makeTeam(): Promise<void> {
    ids.userId = await made('/v3/users', { name: 'Spare', email: 'spare@example.com', role: 'agent' });
    ids.teamId = await made('/v3/teams', { name: 'Fixture', userIds: [ids.userId] });
    if (!route || route.spec.operationId === 'resetUserPassword') {
      const { userId } = await usePerson(server, tenant, 'agent');
      idsAt['/v3/users/:userId/password_reset'] = { userId };
    }
  }
  async function makeFile(): Promise<void> {
    ids.fileId = (await upload(tenant, 'hello\n', 'hello.txt')).body.data.id as string;
    const { publicUrl } = (await tenant.get(`/v3/files/${ids.fileId}/public_url`)).body.data;
    [ids.publicToken, ids.name] = publicUrl.split('/').slice(-2);
    const signed = server.system.db.forTenant(tenant.id).fileUrl({ id: ids.fileId, filename: 'hello.txt' });
    const [expires = '', signature = ''] = signed.split('/').slice(-3);
    Object.assign(ids, { expires, signature });
  }
  await Promise.all([
    makeThings(),
    wants('userId', 'teamId') && makeTeam(),
    wants('fileId', 'publicToken') && makeFile(),
  ]);
  const OF_CONVERSATION = [
    'webhookId',
    'deliveryId',
    'chatId',
    'contactId',
    'messageId',
    'noteId',
    'requestId',
    'runId',
  ];
  if (wants(...OF_CONVERSATION, 'eventId', 'traceId')) await makeConversation(server, tenant, { ids, idsAt });
  // Only a message whose time has not come can be cancelled.
  if (route?.spec.operationId === 'cancelMessage')
    ids.messageId = await made(`/v3/chats/${ids.chatId}/messages`, {
      text: 'Later',
      scheduledAt: new Date(server.clock.now().getTime() + 3_600_000).toISOString(),
    });
  if (wants('noteId')) ids.noteId = await made(`/v3/chats/${ids.chatId}/notes`, { text: 'Fixture' });
  if (wants('automationId', 'versionId', 'runId', 'campaignId')) {
    const automation = await tenant.post('/v3/automations', {
      name: 'Fixture',
      trigger: { type: 'api' },
      steps: [{ id: 'end', type: 'end' }],
    });
    ids.automationId = automation.body.data.id as string;
    ids.versionId = automation.body.data.latestVersionId;
    await tenant.post(`/v3/automations/${ids.automationId}/publish`);
  }
  if (wants('jobId')) {
    ids.jobId = newId();
    await server.system.db.query(
      `insert into jobs (id, tenant_id, kind, status, subject_id, batch, shard, created_at, updated_at, ended_at, action)
       values ($1, $2, 'change_chats', 'completed', $1, 500, 0, now(), now(), now(), '{"type":"status","status":"closed"}')`,
      [ids.jobId, tenant.id],
    );
  }
  if (wants('runId')) await makeRuns(server, tenant, { ids, idsAt });
  if (wants('campaignId'))
    ids.campaignId = await made('/v3/campaigns', {
      channelId: channel.id,
      name: 'Fixture',
      automationId: ids.automationId,
      scheduledAt: '2027-01-02T09:00:00Z',
      contacts: [{ phoneNumber: '+15550001111' }],
    });
  const fixtures: Fixtures = { tenant, ids, idsAt };
  if (!route || route.kind === 'session' || wants('sessionId')) {
    fixtures.person = await usePerson(server, tenant, 'agent');
    ids.sessionId = (await fixtures.person.get('/v3/session')).body.data.id;
    if (route) fixtures.sessionBody = await sessionBodyFor(route, fixtures.person, tenant);
  }
  return fixtures;
}

/** A received message, a failed delivery of its event, and an inbound request that could not be read. */
async function makeConversation(
  server: TestServer,
  tenant: TestTenant,
  made: Omit<Fixtures, 'tenant'>,
): Promise<void> {
  const { ids } = made;
  const channelId = ids.channelId as string;
  const { db } = server.system;
  // Nothing listens there, so deliveries fail. Subscribed last, so that there are few of them.
  const hook = await tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{}] });
  ids.webhookId = hook.body.data.id as string;
  // Webhooks of version 2 are found through version 2 only, as long as that is served.
  if (server.system.app.routes.some(({ spec }) => spec.path === '/v2/api_webhooks')) {
    const v2Webhook = await tenant.post('/v2/api_webhooks', {
      tenantId: tenant.id,
      type: 'WHATSAPP_MESSAGE_RECEIVED',
      url: 'http://127.0.0.1:9/',
    });
    made.idsAt['/v2/'] = { webhookId: v2Webhook.body.data.id };
  }
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
  ids.requestId = (
    await storeInbound(db.forTenant(tenant.id), channelId, [Buffer.from('no JSON')])
  )[0] as string;
  await db.query(`update inbound set due_at = null, error = 'no JSON' where id = $1`, [ids.requestId]);
  // As after ten attempts: only a delivery that has ended can be retried.
  await db.query(`update deliveries set status = 'failed', due_at = null where tenant_id = $1`, [tenant.id]);
  const firstOf = async (path: string) => (await tenant.post(path, {})).body.data[0];
  const message = await firstOf('/v3/messages/search');
  ids.messageId = message.id;
  ids.chatId = message.chatId;
  ids.contactId = message.contactId;
  const events = await tenant.post('/v3/events/search', { query: 'eq(type,"message.received")' });
  ids.eventId = events.body.data[0].id;
  ids.traceId = events.body.data[0].id;
  ids.deliveryId = (await firstOf(`/v3/api_webhooks/${ids.webhookId}/deliveries/search`)).id;
}

/** A run that has not started, and one that has failed. */
async function makeRuns(
  server: TestServer,
  tenant: TestTenant,
  { ids, idsAt }: Omit<Fixtures, 'tenant'>,
): Promise<void> {
  const begin = async (): Promise<string> => {
    const path = `/v3/automations/${ids.automationId}/trigger`;
    const { headers } = await tenant.post(path, { contactId: ids.contactId });
    return headers['x-automation-run-id'] as string;
  };
  ids.runId = await begin();
  const failedId = await begin();
  await server.system.db.query(
    `update automation_runs set status = 'failed', due_at = null, step = 'end', started_at = created_at where id = $1`,
    [failedId],
  );
  idsAt['/v3/automation_runs/:runId/retry'] = { runId: failedId };
}

export const paramsOf = ({ spec }: Route): string[] =>
  [...spec.path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);

/** The path of a route with ids instead of parameters. */
export const pathOf = ({ spec }: Route, idOf: (name: string) => string): string =>
  spec.path.replaceAll(/:([^/]+)/g, (_, name: string) => idOf(name));

/** The ids of the tenant for the path of the route. */
export const idsFor = ({ spec }: Route, { ids, idsAt }: Fixtures): Record<string, string> =>
  Object.assign(
    {},
    ids,
    ...Object.keys(idsAt).map((path) => (spec.path.startsWith(path) ? idsAt[path] : {})),
  );

/** A token that may call the route; empty where a session is needed. */
export const tokenFor = ({ spec, kind }: Route, tenant: TestTenant): string =>
  spec.access === 'operator' ? OPERATOR_TOKEN : kind === 'session' ? '' : tenant.token;

/** The cookie of the person, where a session is needed. */
export const headersFor = ({ spec }: Route, { person }: Fixtures): Record<string, string> =>
  spec.access === 'session' ? { ...OWN_PAGE, cookie: `__Host-parley=${person?.cookie}` } : {};

/** The parameter that each id of the examples stands for. */
const EXAMPLES = {
  '019a82a0-0000-7000-8000-000000000002': 'tenantId',
  '019a82a0-0000-7000-8000-000000000010': 'chatId',
  '019a82a0-0000-7000-8000-000000000011': 'contactId',
  '019a82a0-0000-7000-8000-000000000020': 'channelId',
  '019a82a0-0000-7000-8000-000000000040': 'labelId',
  '019a82a0-0000-7000-8000-000000000050': 'attributeId',
  '019a82a0-0000-7000-8000-000000000060': 'userId',
  '019a82a0-0000-7000-8000-000000000061': 'teamId',
  '019a82a0-0000-7000-8000-000000000070': 'automationId',
  '019a82a0-0000-7000-8000-000000000071': 'versionId',
  '019a82a0-0000-7000-8000-0000000000f0': 'eventId',
  '019a82a0-0000-7000-8000-000000000075': 'tableId',
  '019a82a0-0000-7000-8000-0000000000f1': 'fromContactId',
};

/** The example of a body with the ids of the tenant, so that the call is valid. */
export function bodyFor({ spec }: Route, { ids, sessionBody }: Fixtures): unknown {
  if (sessionBody !== undefined) return sessionBody;
  if (spec.example.body === undefined) return undefined;
  let text = JSON.stringify(spec.example.body);
  for (const [example, name] of Object.entries(EXAMPLES))
    text = text.replaceAll(example, ids[name] as string);
  return JSON.parse(text);
}

/** The payload of a call: the example of a body, or of a file. */
export const payloadFor = (route: Route, fixtures: Fixtures): CallOptions => {
  const { file } = route.spec.example;
  return file ? form({ content: file.content, filename: file.filename }) : { body: bodyFor(route, fixtures) };
};
