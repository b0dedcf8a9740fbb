import { describe, expect, it } from 'vitest';
import { instagram } from '../../src/providers/instagram/instagram.ts';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { whatsappCloud } from '../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { pigeonChannel, pigeonHeaders, withPigeon, written } from '../kit/vendor.ts';

/** Callers who claim to be somebody else: with the key of another token, the address of another person, the number of another tenant. */
const server = await useServer({ adapters: withPigeon });
const mailServer = await useServer();

describe('an Idempotency-Key', () => {
  const token = { name: 'a', scopes: ['chats:read'] };
  const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

  it('X7: of another token is another key, even with the same scopes, path and body', async () => {
    const tenant = await server.tenant();
    const everything = { name: 'a', scopes: ['*'] };
    const first = await tenant.post('/v3/tokens', everything, withKey('k'));
    expect(first.status).toBe(200);
    // It may create tokens, but none with more scopes than it has: the stored answer must not give it one.
    const weak = { ...withKey('k'), token: await tenant.tokenWith(['tokens:write', 'chats:read']) };
    const refused = await tenant.post('/v3/tokens', everything, weak);
    expect([refused.status, refused.headers['idempotent-replayed']]).toEqual([400, undefined]);
    expect(refused.text).not.toContain(first.body.data.token);
    const equal = { ...withKey('k'), token: await tenant.tokenWith(['*']) };
    const second = await tenant.post('/v3/tokens', everything, equal);
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    // Another body under the same key does not reveal that the key of the other token exists.
    expect((await tenant.post('/v3/tokens', token, { ...withKey('k'), token: weak.token })).status).toBe(200);
    expect((await tenant.post('/v3/tokens', everything, withKey('k'))).text).toBe(first.text);
  });

  it('X7: of a token without the scope is refused before any stored answer is read', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/tokens', token, withKey('k'));
    const weak = { ...withKey('k'), token: await tenant.tokenWith(['tokens:read']) };
    expect((await tenant.post('/v3/tokens', token, weak)).status).toBe(403);
  });
});

describe('a mail', () => {
  const SECRET = 'a secret of sixteen';

  it('X11: with the address of somebody else in Reply-To is of who sent it, and answers go to Reply-To', async () => {
    const tenant = await mailServer.tenant();
    const made = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Help',
      address: 'help@shop.test',
      config: { from: 'help@shop.test', smtp: { host: '127.0.0.1', port: 25 }, inboundSecret: SECRET },
    });
    const post = async (...headers: string[]): Promise<void> => {
      const raw = Buffer.from([...headers, '', 'Where is my order?'].join('\r\n'));
      const signed = { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(raw, SECRET) };
      const answer = await mailServer.call('POST', `/providers/smtp/${made.body.data.id}`, {
        raw,
        headers: signed,
      });
      expect(answer.status).toBe(200);
      await mailServer.settle();
    };
    await post('From: victim@example.com', 'Message-ID: <1@example.com>');
    await post('From: mallory@example.com', 'Reply-To: victim@example.com', 'Message-ID: <2@example.com>');
    const { data } = (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body;
    expect(data.map((message: { handle: { value: string } }) => message.handle.value)).toEqual([
      'victim@example.com',
      'mallory@example.com',
    ]);
    expect(data[1].contact.id).not.toBe(data[0].contact.id);
    expect(data[1].chatId).not.toBe(data[0].chatId);
    expect(data[1].content.replyTo).toBe('victim@example.com');
  });
});

describe('the vendor key of a channel', () => {
  const textsOf = async (tenant: TestTenant): Promise<string[]> =>
    (await tenant.post('/v3/messages/search', {})).body.data.map((message: { text: string }) => message.text);
  /** A request of a vendor that has one URL for all of its customers. */
  const post = (raw: string, secret: string) =>
    server.call('POST', '/providers/pigeon', { raw, headers: pigeonHeaders(raw, secret) });

  it('X14: can be claimed by anybody until the vendor has confirmed it, and then belongs to its owner', async () => {
    const [squatter, owner] = [await server.tenant(), await server.tenant()];
    const claimed = await pigeonChannel(squatter);
    const config = { account: claimed.account, secret: `real-${owner.id}` };
    const body = { kind: 'sms', provider: 'pigeon', name: 'a', address: 'a', config };
    const made = await owner.post('/v3/channels', body);
    expect(made.status).toBe(200);
    const { id } = made.body.data;
    // The channel with the vendor's secret gets the requests; the other claim gets nothing.
    const raw = JSON.stringify({
      sent: [{ account: claimed.account, events: [written('x', server.clock.now())] }],
    });
    expect((await post(raw, config.secret)).status).toBe(200);
    await server.settle();
    expect([await textsOf(owner), await textsOf(squatter)]).toEqual([['x'], []]);
    // The same tenant has a key once, confirmed or not.
    expect((await owner.post('/v3/channels', body)).status).toBe(400);
    expect((await owner.post(`/v3/channels/${id}/check`)).body.data).toEqual({ ok: true, problems: [] });
    const late = await squatter.post(`/v3/channels/${claimed.id}/check`);
    expect(late.body.data).toEqual({
      ok: false,
      problems: [{ path: 'config.account', message: 'Another channel already has this one' }],
    });
    expect((await (await server.tenant()).post('/v3/channels', body)).status).toBe(400);
    // A key that is given up is free again.
    await owner.put(`/v3/channels/${id}`, { config: { account: `other-${owner.id}` } });
    expect((await squatter.post(`/v3/channels/${claimed.id}/check`)).body.data.ok).toBe(true);
    expect((await owner.put(`/v3/channels/${id}`, { config: { account: claimed.account } })).status).toBe(
      400,
    );
  });

  it('X14: is not confirmed by a server that the client has named itself', () => {
    for (const adapter of [whatsappCloud, instagram]) {
      expect(adapter.isVendorItself?.({})).toBe(true);
      expect(adapter.isVendorItself?.({ baseUrl: 'https://graph.attacker.example' })).toBe(false);
    }
  });
});
