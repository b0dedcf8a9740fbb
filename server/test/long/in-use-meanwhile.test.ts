import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { upload } from '../kit/files.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { approvedTemplate } from '../kit/sending.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
/** Holds what requests need, so that they wait where the test wants them to. */
const holder = await usePgClient(server.databaseUrl);
let tenant: TestTenant;
const ids: Record<string, string> = {};

const made = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  expect([path, answer.status, answer.body.error?.invalidParams]).toEqual([path, 200, undefined]);
  return answer.body.data.id;
};
beforeEach(async () => {
  tenant = await server.tenant();
  ids.channel = (await tenant.channel('sms')).id;
  ids.label = await made('/v3/labels', { name: 'VIP' });
  ids.attribute = await made('/v3/attributes', { name: 'City', externalId: 'city' });
  ids.team = await made('/v3/teams', { name: 'Support' });
  ids.user = await made('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
  ids.template = await approvedTemplate(server, tenant, { channelId: ids.channel });
  ids.file = (await upload(tenant, 'price list', 'prices.txt')).body.data.id;
  ids.segment = await made('/v3/segments', { name: 'VIPs', query: 'isNull(email)' });
  ids.secret = (await tenant.put('/v3/secrets/crmKey', { value: 'x' })).body.data.id;
});

const paths: Record<string, () => string> = {
  label: () => `/v3/labels/${ids.label}`,
  attribute: () => `/v3/attributes/${ids.attribute}`,
  team: () => `/v3/teams/${ids.team}`,
  user: () => `/v3/users/${ids.user}`,
  template: () => `/v3/message_templates/${ids.template}`,
  file: () => `/v3/files/${ids.file}`,
  secret: () => '/v3/secrets/crmKey',
  segment: () => `/v3/segments/${ids.segment}`,
  channel: () => `/v3/channels/${ids.channel}`,
  automation: () => `/v3/automations/${ids.automation}`,
};
const tables: Record<string, string> = {
  label: 'labels',
  attribute: 'attributes',
  team: 'teams',
  user: 'users',
  template: 'message_templates',
  file: 'files',
  secret: 'automation_secrets',
  automation: 'automations',
};
const remove = (kind: string) => tenant.delete((paths[kind] as () => string)());

/** Waits until a statement with this text waits for a lock. */
const untilWaiting = (text: string): Promise<void> =>
  until(async () => {
    const { rows } = await server.system.db.query(
      `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
      [text],
    );
    return rows.length === 1;
  });

/** Starts a request that stores something in a table, then a deletion, and lets both go on when both wait. */
async function deleteMeanwhile(
  table: string,
  request: () => Promise<Answer>,
  kind: string,
): Promise<[stored: Answer, deleted: Answer]> {
  await holder.query('begin');
  try {
    await holder.query(`lock table ${table} in share mode`);
    const storing = request();
    await untilWaiting(table);
    const deleting = remove(kind);
    await untilWaiting('for update');
    await holder.query('rollback');
    return [await storing, await deleting];
  } finally {
    await holder.query('rollback');
  }
}

/** Deletes something, and starts a request before the deletion is committed. */
async function afterDeletionOf(kind: string, request: () => Promise<Answer>): Promise<Answer> {
  await holder.query('begin');
  try {
    await holder.query(`delete from ${tables[kind]} where id = $1`, [ids[kind]]);
    const storing = request();
    await untilWaiting('for key share');
    await holder.query('commit');
    return await storing;
  } finally {
    await holder.query('rollback');
  }
}

const uses: [kind: string, type: string, parameters: () => object][] = [
  ['label', 'add_label', () => ({ labelId: ids.label })],
  ['attribute', 'set_attribute', () => ({ externalId: 'city', value: 'Paris' })],
  ['team', 'assign', () => ({ teamId: ids.team })],
  ['user', 'assign', () => ({ userId: ids.user })],
  ['template', 'send_template', () => ({ templateId: ids.template })],
  ['file', 'send_message', () => ({ media: { fileId: ids.file } })],
  [
    'secret',
    'http_request',
    () => ({ method: 'POST', url: 'https://example.com/', body: '{{ secrets.crmKey }}' }),
  ],
];

describe('an automation that is published', () => {
  const draftOf = (type: string, parameters: object): Promise<string> =>
    automationOf(tenant, { name: 'Welcome', steps: [{ id: 'one', type, parameters }] }, { published: false });
  const publish = (id: string) => () => tenant.post(`/v3/automations/${id}/publish`);

  it.each(
    uses,
  )('keeps what somebody wants to delete at this moment: a %s', async (kind, type, parameters) => {
    const id = await draftOf(type, parameters());
    const [published, deleted] = await deleteMeanwhile('automation_activations', publish(id), kind);
    expect(published.status).toBe(200);
    expect([deleted.status, deleted.body.error?.message]).toEqual([409, expect.stringContaining(id)]);
  });

  it.each(uses)('is refused if it has just been deleted: a %s', async (kind, type, parameters) => {
    const id = await draftOf(type, parameters());
    const published = await afterDeletionOf(kind, publish(id));
    expect([published.status, published.body.error?.message]).toEqual([
      409,
      expect.stringContaining('change the automation first'),
    ]);
  });
});

describe('a filter of contacts that is stored', () => {
  const audienceOf = (kind: string): string =>
    kind === 'segment' ? `segment("${ids.segment}")` : `contains(labelIds,"${ids.label}")`;

  it.each(['label', 'segment'])('keeps what a schedule names when it is published: a %s', async (kind) => {
    const id = await automationOf(
      tenant,
      {
        name: 'Weekly',
        trigger: {
          type: 'schedule',
          parameters: { rrule: 'FREQ=WEEKLY', channelId: ids.channel, audience: audienceOf(kind) },
        },
        steps: [{ id: 'one', type: 'send_message', parameters: { text: 'Hello' } }],
      },
      { published: false },
    );
    const publish = () => tenant.post(`/v3/automations/${id}/publish`);
    const [published, deleted] = await deleteMeanwhile('automation_activations', publish, kind);
    expect(published.status).toBe(200);
    expect([deleted.status, deleted.body.error?.message]).toEqual([409, expect.stringContaining(id)]);
  });

  it.each(['label', 'segment'])('keeps what another segment names: a %s', async (kind) => {
    const store = () => tenant.post('/v3/segments', { name: 'More', query: audienceOf(kind) });
    const [stored, deleted] = await deleteMeanwhile('segments', store, kind);
    expect(stored.status).toBe(200);
    expect([deleted.status, deleted.body.error?.message]).toEqual([
      409,
      expect.stringContaining(stored.body.data.id),
    ]);
  });
});

describe('a campaign that is planned', () => {
  const campaign = () => ({
    channelId: ids.channel,
    name: 'Sale',
    automationId: ids.automation,
    messageTemplateId: ids.template,
    contacts: [{ phoneNumber: '+15550001111' }],
    scheduledAt: '2027-01-02T09:00:00Z',
  });
  const withAudience = () => ({ ...campaign(), audience: `contains(labelIds,"${ids.label}")` });
  const create = () => tenant.post('/v3/campaigns', withAudience());
  beforeEach(async () => {
    // It uses nothing that is deleted here: only the campaign does.
    const steps = [{ id: 'send', type: 'send_message', parameters: { text: 'Sale' } }];
    ids.automation = await automationOf(tenant, { name: 'Sender', steps });
  });

  it.each([
    'label',
    'template',
    'automation',
  ])('keeps what somebody wants to delete at this moment: a %s', async (kind) => {
    const [stored, deleted] = await deleteMeanwhile('campaigns', create, kind);
    expect(stored.status).toBe(200);
    expect([deleted.status, deleted.body.error?.message]).toEqual([
      409,
      expect.stringContaining(stored.body.data.id),
    ]);
  });

  it.each(['label', 'template', 'automation'])('does so when a draft starts: a %s', async (kind) => {
    const { contacts: _, ...draft } = campaign();
    const id = await made('/v3/campaigns', draft);
    const audience = `contains(labelIds,"${ids.label}")`;
    await tenant.put(`/v3/campaigns/${id}`, { audience });
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data).toMatchObject({ status: 'draft', audience });
    const start = () => tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' });
    const [started, deleted] = await deleteMeanwhile('campaigns', start, kind);
    expect([started.status, started.body.data.status]).toEqual([200, 'scheduled']);
    expect([deleted.status, deleted.body.error?.message]).toEqual([409, expect.stringContaining(id)]);
  });

  it('refuses the deletion of its channel without locking it: results of sends refer to it', async () => {
    const { id } = (await create()).body.data;
    await holder.query('begin');
    try {
      await holder.query('select 1 from channels where id = $1 for key share', [ids.channel]);
      const deleted = await remove('channel');
      expect([deleted.status, deleted.body.error?.message]).toEqual([409, expect.stringContaining(id)]);
    } finally {
      await holder.query('rollback');
    }
  });

  it.each([
    ['template', 'messageTemplateId'],
    ['automation', 'automationId'],
  ])('is refused if it has just been deleted: a %s', async (kind, path) => {
    const refused = await afterDeletionOf(kind, create);
    expect([refused.status, Object.keys(refused.body.error.invalidParams)]).toEqual([400, [path]]);
  });
});
