import { beforeEach, describe, expect, it } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { twilioSignature } from '../../src/providers/twilio/signature.ts';
import { upload } from '../kit/files.ts';
import { useGraph } from '../kit/graph.ts';
import { type Relay, useRelay } from '../kit/relay.ts';
import { messageOf, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { ACCOUNT, type FakeTwilio, PICTURE, TOKEN, useTwilio } from '../kit/twilio.ts';

const server = await useServer();
const { clock } = server;
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

async function makeChannel(body: object): Promise<{ id: string }> {
  const made = await tenant.post('/v3/channels', { name: 'Shop', ...body });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  return made.body.data;
}

/** Calls the provider route twice, as vendors do after a lost answer. */
async function deliver(path: string, raw: string | Buffer, headers: Record<string, string>): Promise<void> {
  for (let time = 0; time < 2; time += 1)
    expect((await server.call('POST', path, { raw, headers })).status).toBe(200);
  await server.settle();
}

const onlyChat = async () => {
  const { data } = (await tenant.post('/v3/chats/search', {})).body;
  expect(data).toHaveLength(1);
  return data[0];
};
const conversation = async () =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)', pagination: { limit: 100 } })).body
    .data;
const failed = async () =>
  (await server.system.db.query('select error from inbound where tenant_id = $1', [tenant.id])).rows;

describe('an SMS through Twilio', async () => {
  const twilio = await useTwilio();
  let channel: { id: string };
  beforeEach(async () => {
    twilio.taken.length = 0;
    const config = { accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999', baseUrl: twilio.url };
    channel = await makeChannel({ kind: 'sms', provider: 'twilio', address: '+15550009999', config });
  });

  const postWebhook = (fields: Record<string, string>, url = `/providers/twilio/${channel.id}`) => {
    const form = new URLSearchParams({ AccountSid: ACCOUNT, ...fields });
    return deliver(url, form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(`https://parley.test${url}`, form, TOKEN),
    });
  };
  const written = (MessageSid: string, Body: string, more: Record<string, string> = {}) =>
    postWebhook({ MessageSid, From: '+15550002345', To: '+15550009999', Body, NumMedia: '0', ...more });

  it('is received with a picture, answered, and its statuses arrive, each once', async () => {
    await written('SMin1', 'Look', {
      NumMedia: '1',
      MediaUrl0: `${twilio.url}/2010-04-01/Accounts/${ACCOUNT}/Messages/MM1/Media/ME1`,
      MediaContentType0: 'image/png',
    });
    const chat = await onlyChat();
    expect(await conversation()).toMatchObject([
      { type: 'image', text: 'Look', media: [{ fileId: expect.any(String), size: PICTURE.length }] },
    ]);
    const fileId = (await upload(tenant, 'an invoice', 'invoice.txt')).body.data.id;
    const reply = await send(tenant, chat, { text: 'Nice', media: { fileId } });
    await server.settle();
    expect(twilio.taken).toHaveLength(1);
    const [{ sid, form }] = twilio.taken as [FakeTwilio['taken'][number]];
    expect(Object.fromEntries(form)).toMatchObject({
      To: '+15550002345',
      From: '+15550009999',
      Body: 'Nice',
    });
    expect(form.get('MediaUrl')).toBe(reply.media[0].url);
    expect(await messageOf(tenant, reply.id)).toMatchObject({ vendorId: sid });
    const callback = form.get('StatusCallback')?.replace('https://parley.test', '') as string;
    for (const status of ['sent', 'delivered', 'sent'])
      await postWebhook({ MessageSid: sid, MessageStatus: status }, callback);
    expect(await messageOf(tenant, reply.id)).toMatchObject({ status: 'delivered', error: null });
    expect(await conversation()).toHaveLength(2);
    expect(await failed()).toEqual([]);
  });

  it('with STOP opts out until START', async () => {
    await written('SMin2', 'Hello');
    const chat = await onlyChat();
    await written('SMin3', ' stop ');
    const refused = await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'But wait' });
    expect(refused.status).toBe(409);
    clock.advance(1000);
    await written('SMin4', 'START');
    await send(tenant, chat, { text: 'Welcome back' });
    await server.settle();
    expect(twilio.taken.map(({ form }) => form.get('Body'))).toEqual(['Welcome back']);
  });

  it('whose answer was lost is not sent again, and its callback resolves it', async () => {
    await written('SMin5', 'Hello');
    twilio.answerWith('break');
    const reply = await send(tenant, await onlyChat(), { text: 'Hi' });
    await server.settle();
    const [{ sid, form }] = twilio.taken as [FakeTwilio['taken'][number]];
    expect(await messageOf(tenant, reply.id)).toMatchObject({ status: 'queued', vendorId: null });
    const callback = form.get('StatusCallback')?.replace('https://parley.test', '') as string;
    await postWebhook({ MessageSid: sid, MessageStatus: 'delivered' }, callback);
    expect(await messageOf(tenant, reply.id)).toMatchObject({ status: 'delivered', vendorId: sid });
    clock.advance(3600_000);
    await server.settle();
    expect(twilio.taken).toHaveLength(1);
  });
});

