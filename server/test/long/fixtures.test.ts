import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { listener } from '../kit/events.ts';
import { useGraph } from '../kit/graph.ts';
import { messageOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { storeSending } from '../kit/vendor.ts';

/** Requests that vendors really sent. They are no part of the project. */
const folder = process.env.PARLEY_FIXTURES ?? '';
if (folder === '')
  process.stdout.write('PARLEY_FIXTURES is not set: what vendors really sent is not sent to the server\n');

const server = await useServer();
const SECRET = 'a-secret-of-the-app';
const graph = await useGraph();
let tenant: TestTenant;
beforeEach(async () => {
  graph.templates.length = 0;
  tenant = await server.tenant();
});

type Cases = Record<string, { entry: Entry[] }>;
interface Entry {
  id: string;
  changes: { value: { metadata?: { phone_number_id: string } } }[];
}
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

async function makeChannel(body: object): Promise<string> {
  const made = await tenant.post('/v3/channels', { name: 'Shop', address: '+15550009999', ...body });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  return made.body.data.id;
}
const meta = () => ({ accessToken: graph.token, appSecret: SECRET, verifyToken: 'a', baseUrl: graph.url });

async function deliver(path: string, raw: Buffer, headers: Record<string, string>): Promise<void> {
  expect((await server.call('POST', path, { raw, headers })).status).toBe(200);
  await server.settle();
  const { rows } = await server.system.db.query('select error from inbound where tenant_id = $1', [
    tenant.id,
  ]);
  expect(rows).toEqual([]);
}
const messages = async () =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)', pagination: { limit: 100 } })).body
    .data;

/** A message of ours that the vendor calls so, in a chat with somebody. */
async function storeOurs(channelId: string, vendorId: string, person: object): Promise<string> {
  const contactId = (await tenant.post('/v3/contacts', person)).body.data.id;
  const { id } = (await tenant.post('/v3/chats', { contactId, channelId })).body.data;
  return storeSending(server, tenant, { id, channelId, contactId }, { vendorId, status: 'sent' });
}

