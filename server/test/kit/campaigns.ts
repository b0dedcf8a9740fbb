import type { TestServer, TestTenant } from './server.ts';

export interface AutomationOptions {
  variables?: object[];
  steps?: object[];
  publish?: boolean;
}

/** Creates an automation, published by default, and returns its id. */
export async function automationOf(
  tenant: TestTenant,
  { variables = [], steps = [{ id: 'end', type: 'end' }], publish = true }: AutomationOptions = {},
): Promise<string> {
  const made = await tenant.post('/v3/automations', {
    name: 'Campaign',
    trigger: { type: 'campaign' },
    variables,
    steps,
  });
  const { id } = made.body.data;
  if (publish) await tenant.post(`/v3/automations/${id}/publish`);
  return id;
}

/** A channel and an automation: what every campaign needs. The channel can send text to contacts who never wrote. */
export async function groundFor(
  tenant: TestTenant,
  { kind = 'sms', ...options }: AutomationOptions & { kind?: string } = {},
): Promise<{ channelId: string; automationId: string }> {
  const { id: channelId } = await tenant.channel(kind);
  return { channelId, automationId: await automationOf(tenant, options) };
}

/** So many contacts with different phone numbers. */
export const testContacts = (count: number, from = 0): { phoneNumber: string; firstName: string }[] =>
  Array.from({ length: count }, (_, index) => ({
    phoneNumber: `+1555${String(2_000_000 + from + index)}`,
    firstName: `N${from + index}`,
  }));

/** A campaign's steps with a variable that must be given, and the value that is given. */
export const HELLO = [
  {
    id: 'hello',
    type: 'send_message',
    parameters: { text: 'Hello {{ contact.firstName | upcase }}, {{ variables.discount }} % off' },
  },
];
export const VARIABLES = [{ name: 'discount', type: 'number', required: true }];
export const discount = [{ name: 'discount', value: '20' }];

/** How many rows the tenant has in each table that a campaign writes. */
export async function countCampaignRows(
  { system }: TestServer,
  { id }: TestTenant,
): Promise<Record<string, number>> {
  const tables = [
    'campaigns',
    'recipients',
    'contacts',
    'handles',
    'chats',
    'messages',
    'automation_runs',
    'events',
    'labels',
  ];
  const counts = tables.map(
    (table) => `(select count(*)::int from ${table} where tenant_id = $1) as ${table}`,
  );
  return (await system.db.query(`select ${counts.join(', ')}`, [id])).rows[0] as Record<string, number>;
}
