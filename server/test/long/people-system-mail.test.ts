import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { useAdapterContext } from '../kit/adapter-context.ts';
import { cookieOf, PASSWORD, usePerson } from '../kit/people.ts';
import { useRelay } from '../kit/relay.ts';
import { OPERATOR_TOKEN, type TestServer, type TestTenant, useServer } from '../kit/server.ts';

const NEW_PASSWORD = 'another good secret';

/** A server that mails over a sandbox channel of its first tenant. */
async function useMailingServer(): Promise<{
  server: TestServer;
  post: TestTenant;
  mails(): Promise<Mail[]>;
}> {
  const first = await useServer();
  const post = await first.tenant();
  const channel = await post.channel('email');
  const server = await useServer({
    databaseUrl: first.databaseUrl,
    people: { systemMail: { tenantId: post.id, channelId: channel.id } },
  });
  const mails = async (): Promise<Mail[]> => {
    await server.settle();
    const { body } = await post.get(`/v3/sandbox/${channel.id}/outbox`);
    return body.data.map(({ to, text, content }: Mail & { content: { subject: string } }) => ({
      to,
      text,
      subject: content.subject,
      token: /#(\S+)/.exec(text)?.[1] ?? '',
    }));
  };
  return { server, post, mails };
}
interface Mail {
  to: string;
  subject: string;
  text: string;
  token: string;
}

const ask = (server: TestServer, email: string, headers = {}) =>
  server.call('POST', '/v3/password_resets', { body: { email }, headers });
const redeem = (server: TestServer, token: string, password = NEW_PASSWORD) =>
  server.call('POST', '/v3/session/link', { body: { token, password } });

describe('with a channel for mails', () => {
  it('an invitation is mailed beside the link to copy, and only one of both is accepted', async () => {
    const { server, mails } = await useMailingServer();
    const tenant = await server.tenant();
    const user = await tenant.post('/v3/users', { name: 'Ada', email: 'ada@example.com', role: 'agent' });
    const link = await tenant.post(`/v3/users/${user.body.data.id}/invitation`);
    expect(link.body.data).toMatchObject({ isMailed: true, url: expect.stringContaining('#') });
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: 'ada@example.com', subject: expect.stringContaining('invitation') });
    expect(mail?.text).toContain('https://parley.test/console/welcome#');
    expect(link.body.data.url).not.toContain(mail?.token);
    expect((await redeem(server, mail?.token as string)).status).toBe(200);
    const second = await redeem(server, link.body.data.url.split('#')[1]);
    expect([401, 409, 400]).toContain(second.status);
    expect(cookieOf(second)).toBeUndefined();
  });

  it('a new password is asked for without logging in; the link works once and ends the others', async () => {
    const { server, mails } = await useMailingServer();
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    await mails();
    expect((await ask(server, person.email.toUpperCase())).body.data).toEqual({ isMailed: true });
    expect((await ask(server, person.email)).body.data).toEqual({ isMailed: true });
    const resets = (await mails()).filter(({ subject }) => subject === 'Your new password');
    expect(resets.map(({ to }) => to)).toEqual([person.email, person.email]);
    const [one, two] = resets as [Mail, Mail];
    expect((await redeem(server, one.token)).status).toBe(200);
    for (const { token } of [one, two])
      expect((await redeem(server, token, 'a third good secret')).status).toBe(401);
    const login = (password: string) =>
      server.call('POST', '/v3/session', { body: { email: person.email, password } });
    expect([(await login(PASSWORD)).status, (await login(NEW_PASSWORD)).status]).toEqual([401, 200]);
  });

  it('an address that nobody has gets the same answer, and no mail', async () => {
    const { server, mails } = await useMailingServer();
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const before = (await mails()).length;
    const known = await ask(server, person.email);
    const unknown = await ask(server, `nobody.${newId()}@example.com`);
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(known.headers).sort());
    expect(await mails()).toHaveLength(before + 1);
    const { rows } = await server.system.db.query('select 1 from system_mails', []);
    expect(rows).toEqual([]);
  });

  it('is limited by address and network, whether or not anybody has the address', async () => {
    const { server } = await useMailingServer();
    const statuses = async (email: string, times: number) => {
      const answers: number[] = [];
      for (let turn = 0; turn < times; turn += 1) answers.push((await ask(server, email)).status);
      return answers;
    };
    expect(await statuses('nobody@example.com', 4)).toEqual([200, 200, 200, 429]);
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, number) => ask(server, `nobody${number}@example.com`)),
    );
    expect(others.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(3);
    const refused = await ask(server, 'somebody@example.com');
    expect(refused.body.error.messageKey).toBe('too_many_attempts');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('tries again when the relay refuses, and gives up in the end; nothing that logs in is stored', async () => {
    const { server, post, mails } = await useMailingServer();
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    await mails();
    const channelId = (await post.post('/v3/channels/search', {})).body.data[0].id;
    await post.post(`/v3/sandbox/${channelId}/faults`, { failEvery: 1 });
    await ask(server, person.email);
    await server.settle();
    const rows = async () => (await server.system.db.query('select * from system_mails', [])).rows;
    expect(await rows()).toMatchObject([{ attempts: 1, email: person.email, kind: 'reset' }]);
    await post.post(`/v3/sandbox/${channelId}/faults`, {});
    server.clock.advance(31_000);
    const mail = (await mails()).at(-1) as Mail;
    expect(mail.to).toBe(person.email);
    expect(await rows()).toEqual([]);
    expect(server.logged.join('')).not.toContain(mail.token);
    const kept = await server.system.db.query(
      `select encode(token_hash, 'escape') as hash from person_links`,
      [],
    );
    expect(JSON.stringify(kept.rows)).not.toContain(mail.token);
  });

  it('a channel that was deleted, of another kind or of another tenant is none', async () => {
    const first = await useServer();
    const tenant = await first.tenant();
    const other = await first.tenant();
    const [email, sms] = [await tenant.channel('email'), await tenant.channel('sms')];
    for (const systemMail of [
      { tenantId: tenant.id, channelId: newId() },
      { tenantId: tenant.id, channelId: sms.id },
      { tenantId: other.id, channelId: email.id },
    ]) {
      const server = await useServer({ databaseUrl: first.databaseUrl, people: { systemMail } });
      expect((await ask(server, `${newId()}@example.com`)).body.data).toEqual({ isMailed: false });
    }
  });
});