describe.skipIf(folder === '')('what WhatsApp really sent, through the whole server', () => {
  const choice = ['interactive', 'title'];
  const written: Record<string, Record<string, (string | null)[]>> = {
    callback_button: { button: choice, quick_reply: choice, quick_reply_without_context: choice },
    callback_selection: { callback: choice, description: choice },
    message: {
      text: ['text', 'Body Text'],
      image: ['image', null],
      media_with_url: ['image', null],
      video: ['video', 'caption'],
      document: ['document', 'caption'],
      audio: ['audio', null],
      voice: ['audio', null],
      static_sticker: ['sticker', null],
      animated_sticker: ['sticker', null],
      reaction: ['reaction', null],
      unreaction_empty: ['reaction', null],
      unreaction_no_emoji: ['reaction', null],
      current_location: ['location', null],
      chosen_location: ['location', null],
      contacts: ['contacts', null],
      order: ['unsupported', null],
      unsupported: ['unsupported', null],
      unsupported_with_type: ['unsupported', null],
      reply: ['text', 'replied text'],
      forwarded: ['text', 'forwarded text'],
      forwarded_many_times: ['text', 'text forwarded many times'],
      interactive_message_with_err: ['unsupported', null],
      referral: ['text', 'BODY'],
    },
    flow_completion: { completion: ['interactive', 'Sent'], without_flow_token: ['interactive', 'Sent'] },
    system: { identity_change: [] },
  };
  /** What else of a message is kept. */
  const contents: Record<string, object> = {
    voice: { isVoice: true },
    video: { isForwarded: true },
    forwarded: { isForwarded: true },
    forwarded_many_times: { isForwarded: true, isFrequentlyForwarded: true },
    contacts: {
      contacts: [
        {
          name: 'Chandler Bing',
          firstName: 'Chandler',
          lastName: 'Bing',
          phoneNumbers: ['+1 555-555-5555'],
          phones: [{ value: '+1 555-555-5555', type: 'CELL', whatsappNumber: '+972987654321' }],
        },
        { name: 'Monica', phones: [{ type: 'HOME' }] },
        { name: 'Rachel Green', phones: [{ type: 'WORK' }] },
      ],
    },
    referral: {
      referral: {
        id: 'ADID',
        clickId: 'CTWA_CLID',
        mediaType: 'image or video',
        imageUrl: 'RAW_IMAGE_URL',
        videoUrl: 'RAW_VIDEO_URL',
        thumbnailUrl: 'RAW_THUMBNAIL_URL',
      },
    },
    completion: { response: { delivery_rating: '4', flow_token: 'AQAAAAACS5FpgQ_cAAAAAD0QI3s.' } },
    without_flow_token: { response: { delivery_rating: '4' } },
  };
  /** What an account's change makes of a healthy channel, and of one with that problem. */
  const health: Record<string, [from: string, to: string]> = {
    account_deleted: ['healthy', 'failing'],
    account_restriction: ['healthy', 'failing'],
    account_violation: ['healthy', 'degraded'],
    ad_account_linked: ['healthy', 'healthy'],
    authentication_international_eligibility: ['healthy', 'healthy'],
    account_disabled: ['failing', 'healthy'],
    mm_api_for_wa_terms_of_service: ['healthy', 'healthy'],
    partner_added: ['failing', 'healthy'],
    partner_app_installed: ['failing', 'healthy'],
    partner_app_uninstalled: ['healthy', 'failing'],
    partner_led_business_verification_status: ['healthy', 'healthy'],
    partner_removed: ['healthy', 'failing'],
    partner_removed_wa_app_disconnection: ['healthy', 'failing'],
    primary_business_location_set: ['healthy', 'healthy'],
    pricing_tiering_update: ['healthy', 'healthy'],
    account_offboarded: ['healthy', 'failing'],
    account_reconnected: ['failing', 'healthy'],
  };
  const templateFiles = {
    authentication: [
      'authentication_code_autofill_button',
      'authentication_code_copy_code_button',
      'zero_tap_auth_template',
    ],
    buttons: [
      'seasonal_promotion',
      'order_confirmation',
      'order_delivery_update',
      'abandoned_cart_offer',
      'intro_catalog_offer',
      'coupon_code_fall2023_25off',
      'abandoned_cart',
    ],
    carousel: ['carousel_template_media_cards_v1', 'carousel_template_product_cards_v1'],
    limited_time_offer: ['limited_time_offer_caribbean_pkg_2023'],
  };
  const statuses = {
    sent: 'sent',
    delivered: 'delivered',
    read: 'read',
    played: 'read',
    failed: 'failed',
    with_tracker: 'sent',
    group: 'sent',
  };

  /** A channel for the case, and the case as it is sent to it: each has a number and an account of its own. */
  let numbers = 7000;
  async function prepare(file: string, name: string, more: (text: string) => string = (text) => text) {
    numbers += 1;
    const ids = { phoneNumberId: `1${numbers}`, businessAccountId: `2${numbers}` };
    Object.assign(graph, ids);
    const given = (JSON.parse(read(`whatsapp/${file}.json`)) as Cases)[name];
    const [entry] = (given as Cases[string]).entry;
    let text = JSON.stringify(given)
      .replaceAll(`"id":"${entry?.id}"`, `"id":"${ids.businessAccountId}"`)
      .replaceAll(/"waba_id":"\d+"/g, `"waba_id":"${ids.businessAccountId}"`);
    const number = entry?.changes[0]?.value.metadata?.phone_number_id;
    if (number !== undefined) text = text.replaceAll(`"${number}"`, `"${ids.phoneNumberId}"`);
    const config = { ...meta(), ...ids };
    const channelId = await makeChannel({ kind: 'whatsapp', provider: 'whatsapp_cloud', config });
    const send = (payload: unknown) => {
      const { headers, body } = signedRequest(payload, '', SECRET);
      return deliver('/providers/whatsapp_cloud', body, headers);
    };
    const message = (content: object) => {
      const metadata = { phone_number_id: ids.phoneNumberId };
      const value = { metadata, messages: [{ from: '972987654321', timestamp: '1697043223', ...content }] };
      return send({ entry: [{ id: ids.businessAccountId, changes: [{ field: 'messages', value }] }] });
    };
    return { channelId, send: () => send(JSON.parse(more(text))), message };
  }

  it('has nothing that is not tried here', () => {
    const tried: Record<string, string[]> = {
      ...Object.fromEntries(Object.entries(written).map(([file, cases]) => [file, Object.keys(cases)])),
      message_status: Object.keys(statuses),
      system: ['phone_number_change', 'identity_change'],
      deleted_message: ['revoke'],
      edited_message: ['image'],
      template_status_update: ['approved', 'rejected'],
      template_category_update: ['marketing'],
      template_quality_update: ['yellow'],
      user_marketing_preferences: ['resume', 'signup'],
      account_update: Object.keys(health),
      ...Object.fromEntries(
        Object.entries(templateFiles).map(([file, names]) => [`templates/${file}`, [...names]]),
      ),
    };
    const files = readdirSync(join(folder, 'whatsapp'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.replace('.json', ''));
    expect(files.sort()).toEqual(Object.keys(tried).sort());
    for (const file of files)
      expect(Object.keys(JSON.parse(read(`whatsapp/${file}.json`))).sort()).toEqual(tried[file]?.sort());
  });

  it.each(
    Object.entries(written).flatMap(([file, cases]) =>
      Object.entries(cases).map(([name, expected]) => [file, name, expected] as const),
    ),
  )('%s: %s', async (file, name, [type, text]) => {
    const { channelId, send } = await prepare(file, name);
    await send();
    await send();
    const content = contents[name] ?? {};
    const expected = { channelId, sender: 'inbound', type, text, content };
    expect(await messages()).toMatchObject(type === undefined ? [] : [expected]);
  });

  it.each(Object.entries(statuses))('message_status: %s makes it %s', async (name, status) => {
    const { channelId, send } = await prepare('message_status', name);
    const id = await storeOurs(channelId, 'wamid.xyzxyz', { phoneNumber: '+972987654321' });
    await send();
    expect(await messageOf(tenant, id)).toMatchObject({
      status,
      content: ['failed', 'group'].includes(name)
        ? {}
        : { pricing: { isBillable: true, model: 'CBP', category: 'service', type: null } },
    });
    expect(await messages()).toHaveLength(1);
  });

  it('deleted_message: nothing of it is left', async () => {
    const { send, message } = await prepare('deleted_message', 'revoke');
    await message({ id: '<ORIGINAL_WHATSAPP_MESSAGE_ID>', type: 'text', text: { body: 'Oops' } });
    await send();
    expect(await messages()).toMatchObject([{ text: null, deletedAt: expect.any(String) }]);
  });

  it('edited_message: it says what it was changed to', async () => {
    const { send, message } = await prepare('edited_message', 'image');
    const id = 'wamid.HBgLMTQxMjU1NTA4MjkVAgASGBQzQUNCNjk5RDUwNUZGMUZEM0VBRAA=';
    await message({ id, type: 'image', image: { id: '1', mime_type: 'image/png', caption: 'Before' } });
    await send();
    expect(await messages()).toMatchObject([{ text: 'Updated image caption', editedAt: expect.any(String) }]);
  });

  it('system: somebody with another number is the same contact', async () => {
    const { send, message } = await prepare('system', 'phone_number_change');
    await message({ id: 'wamid.before', type: 'text', text: { body: 'Hello' } });
    await send();
    const { data } = (await tenant.post('/v3/contacts/search', {})).body;
    expect(data).toMatchObject([{ phoneNumber: '+972912345678' }]);
  });

  it.each([
    ['template_status_update', 'approved', { status: 'approved', category: 'utility' }],
    ['template_status_update', 'rejected', { status: 'rejected', category: 'marketing' }],
    ['template_category_update', 'marketing', { category: 'marketing' }],
    ['template_quality_update', 'yellow', { category: 'utility', quality: 'yellow' }],
  ])('%s: %s', async (file, name, expected) => {
    const update = JSON.parse(read(`whatsapp/${file}.json`))[name].entry[0].changes[0].value;
    const { channelId, send } = await prepare(file, name, (text) =>
      text.replaceAll(String(update.message_template_id), graph.templates[0].id),
    );
    const template = {
      channelId,
      name: update.message_template_name,
      language: update.message_template_language,
      body: 'Hello',
      category: 'utility',
    };
    const { id } = (await tenant.post('/v3/message_templates', template)).body.data;
    await server.settle();
    await send();
    await send();
    expect((await tenant.get(`/v3/message_templates/${id}`)).body.data).toMatchObject(expected);
  });

  it.each(Object.entries(health))('account_update: %s makes it %s', async (name, [from, to]) => {
    const { channelId, send } = await prepare('account_update', name);
    const events = listener(server, tenant);
    await server.system.db.query(
      `update channels set health = $2, problem = case when $2 <> 'healthy' then 'Banned' end,
              problem_cause = case when $2 <> 'healthy' then 'account' end where id = $1`,
      [channelId, from],
    );
    await send();
    await send();
    const { body } = await tenant.get(`/v3/channels/${channelId}`);
    expect(body.data).toMatchObject({
      health: to,
      problem: to === 'healthy' ? null : expect.stringMatching(/account|number/),
    });
    const changes = (await events()).filter(({ type }) => type === 'channel.health_changed');
    expect(changes).toHaveLength(from === to ? 0 : 1);
  });

  it.each([
    ['resume', true],
    ['signup', false],
  ])('user_marketing_preferences: %s', async (name, isSubscribed) => {
    const { send } = await prepare('user_marketing_preferences', name);
    const person = { phoneNumber: '+16505551234', isSubscribed: false };
    const { id } = (await tenant.post('/v3/contacts', person)).body.data;
    server.clock.advance(1000);
    await send();
    const { data } = (await tenant.get(`/v3/contacts/${id}`)).body;
    const whatsapp = data.subscriptions.find(
      ({ channelKind }: { channelKind: string }) => channelKind === 'whatsapp',
    );
    const history = (await tenant.post(`/v3/contacts/${id}/consents/search`, {})).body.data;
    // Meta's report is older than what the API has set, so it only goes to the history.
    expect(whatsapp.status).toBe('unsubscribed');
    expect(history.some(({ status }: { status: string }) => status === 'subscribed')).toBe(isSubscribed);
  });

  it('templates: each is synced as Meta has it, or left out as a whole', async () => {
    const { channelId } = await prepare('system', 'identity_change');
    const given = Object.keys(templateFiles).flatMap((file) =>
      Object.values<{ name: string; components: { type: string; text?: string }[] }>(
        JSON.parse(read(`whatsapp/templates/${file}.json`)),
      ),
    );
    graph.templates.push(
      ...given.map((template, index) => ({ ...template, id: `${90_000 + index}`, status: 'APPROVED' })),
    );
    expect((await tenant.post('/v3/message_templates/sync', { channelId })).status).toBe(200);
    const search = await tenant.post('/v3/message_templates/search', { pagination: { limit: 100 } });
    const synced: { name: string; body: string; status: string }[] = search.body.data;
    const names = synced.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['seasonal_promotion', 'order_confirmation']));
    for (const { name, body, status } of synced) {
      const template = given.find((one) => one.name === name);
      expect(status).toBe('approved');
      const text = template?.components.find(({ type }) => type === 'BODY')?.text;
      if (text !== undefined) expect([name, body]).toEqual([name, text]);
    }
  });
});

