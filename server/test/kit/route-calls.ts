import type { Route } from '../../src/http/route.ts';
import { form, upload } from './files.ts';
import { storeInbound } from './inbound.ts';
import { type CallOptions, OPERATOR_TOKEN, type TestServer, type TestTenant } from './server.ts';

/** A tenant with one of everything that a path can name. */
export interface Furnished {
  tenant: TestTenant;
  ids: Record<string, string>;
  /** Instead of those above, on paths that begin so. */
  idsAt: Record<string, Record<string, string>>;
}

/**
 * Makes a tenant with one of everything, a test tenant if the route is for those. A new path parameter must be added
 * here, or the walk over the routes fails.
 */
export async function furnish(server: TestServer, route?: Route): Promise<Furnished> {
  const tenant = await server.tenant({ isTest: route?.spec.operationId === 'advanceClock' });
  const channel = await tenant.channel();
  const made = async (path: string, body: unknown): Promise<string> =>
    (await tenant.post(path, body)).body.data.id;
  const team = async () => {
    const userId = await made('/v3/users', { name: 'Spare', email: 'spare@example.com', role: 'agent' });
    return { userId, teamId: await made('/v3/teams', { name: 'Furniture', userIds: [userId] }) };
  };
  const file = async () => {
    const fileId: string = (await upload(tenant, 'hello\n', 'hello.txt')).body.data.id;
    const { publicUrl } = (await tenant.get(`/v3/files/${fileId}/public_url`)).body.data;
    const [publicToken, name] = publicUrl.split('/').slice(-2);
    return { fileId, publicToken, name };
  };
  const [tokenId, labelId, attributeId, messageTemplateId, people, content] = await Promise.all([
    made('/v3/tokens', { name: 'spare', scopes: ['*'] }),
    made('/v3/labels', { name: 'Furniture' }),
    made('/v3/attributes', { name: 'Furniture', externalId: 'furniture' }),
    made('/v3/message_templates', {
      channelId: channel.id,
      name: 'furniture',
      language: 'en',
      body: 'Hello {{name}}',
    }),
    team(),
    file(),
  ]);
  // Nobody listens there: the delivery fails, and is there to be read. Subscribed last, so that they are few.
  const hook = await tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{}] });
  const v2Hook = await tenant.post('/v2/api_webhooks', {
    tenantId: tenant.id,
    type: 'WHATSAPP_MESSAGE_RECEIVED',
    url: 'http://127.0.0.1:9/',
  });
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
  const [requestId] = await storeInbound(server.system.db, tenant.id, channel.id, [Buffer.from('no JSON')]);
  await server.system.db.query(`update inbound set due_at = null, error = 'no JSON' where id = $1`, [
    requestId,
  ]);
  const messages = await tenant.post('/v3/messages/search', {});
  // As if its ten attempts were over: only what has ended can be sent again.
  await server.system.db.query(
    `update deliveries set status = 'failed', due_at = null where tenant_id = $1`,
    [tenant.id],
  );
  const deliveries = await tenant.post(`/v3/api_webhooks/${hook.body.data.id}/deliveries/search`, {});
  const { rows } = await server.system.db.query('select id, contact_id from chats where tenant_id = $1', [
    tenant.id,
  ]);
  const automation = await tenant.post('/v3/automations', {
    name: 'Furniture',
    trigger: { type: 'api' },
    steps: [{ id: 'end', type: 'end' }],
  });
  const automationId = automation.body.data.id as string;
  await tenant.post(`/v3/automations/${automationId}/publish`);
  const runOf = async (): Promise<string> => {
    const body = { contactId: rows[0]?.contact_id };
    const { headers } = await tenant.post(`/v3/automations/${automationId}/trigger`, body);
    return headers['x-automation-run-id'] as string;
  };
  const [runId, failedRunId] = [await runOf(), await runOf()];
  await server.system.db.query(
    `update automation_runs set status = 'failed', due_at = null, step = 'end', started_at = created_at where id = $1`,
    [failedRunId],
  );
  const campaignId = await made('/v3/campaigns', {
    channelId: channel.id,
    name: 'Furniture',
    automationId,
    scheduledAt: '2027-01-02T09:00:00Z',
    contacts: [{ phoneNumber: '+15550001111' }],
  });
  return {
    tenant,
    ids: {
      tenantId: tenant.id,
      channelId: channel.id,
      requestId: requestId as string,
      webhookId: hook.body.data.id,
      tokenId,
      deliveryId: deliveries.body.data[0].id,
      chatId: rows[0]?.id as string,
      contactId: rows[0]?.contact_id as string,
      labelId,
      attributeId,
      ...people,
      messageTemplateId,
      messageId: messages.body.data[0].id,
      ...content,
      automationId,
      campaignId,
      versionId: automation.body.data.latestVersionId,
      runId,
    },
    idsAt: {
      '/v2/': { webhookId: v2Hook.body.data.id },
      '/v3/automation_runs/:runId/retry': { runId: failedRunId },
    },
  };
}

export const paramsOf = ({ spec }: Route): string[] =>
  [...spec.path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);

/** The path with ids put in, each given once or one for all. */
export const pathOf = ({ spec }: Route, idOf: (name: string) => string): string =>
  spec.path.replaceAll(/:([^/]+)/g, (_, name: string) => idOf(name));

/** The tenant's own ids, as the route's path needs them. */
export const idsFor = ({ spec }: Route, { ids, idsAt }: Furnished): Record<string, string> =>
  Object.assign(
    {},
    ids,
    ...Object.keys(idsAt).map((path) => (spec.path.startsWith(path) ? idsAt[path] : {})),
  );

/** A token that may call the route. */
export const tokenFor = ({ spec }: Route, tenant: TestTenant): string =>
  spec.access === 'operator' ? OPERATOR_TOKEN : tenant.token;

/** Which of the tenant's things an id in an example stands for. */
const EXAMPLES = {
  '019a82a0-0000-7000-8000-000000000002': 'tenantId',
  '019a82a0-0000-7000-8000-000000000011': 'contactId',
  '019a82a0-0000-7000-8000-000000000020': 'channelId',
  '019a82a0-0000-7000-8000-000000000040': 'labelId',
  '019a82a0-0000-7000-8000-000000000050': 'attributeId',
  '019a82a0-0000-7000-8000-000000000060': 'userId',
  '019a82a0-0000-7000-8000-000000000061': 'teamId',
  '019a82a0-0000-7000-8000-000000000070': 'automationId',
  '019a82a0-0000-7000-8000-000000000071': 'versionId',
};

/** The example of a body, with its ids replaced by those of the tenant: what a good call would send. */
export function bodyFor({ spec }: Route, { ids }: Furnished): unknown {
  if (spec.example.body === undefined) return undefined;
  let text = JSON.stringify(spec.example.body);
  for (const [example, name] of Object.entries(EXAMPLES))
    text = text.replaceAll(example, ids[name] as string);
  return JSON.parse(text);
}

/** The example of a body, or of a file, as it goes over the wire. */
export const payloadFor = (route: Route, furnished: Furnished): CallOptions => {
  const { file } = route.spec.example;
  return file
    ? form({ content: file.content, filename: file.filename })
    : { body: bodyFor(route, furnished) };
};