describe('without a channel for mails', () => {
  it('the answer says that an admin makes a link', async () => {
    const server = await useServer();
    expect((await ask(server, 'ada@example.com')).body.data).toEqual({ isMailed: false });
    const methods = await server.call('GET', '/v3/session/methods');
    expect(methods.body.data).toEqual({ password: true, oidc: false, resetByMail: false });
    const tenant = await server.tenant();
    const user = await tenant.post('/v3/users', { name: 'Ada', email: 'ada@example.com', role: 'agent' });
    const link = await tenant.post(`/v3/users/${user.body.data.id}/invitation`);
    expect(link.body.data.isMailed).toBe(false);
  });

  it('malformed addresses, other sites and switched-off passwords are refused', async () => {
    const server = await useServer({ people: { hasPasswordLogin: false } });
    expect((await ask(server, 'ada@example.com')).status).toBe(403);
    const open = await useServer();
    for (const email of ['x', 'a b@example.com', 'a@b\u0000.com', `${'x'.repeat(300)}@example.com`])
      expect([email, (await ask(open, email)).status]).toEqual([email, 400]);
    expect((await ask(open, 'ada@example.com', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('a channel that cannot send is a warning, for its tenant with the reason', async () => {
    const relay = await useRelay({ authOptional: false });
    const first = await useServer();
    const [tenant, other] = [await first.tenant(), await first.tenant()];
    const channel = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Post',
      address: 'post@shop.test',
      config: {
        from: 'post@shop.test',
        smtp: { host: '127.0.0.1', port: relay.port, user: 'ada', password: 'wrong' },
      },
    });
    const channelId = channel.body.data.id;
    const server = await useServer({
      databaseUrl: first.databaseUrl,
      context: useAdapterContext(),
      people: { systemMail: { tenantId: tenant.id, channelId } },
    } as object);
    const stateFor = async (of: TestTenant) =>
      (await server.call('GET', '/v3/tenant', { token: of.token })).body.data.systemMail;
    const installed = async () =>
      (await server.call('GET', '/admin/status', { token: OPERATOR_TOKEN })).body.data.systemMail;
    const own = { tenantId: tenant.id, channelId };
    const hidden = { tenantId: null, channelId: null, problem: null };
    expect(await stateFor(tenant)).toEqual({ status: 'unchecked', ...own, problem: null });

    const person = await usePerson(first, tenant, 'agent');
    await ask(server, person.email);
    await server.settle();
    expect(await stateFor(tenant)).toEqual({ status: 'failing', ...own, problem: expect.any(String) });
    expect(await stateFor(other)).toEqual({ status: 'failing', ...hidden });
    expect(await installed()).toMatchObject({ status: 'failing', ...own });
    expect(relay.arrived).toEqual([]);

    await tenant.put(`/v3/channels/${channelId}`, { config: { smtp: { password: 'right' } } });
    server.clock.advance(31_000);
    await server.settle();
    expect(relay.arrived).toHaveLength(1);
    expect(await stateFor(tenant)).toEqual({ status: 'working', ...own, problem: null });
    await tenant.delete(`/v3/channels/${channelId}`);
    expect(await stateFor(tenant)).toEqual({ status: 'missing', ...own, problem: null });
    expect(await stateFor(other)).toEqual({ status: 'missing', ...hidden });
  });
});
