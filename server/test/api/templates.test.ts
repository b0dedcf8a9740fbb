import { beforeEach, describe, expect, it } from 'vitest';
import { bySequence, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const receiver = await useReceiver();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

let tenant: TestTenant;
let channelId: string;
beforeEach(async () => {
  receiver.received.length = 0;
  tenant = await server.tenant();
  channelId = (await tenant.channel()).id;
});

const good = () => ({ channelId, name: 'order_shipped', language: 'en_US', body: 'Hello {{name}}' });
const make = async (more: object = {}) => tenant.post('/v3/message_templates', { ...good(), ...more });
const path = (id: string) => `/v3/message_templates/${id}`;
const count = async (): Promise<number> =>
  (await tenant.post('/v3/message_templates/search', {})).body.pagination.total;

describe('a message template', () => {
  it('is created with the given fields, and the others have defaults', async () => {
    const made = await make({
      category: 'marketing',
      header: { type: 'text', text: 'For {{name}}' },
      footer: 'Answer STOP',
      buttons: [
        { type: 'quick_reply', text: 'Yes' },
        { type: 'url', text: 'Look', url: 'https://example.com/{{slug}}' },
        { type: 'phone_number', text: 'Call', phoneNumber: '+15550009999' },
      ],
      body: '{{greeting}} {{name}}, {{greeting}}!',
    });
    const { id, createdAt, updatedAt, ...rest } = made.body.data;
    expect(rest).toEqual({
      channelId,
      name: 'order_shipped',
      language: 'en_US',
      category: 'marketing',
      status: 'pending',
      rejectionReason: null,
      problem: null,
      quality: null,
      vendorId: null,
      body: '{{greeting}} {{name}}, {{greeting}}!',
      header: { type: 'text', text: 'For {{name}}', url: null },
      footer: 'Answer STOP',
      buttons: [
        { type: 'quick_reply', text: 'Yes', url: null, phoneNumber: null },
        { type: 'url', text: 'Look', url: 'https://example.com/{{slug}}', phoneNumber: null },
        { type: 'phone_number', text: 'Call', url: null, phoneNumber: '+15550009999' },
      ],
      cards: null,
      offer: null,
      authentication: null,
      // In the order of header, body and buttons.
      variables: ['name', 'greeting', 'slug'],
    });
    expect((await tenant.get(path(id))).body.data).toEqual(made.body.data);
    const plain = await make({ name: 'plain' });
    expect(plain.body.data).toMatchObject({
      category: 'utility',
      header: null,
      footer: null,
      buttons: [],
      variables: ['name'],
    });
  });

  it('is approved immediately if no vendor reviews it, with an event', async () => {
    await tenant.post('/v3/api_webhooks', {
      url: receiver.url,
      events: [{ type: 'template.status_changed' }],
    });
    for (const kind of ['sms', 'email', 'instagram']) {
      const channel = await tenant.channel(kind);
      const { body } = await make({ channelId: channel.id });
      expect(body.data.status).toBe('approved');
      await server.settle();
      expect(receiver.received.at(-1)?.body).toMatchObject({
        type: 'template.status_changed',
        channelId: channel.id,
        data: body.data,
      });
    }
    expect(receiver.received).toHaveLength(3);
  });

  it('changes the given fields, without an event while its status stays', async () => {
    channelId = (await tenant.channel('email')).id;
    const { id } = (await make({ header: { type: 'image', url: 'https://example.com/a.png' }, footer: 'f' }))
      .body.data;
    await server.settle();
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'template.*' }] });
    server.clock.advance(1000);
    const body = await tenant.put(path(id), { body: 'Bye {{who}}', category: 'marketing' });
    expect(body.body.data).toMatchObject({
      name: 'order_shipped',
      category: 'marketing',
      body: 'Bye {{who}}',
      header: { type: 'image', text: null, url: 'https://example.com/a.png' },
      footer: 'f',
      variables: ['who'],
      status: 'approved',
      updatedAt: server.clock.now().toISOString(),
    });
    const bare = await tenant.put(path(id), {
      header: null,
      footer: null,
      channelId: channelId.toUpperCase(),
    });
    expect(bare.body.data).toMatchObject({ header: null, footer: null, body: 'Bye {{who}}' });
    // A template can be sent back as it was returned.
    const same = await tenant.put(path(id), bare.body.data);
    expect(same.body.data).toEqual(bare.body.data);
    await server.settle();
    expect(receiver.received).toEqual([]);
  });

  it('cannot change its channel, and an invalid change changes nothing', async () => {
    const { id } = (await make()).body.data;
    const other = await tenant.channel();
    const { body } = await tenant.put(path(id), { channelId: other.id, body: '{{', footer: 'x'.repeat(61) });
    expect(
      Object.fromEntries(
        Object.entries(body.error.invalidParams).map(([at, one]) => [at, (one as { key: string }).key]),
      ),
    ).toEqual({
      channelId: 'custom',
      body: 'custom',
      footer: 'too_big',
    });
    expect((await tenant.get(path(id))).body.data).toMatchObject({ ...good(), footer: null });
  });

  it('is unique by name and language on its channel', async () => {
    const first = (await make()).body.data;
    const taken = {
      name: { key: 'custom', message: 'The channel already has a template "order_shipped" in en_US' },
    };
    expect((await make()).body.error.invalidParams).toEqual(taken);
    channelId = (await tenant.channel('sms')).id;
    expect((await make()).status).toBe(200);
    const german = (await make({ language: 'de' })).body.data;
    expect((await tenant.put(path(german.id), { language: 'en_US' })).body.error.invalidParams).toEqual(
      taken,
    );
    channelId = first.channelId;
    await tenant.delete(path(first.id));
    expect((await make()).status).toBe(200);
  });

  it('created 50 times at once is one', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => make()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error?.invalidParams?.name?.key === 'custom')).toHaveLength(49);
    expect(await count()).toBe(1);
  });

  it('is found by its fields, and deleted once', async () => {
    const { id } = (await make()).body.data;
    await make({ name: 'invoice', language: 'de', category: 'marketing' });
    for (const query of [
      'eq(name,"order_shipped")',
      'eq(language,"en_US")',
      'eq(category,"utility")',
      `and(eq(channelId,"${channelId}"),eq(status,"pending"),eq(id,"${id}"))`,
    ]) {
      const found = await tenant.post('/v3/message_templates/search', { query });
      expect([query, found.body.data.map((one: { id: string }) => one.id)]).toEqual([query, [id]]);
    }
    const named = await tenant.post('/v3/message_templates/search', { search: 'VOIC' });
    expect(named.body.data).toMatchObject([{ name: 'invoice' }]);
    expect((await tenant.delete(path(id))).body.data).toEqual({ deletedIds: [id], notFoundIds: [] });
    expect((await tenant.delete(path(id))).body.data).toEqual({ deletedIds: [], notFoundIds: [id] });
    expect((await tenant.get(path(id))).body.error.messageKey).toBe('message_template_not_found');
  });

  it('A2: for another tenant’s channel is refused like for an unknown one, with all other issues', async () => {
    const theirs = await (await server.tenant()).channel();
    for (const id of [theirs.id, UNKNOWN]) {
      const answer = await make({ channelId: id, body: '}}' });
      expect(Object.keys(answer.body.error.invalidParams)).toEqual(['channelId', 'body']);
      expect(answer.body.error.invalidParams.channelId).toEqual({
        key: 'custom',
        message: `There is no channel ${id}`,
      });
    }
    const { rows } = await server.system.db.query('select 1 from message_templates where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('a WhatsApp channel in the sandbox', () => {
  const publishedStatuses = () =>
    bySequence(receiver.received).map(({ body }) => [
      body.data.name,
      body.data.status,
      body.data.rejectionReason,
    ]);
  beforeEach(() =>
    tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'template.status_changed' }] }),
  );

  it('decides by its clock: a name with "reject" is rejected, others are approved', async () => {
    await tenant.put(`/v3/channels/${channelId}`, { config: { statusDelayMs: 5_000 } });
    const ids: string[] = [];
    for (const name of ['welcome', 'please_reject_me']) ids.push((await make({ name })).body.data.id);
    await server.settle();
    server.clock.advance(4_999);
    await server.settle();
    expect(receiver.received).toEqual([]);
    for (const id of ids) expect((await tenant.get(path(id))).body.data.status).toBe('pending');
    server.clock.advance(1);
    await server.settle();
    expect(publishedStatuses().sort()).toEqual([
      ['please_reject_me', 'rejected', expect.stringContaining('sandbox')],
      ['welcome', 'approved', null],
    ]);
    const approved = receiver.received.find(({ body }) => body.data.name === 'welcome')?.body.data;
    expect((await tenant.get(path(approved.id))).body.data).toEqual(approved);
  });

  it('decides again on changes, and not if nothing changed', async () => {
    const { id } = (await make()).body.data;
    await server.settle();
    server.clock.advance(200);
    await server.settle();
    const same = await tenant.put(path(id), good());
    expect(same.body.data.status).toBe('approved');
    const changed = await tenant.put(path(id), { body: 'Good evening {{name}}' });
    expect(changed.body.data).toMatchObject({ status: 'pending', body: 'Good evening {{name}}' });
    await server.settle();
    server.clock.advance(200);
    await server.settle();
    expect(publishedStatuses().map(([, status]) => status)).toEqual(['approved', 'pending', 'approved']);
  });

  it('does not allow changes of name and language', async () => {
    const { id } = (await make()).body.data;
    const { body } = await tenant.put(path(id), { name: 'other', language: 'de', body: '{{' });
    expect(Object.keys(body.error.invalidParams).sort()).toEqual(['body', 'language', 'name']);
    expect((await tenant.put(path(id), good())).status).toBe(200);
  });

  it('has nothing to sync', async () => {
    await make();
    const { body } = await tenant.post('/v3/message_templates/sync', { channelId });
    expect(body.data).toEqual({
      created: 0,
      updated: 0,
      removed: 0,
      total: 1,
      leftOut: [],
      leftOutTotal: 0,
    });
  });

  it('does not decide on templates that are deleted meanwhile', async () => {
    const { id } = (await make()).body.data;
    await server.settle();
    await tenant.delete(path(id));
    server.clock.advance(1000);
    await server.settle();
    expect(receiver.received.filter(({ body }) => body.data.id === id)).toEqual([]);
  });
});

