import type { Route } from '../../src/http/route.ts';
import { OPERATOR_TOKEN, type TestServer, type TestTenant } from './server.ts';

/** A tenant with one of everything that a path can name. */
export interface Furnished {
  tenant: TestTenant;
  ids: Record<string, string>;
}

/** Makes a tenant with one of everything. A new path parameter must be added here, or the walk over the routes fails. */
export async function furnish(server: TestServer): Promise<Furnished> {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  // Nobody listens there: the delivery fails, and is there to be read.
  const hook = await tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{}] });
  const token = await tenant.post('/v3/tokens', { name: 'spare', scopes: ['*'] });
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
  const made = async (path: string, body: unknown): Promise<string> =>
    (await tenant.post(path, body)).body.data.id;
  const labelId = await made('/v3/labels', { name: 'Furniture' });
  const attributeId = await made('/v3/attributes', { name: 'Furniture', externalId: 'furniture' });
  const userId = await made('/v3/users', { name: 'Spare', email: 'spare@example.com', role: 'agent' });
  const teamId = await made('/v3/teams', { name: 'Furniture', userIds: [userId] });
  await server.settle();
  // As if its ten attempts were over: only what has ended can be sent again.
  await server.system.db.query(
    `update deliveries set status = 'failed', due_at = null where tenant_id = $1`,
    [tenant.id],
  );
  const deliveries = await tenant.post(`/v3/api_webhooks/${hook.body.data.id}/deliveries/search`, {});
  const { rows } = await server.system.db.query('select id, contact_id from chats where tenant_id = $1', [
    tenant.id,
  ]);
  return {
    tenant,
    ids: {
      tenantId: tenant.id,
      channelId: channel.id,
      webhookId: hook.body.data.id,
      tokenId: token.body.data.id,
      deliveryId: deliveries.body.data[0].id,
      chatId: rows[0]?.id as string,
      contactId: rows[0]?.contact_id as string,
      labelId,
      attributeId,
      userId,
      teamId,
    },
  };
}

export const paramsOf = ({ spec }: Route): string[] =>
  [...spec.path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);

/** The path with ids put in, each given once or one for all. */
export const pathOf = ({ spec }: Route, idOf: (name: string) => string): string =>
  spec.path.replaceAll(/:([^/]+)/g, (_, name: string) => idOf(name));

/** A token that may call the route. */
export const tokenFor = ({ spec }: Route, tenant: TestTenant): string =>
  spec.access === 'operator' ? OPERATOR_TOKEN : tenant.token;

/** Which of the tenant's things an id in an example stands for. */
const EXAMPLES = {
  '019a82a0-0000-7000-8000-000000000020': 'channelId',
  '019a82a0-0000-7000-8000-000000000040': 'labelId',
  '019a82a0-0000-7000-8000-000000000060': 'userId',
  '019a82a0-0000-7000-8000-000000000061': 'teamId',
};

/** The example of a body, with its ids replaced by those of the tenant: what a good call would send. */
export function bodyFor({ spec }: Route, { ids }: Furnished): unknown {
  if (spec.example.body === undefined) return undefined;
  let text = JSON.stringify(spec.example.body);
  for (const [example, name] of Object.entries(EXAMPLES))
    text = text.replaceAll(example, ids[name] as string);
  return JSON.parse(text);
}