describe('a mail', () => {
  const SECRET = 'a secret of sixteen';
  let relay: Relay;
  let channel: { id: string };
  beforeEach(async () => {
    relay = await useRelay();
    channel = await makeChannel({
      kind: 'email',
      provider: 'smtp',
      address: 'help@shop.test',
      config: {
        from: 'Shop <help@shop.test>',
        smtp: { host: '127.0.0.1', port: relay.port },
        inboundSecret: SECRET,
      },
    });
  });

  const posted = (...lines: string[]) => {
    const raw = Buffer.from(`${lines.join('\r\n')}\r\n`);
    return deliver(`/providers/smtp/${channel.id}`, raw, {
      'content-type': 'message/rfc822',
      'x-parley-signature': mailSignature(raw, SECRET),
    });
  };
  const written = (id: string, text: string, ...headers: string[]) =>
    posted(
      'From: Ada Lovelace <ada@example.com>',
      'To: help@shop.test',
      'Subject: My order',
      `Message-ID: <${id}@example.com>`,
      ...headers,
      '',
      text,
    );

  it('is received by POST, answered in its thread, and a bounce is a failure', async () => {
    await written('in1', 'Where is it?');
    const chat = await onlyChat();
    expect(chat.contact).toMatchObject({ fullName: 'Ada Lovelace', email: 'ada@example.com' });
    const fileId = (await upload(tenant, 'an invoice', 'invoice.txt')).body.data.id;
    const reply = await send(tenant, chat, { type: 'text', text: 'On its way.' });
    const mail = await send(tenant, chat, {
      email: { subject: 'Your invoice', html: '<p>Here</p>' },
      text: 'Here',
      media: { fileId },
    });
    await server.settle();
    expect(relay.arrived).toHaveLength(2);
    const [first, second] = relay.arrived.map(({ mail: bytes }) => bytes.toString());
    expect(relay.arrived[0]).toMatchObject({ to: ['ada@example.com'] });
    expect(first).toContain('Subject: Re: My order');
    expect(first).toContain('<in1@example.com>');
    expect(second).toContain('filename=invoice.txt');
    const { vendorId, status } = await messageOf(tenant, reply.id);
    expect(status).toBe('sent');
    expect((await messageOf(tenant, mail.id)).status).toBe('sent');

    await written('in2', 'Thanks', `In-Reply-To: ${vendorId}`);
    expect((await conversation()).at(-1)).toMatchObject({ text: 'Thanks', replyToMessageId: reply.id });
    expect((await onlyChat()).id).toBe(chat.id);

    const { vendorId: bounced } = await messageOf(tenant, mail.id);
    await posted(
      'From: MAILER-DAEMON@relay.test',
      'To: help@shop.test',
      'Message-ID: <bounce1@relay.test>',
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=cut',
      '',
      '--cut',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; relay.test',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 no such user',
      '',
      '--cut',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: ${bounced}`,
      '',
      '--cut--',
    );
    expect(await messageOf(tenant, mail.id)).toMatchObject({ status: 'failed', error: { code: '5.1.1' } });
    expect(await conversation()).toHaveLength(4);
    expect(await failed()).toEqual([]);
  });

  const bounce = (recipient: string, messageId: string) =>
    posted(
      'From: MAILER-DAEMON@relay.test',
      'To: help@shop.test',
      'Subject: failure notice',
      '',
      `<${recipient}>: 550 5.1.1 no such user`,
      '',
      `Message-ID: ${messageId}`,
    );

  it('that did not reach somebody in copy did not fail', async () => {
    await written('in1', 'Where is it?');
    const chat = await onlyChat();
    const email = { subject: 'Order', cc: ['bob@example.com'] };
    const { id } = await send(tenant, chat, { email, text: 'On its way.' });
    const single = await send(tenant, chat, { text: 'And more.' });
    await server.settle();
    const { vendorId } = await messageOf(tenant, id);
    await bounce('bob@example.com', vendorId);
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'sent' });
    await bounce('ADA@example.com', vendorId);
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'failed', error: { code: '5.1.1' } });
    // It has one recipient, whose provider forwarded it.
    await bounce('ada@elsewhere.example', (await messageOf(tenant, single.id)).vendorId);
    expect(await messageOf(tenant, single.id)).toMatchObject({ status: 'failed' });
  });

  it('is answered where its sender wants the answer', async () => {
    await written('in1', 'Where is it?', 'Reply-To: private@example.com');
    const chat = await onlyChat();
    expect(chat.contact).toMatchObject({ email: 'ada@example.com' });
    await send(tenant, chat, { text: 'On its way.' });
    await server.settle();
    expect(relay.arrived).toMatchObject([{ to: ['private@example.com'] }]);
    await written('in2', 'Thanks');
    await send(tenant, chat, { text: 'You are welcome.' });
    await server.settle();
    expect(relay.arrived[1]).toMatchObject({ to: ['ada@example.com'] });
  });

  it('that bounces there has failed, and says nothing about the address of its sender', async () => {
    await written('in1', 'Where is it?', 'Reply-To: Private@example.com');
    const chat = await onlyChat();
    const undeliverable = async () =>
      (await tenant.get(`/v3/contacts/${chat.contactId}`)).body.data.handles[0].undeliverable;
    const email = { subject: 'Order', cc: ['bob@example.com'] };
    for (const more of [{ email }, {}]) {
      const { id } = await send(tenant, chat, { text: 'On its way.', ...more });
      await server.settle();
      const { vendorId } = await messageOf(tenant, id);
      if (more.email) await bounce('bob@example.com', vendorId);
      expect(await messageOf(tenant, id)).toMatchObject({ status: 'sent' });
      await bounce('private@example.com', vendorId);
      expect(await messageOf(tenant, id)).toMatchObject({ status: 'failed', error: { code: '5.1.1' } });
      expect(await undeliverable()).toEqual([]);
    }
    server.clock.advance(1_000);
    await written('in2', 'Here I am');
    const { id } = await send(tenant, chat, { text: 'On its way.' });
    await server.settle();
    await bounce('ada@example.com', (await messageOf(tenant, id)).vendorId);
    expect(await undeliverable()).toMatchObject([{ channelKind: 'email' }]);
  });

  it('that its recipient reported as spam unsubscribes the contact', async () => {
    await written('in1', 'Where is it?');
    const { contactId } = await onlyChat();
    await posted(
      'From: fbl@provider.example',
      'Content-Type: multipart/report; report-type=feedback-report; boundary=cut',
      '',
      '--cut',
      'Content-Type: message/feedback-report',
      '',
      'Feedback-Type: abuse',
      'Original-Rcpt-To: ada@example.com',
      '--cut--',
    );
    const { subscriptions } = (await tenant.get(`/v3/contacts/${contactId}`)).body.data;
    expect(subscriptions).toMatchObject([
      { channelKind: 'email', status: 'unsubscribed', source: 'complaint' },
    ]);
    expect(await conversation()).toHaveLength(1);
  });
});

describe('an Instagram message', async () => {
  const SECRET = 'the-secret-of-the-app';
  const SOL = '200000000000001';
  const graph = await useGraph();
  let channel: { id: string };
  let accounts = 17_841_400_000_000_000;
  beforeEach(async () => {
    accounts += 1;
    Object.assign(graph, { accountId: String(accounts) });
    graph.taken.length = 0;
    channel = await makeChannel({
      kind: 'instagram',
      provider: 'instagram',
      address: 'shop',
      config: {
        accountId: graph.accountId,
        accessToken: graph.token,
        appSecret: SECRET,
        verifyToken: 'shown-once',
        baseUrl: graph.url,
      },
    });
  });

  const postWebhook = (element: object, isEcho = false) => {
    const [sender, recipient] = isEcho ? [graph.accountId, SOL] : [SOL, graph.accountId];
    const timestamp = clock.now().getTime();
    const messaging = [{ sender: { id: sender }, recipient: { id: recipient }, timestamp, ...element }];
    const payload = { object: 'instagram', entry: [{ id: graph.accountId, time: timestamp, messaging }] };
    const { headers, body } = signedRequest(payload, '', SECRET);
    return deliver('/providers/instagram', body, headers);
  };

  it('is received with a picture, answered, echoed and read, each once', async () => {
    graph.files.set('77', { bytes: PICTURE, mimeType: 'image/png', filename: '' });
    await postWebhook({ message: { mid: 'mid.in1', text: 'How much is it?' } });
    clock.advance(1000);
    const attachments = [{ type: 'image', payload: { url: graph.publicUrl('77') } }];
    await postWebhook({ message: { mid: 'mid.in2', attachments } });
    const chat = await onlyChat();
    expect(chat).toMatchObject({ channelId: channel.id, unreadCount: 2 });
    expect(await conversation()).toMatchObject([
      { type: 'text', text: 'How much is it?' },
      { type: 'image', media: [{ fileId: expect.any(String), size: PICTURE.length }] },
    ]);
    const reply = await send(tenant, chat, { text: 'Nine hundred.' });
    await server.settle();
    expect(graph.taken).toEqual([{ recipient: { id: SOL }, message: { text: 'Nine hundred.' } }]);
    const { vendorId } = await messageOf(tenant, reply.id);
    await postWebhook({ message: { mid: vendorId, text: 'Nine hundred.', is_echo: true } }, true);
    expect(await conversation()).toHaveLength(3);
    await postWebhook({ message: { mid: 'mid.app1', text: 'From the app', is_echo: true } }, true);
    await postWebhook({ read: { mid: vendorId } });
    expect(await messageOf(tenant, reply.id)).toMatchObject({ status: 'read', sender: 'outbound' });
    expect((await conversation()).at(-1)).toMatchObject({ text: 'From the app', sender: 'outbound' });
    expect(await conversation()).toHaveLength(4);
    clock.advance(25 * 3600_000);
    expect((await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Hello?' })).status).toBe(409);
    expect(await failed()).toEqual([]);
  });
});