describe('the content of a template', () => {
  const keysOf = async (more: object): Promise<Record<string, string>> => {
    const answer = await make(more);
    if (answer.status === 200) return {};
    const issues = Object.entries(answer.body.error.invalidParams as Record<string, { key: string }>);
    return Object.fromEntries(issues.map(([at, { key }]) => [at, key]));
  };
  const quick = (n: number) =>
    Array.from({ length: n }, (_, at) => ({ type: 'quick_reply', text: `b${at}` }));

  it.each([
    [{ name: 'Order shipped' }, { name: 'invalid_string' }],
    [{ name: 'x'.repeat(513) }, { name: 'too_big' }],
    [{ language: 'en-US' }, { language: 'invalid_string' }],
    [{ language: 'english' }, { language: 'invalid_string' }],
    [{ category: 'fun' }, { category: 'invalid_enum_value' }],
    [{ body: 'x'.repeat(1025) }, { body: 'too_big' }],
    [{ body: '' }, { body: 'too_small' }],
    [{ header: { type: 'text', text: 'x'.repeat(61) } }, { 'header.text': 'too_big' }],
    [{ header: { type: 'text' } }, { 'header.text': 'invalid_type' }],
    [{ header: { type: 'text', text: 'a', url: 'https://example.com' } }, { 'header.url': 'custom' }],
    [{ header: { type: 'image', text: 'a' } }, { 'header.text': 'custom' }],
    [{ header: { type: 'video', url: 'ftp://example.com' } }, { 'header.url': 'invalid_string' }],
    [{ header: { type: 'text', text: 'a {{' } }, { 'header.text': 'custom' }],
    [{ header: { type: 'smell' } }, { 'header.type': 'invalid_enum_value' }],
    [{ footer: 'x'.repeat(61) }, { footer: 'too_big' }],
    [{ footer: 'Hello {{name}}' }, { footer: 'custom' }],
    [{ buttons: quick(11) }, { buttons: 'too_big' }],
    [{ buttons: [{ type: 'quick_reply', text: 'x'.repeat(26) }] }, { 'buttons.0.text': 'too_big' }],
    [{ buttons: [{ type: 'quick_reply', text: '{{a}}' }] }, { 'buttons.0.text': 'custom' }],
    [{ buttons: [...quick(1), { type: 'url', text: 'a' }] }, { 'buttons.1.url': 'invalid_type' }],
    [{ buttons: [{ type: 'url', text: 'a', url: 'javascript:1' }] }, { 'buttons.0.url': 'invalid_string' }],
    [{ buttons: [{ type: 'url', text: 'a', url: 'https://a/{{x' }] }, { 'buttons.0.url': 'custom' }],
    [
      { buttons: [{ type: 'phone_number', text: 'a', phoneNumber: 'x' }] },
      { 'buttons.0.phoneNumber': 'invalid_string' },
    ],
    [
      { buttons: [{ type: 'phone_number', text: 'a', url: 'https://a' }] },
      { 'buttons.0.url': 'custom', 'buttons.0.phoneNumber': 'invalid_type' },
    ],
  ])('on WhatsApp: %j is refused', async (more, issues) => {
    expect(await keysOf(more)).toEqual(issues);
    expect(await count()).toBe(0);
  });

  it('may be as long as the limits', async () => {
    const made = await make({
      name: 'x'.repeat(512),
      body: '😀'.repeat(1024),
      header: { type: 'text', text: '😀'.repeat(60) },
      footer: '😀'.repeat(60),
      buttons: quick(10).map((button) => ({ ...button, text: '😀'.repeat(25) })),
    });
    expect([made.status, made.body.error]).toEqual([200, undefined]);
  });

  it('is refused with all issues at once', async () => {
    expect(
      await keysOf({
        name: 'A',
        language: 'EN',
        body: `${'x'.repeat(1025)}{{`,
        footer: '}}',
        buttons: quick(11),
      }),
    ).toEqual({
      name: 'invalid_string',
      language: 'invalid_string',
      body: 'custom',
      footer: 'custom',
      buttons: 'too_big',
    });
  });

  it('has fewer rules on other channels', async () => {
    const channel = await tenant.channel('email');
    const issues = await keysOf({
      channelId: channel.id,
      name: 'Order shipped!',
      language: 'zh-Hant-TW',
      body: 'x'.repeat(20_000),
      header: { type: 'text', text: 'x'.repeat(200) },
      footer: 'x'.repeat(200),
      buttons: quick(20),
    });
    expect(issues).toEqual({});
  });

  it.each([
    ['Hi {{name}} and {{1}}', ['name', '1']],
    ['{ name } {name} {{a}}{{b}} {{a}}', ['a', 'b']],
    ['{{_x9}} {{N}}', ['_x9', 'N']],
    ['no variables', []],
  ])('%j has the variables %j', async (body, variables) => {
    expect((await make({ body })).body.data.variables).toEqual(variables);
  });

  it.each([
    '{{name}',
    '{{name',
    'name}}',
    '{{ name }}',
    '{{}}',
    '{{na me}}',
    '{{{name}}}',
    '{{a{{b}}}}',
    '{{1a}}',
    '{{0}}',
    '{{naïve}}',
    '}}{{',
    `{{${'x'.repeat(65)}}}`,
  ])('%j is refused at body', async (body) => {
    expect(await keysOf({ body })).toEqual({ body: 'custom' });
  });
});