describe.skipIf(folder === '')('what Instagram really sent, through the whole server', () => {
  it('becomes one conversation', async () => {
    const { accountId, botName: _, userId: __, ...cases } = JSON.parse(read('instagram/replay.json'));
    await makeChannel({ kind: 'instagram', provider: 'instagram', config: { ...meta(), accountId } });
    for (const payload of Object.values(cases)) {
      const { headers, body } = signedRequest(payload, '', SECRET);
      await deliver('/providers/instagram', body, headers);
    }
    const [first, ...rest] = await messages();
    expect(first).toMatchObject({ sender: 'inbound', type: 'text', text: 'Do you ship to Córdoba?' });
    expect(rest).toMatchObject([
      { type: 'story_reply', text: 'Is this available?' },
      { type: 'reaction', content: { emoji: '❤️', messageId: first.id } },
      { type: 'interactive', text: 'Yes' },
      { sender: 'outbound', text: 'Bot response' },
    ]);
    expect(rest).toHaveLength(Object.keys(cases).length - 1);
  });
});

describe.skipIf(folder === '')('mails that were really sent, through the whole server', () => {
  const texts: Record<string, unknown> = {
    auto_reply_with_auto_submitted: "Let's talk about these images:",
    cid_inline_images_without_disposition: 'This is a plain text version of the message.',
    mail_with_no_date: 'text only mail',
    mail_with_quote: 'Yes, I am providing you step how to reproduce this issue',
    mail_with_references: expect.any(String),
    multiple_attachments: expect.anything(),
    multiple_in_reply_to: expect.any(String),
    non_utf_encoded_mail: expect.stringContaining('أنا'),
    only_html: expect.stringMatching(/^this is html only mail$/i),
    only_text: 'text only mail',
    references: expect.any(String),
    reply_cc: expect.any(String),
  };
  const files: Record<string, number> = {
    auto_reply_with_auto_submitted: 2,
    cid_inline_images_without_disposition: 1,
    multiple_attachments: 30,
  };

  async function post(name: string, before: (channelId: string) => Promise<void> = async () => {}) {
    const config = {
      from: 'reply@example.com',
      smtp: { host: '127.0.0.1', port: 9 },
      inboundSecret: SECRET,
    };
    const channelId = await makeChannel({ kind: 'email', provider: 'smtp', config });
    await before(channelId);
    const raw = readFileSync(join(folder, 'email', `${name}.eml`));
    const headers = { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(raw, SECRET) };
    for (let time = 0; time < 2; time += 1) await deliver(`/providers/smtp/${channelId}`, raw, headers);
  }

  it('has nothing that is not tried here', () => {
    const names = readdirSync(join(folder, 'email')).map((file) => file.replace('.eml', ''));
    // The folders are tried in unit/providers/smtp/fixtures-bounces and fixtures-replies.
    const folders = ['bounces', 'mails', 'not-bounces', 'replies'];
    expect(names.sort()).toEqual([...Object.keys(texts), 'bounced_gmail', ...folders].sort());
  });

  it.each(Object.entries(texts))('%s', async (name, text) => {
    await post(name);
    const found = await messages();
    expect(found).toMatchObject([{ sender: 'inbound', type: 'email' }]);
    expect(found[0].text).toEqual(text);
    expect(found[0].media).toHaveLength(files[name] ?? 0);
    // One that is empty has nothing to keep.
    for (const { size, fileId } of found[0].media)
      expect(fileId).toEqual(size === 0 ? null : expect.any(String));
  });

  it('bounced_gmail is the failure of what was sent', async () => {
    const vendorId = '<conversation/93775311-9416-4428-964b-862001f8a8b2/messages/27855337@gmail.com>';
    let ours = '';
    await post('bounced_gmail', async (channelId) => {
      ours = await storeOurs(channelId, vendorId, { email: 'nobody@example.com' });
    });
    expect(await messageOf(tenant, ours)).toMatchObject({ status: 'failed', error: { code: '5.1.1' } });
    expect(await messages()).toHaveLength(1);
  });
});
