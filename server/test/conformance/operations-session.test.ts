import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { dataOf, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
const PASSWORD = 'four entirely random words';

/** The value of a metric of a queue. */
function metricOf(text: string, name: string, queue: string): string | undefined {
  return new RegExp(`^${name}\\{queue="${queue}"\\} (\\S+)$`, 'm').exec(text)?.[1];
}

describe('Metrics', () => {
  it('need no token, and have every queue, also one that is empty', async () => {
    const answer = await fetch(`${server.url}/metrics`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    for (const name of ['parley_queue_due', 'parley_queue_oldest_seconds', 'parley_queue_failures_total'])
      for (const queue of ['events', 'jobs', 'deliveries'])
        expect(Number(metricOf(text, name, queue)), `${name} of ${queue}`).toBeGreaterThanOrEqual(0);
    expect(metricOf(text, 'parley_queue_due', 'system_mails')).toBe('0');
    expect(text).not.toContain('parley_work_');
  });
});

/** Somebody who was invited, with the cookie of the session. */
async function invited(role: string) {
  const tenant = await server.tenant();
  const email = `${randomUUID()}@example.com`;
  const user = dataOf(await tenant.post('/v3/users', { name: 'Grace', email, role, access: 'all' }));
  const invitation = dataOf(await tenant.post(`/v3/users/${user.id}/invitation`));
  const token = invitation.url.split('#')[1];
  const joined = await server.call('POST', '/v3/session/link', {
    body: { token, name: 'Grace Hopper', password: PASSWORD, tenantName: 'Not used: there is one' },
  });
  return { tenant, user, email, invitation, joined, cookie: cookieOf(joined) };
}
const cookieOf = ({ headers }: { headers: Headers }): string =>
  headers.getSetCookie().map((one) => one.split(';')[0])[0] as string;
const from = (cookie: string) => ({ headers: { cookie, 'sec-fetch-site': 'same-origin' } });

describe('Session', () => {
  it('an invitation has the address of a page and an end, and lets somebody in', async () => {
    const { tenant, user, email, invitation, joined } = await invited('agent');
    expect(invitation.url).toMatch(/\/console\/welcome#[\w-]+$/);
    expect(invitation.expiresAt).toMatch(/Z$/);
    expect(dataOf(joined)).toMatchObject({
      person: { name: 'Grace Hopper', email },
      memberships: [{ tenantId: tenant.id, tenantName: 'Conformance', userId: user.id, role: 'agent' }],
    });
  });

  it('logs in, says who it is, changes the password and logs out', async () => {
    const { email } = await invited('admin');
    const login = await server.call('POST', '/v3/session', { body: { email, password: PASSWORD } });
    const session = dataOf(await server.call('GET', '/v3/session', from(cookieOf(login))));
    expect(session).toEqual(dataOf(login));
    expect(session.memberships[0]).toHaveProperty('tenantName');
    const body = { current: PASSWORD, next: 'another entirely random phrase' };
    const changed = await server.call('POST', '/v3/session/password', { body, ...from(cookieOf(login)) });
    expect(dataOf(changed).person.email).toBe(email);
    dataOf(await server.call('DELETE', '/v3/session', from(cookieOf(changed))));
    expect((await server.call('GET', '/v3/session', from(cookieOf(changed)))).status).toBe(401);
  });

  it('asks for a new password by mail', async () => {
    const body = { email: `${randomUUID()}@example.com` };
    dataOf(await server.call('POST', '/v3/password_resets', { body }));
  });

  it('over an identity provider begins and ends with a GET', async () => {
    for (const path of ['/v3/session/oidc', '/v3/session/oidc/callback?code=x&state=y']) {
      const answer = await fetch(`${server.url}${path}`, { redirect: 'manual' });
      // 404 where none is configured.
      expect([302, 404]).toContain(answer.status);
    }
  });

  it('prepares two-factor login', async () => {
    const { cookie } = await invited('agent');
    const totp = dataOf(
      await server.call('POST', '/v3/session/totp', { body: { password: PASSWORD }, ...from(cookie) }),
    );
    expect(totp.uri).toMatch(/^otpauth:/);
  });

  it('sessions of others are found with users:read and ended with users:write', async () => {
    const { tenant, user, cookie } = await invited('agent');
    const reading = { token: await tenant.tokenWith(['users:read']) };
    const writing = { token: await tenant.tokenWith(['users:write']) };
    const [found] = dataOf(await tenant.post('/v3/sessions/search', {}, reading));
    expect(found).toMatchObject({ user: { id: user.id } });
    expect(refusalOf(await tenant.post('/v3/sessions/search', {}, writing))).toEqual([403, 'forbidden']);
    expect(refusalOf(await tenant.delete(`/v3/sessions/${found.id}`, reading))).toEqual([403, 'forbidden']);
    const end = async () => dataOf(await tenant.delete(`/v3/sessions/${found.id}`));
    expect(await end()).toEqual({ deletedIds: [found.id], notFoundIds: [] });
    expect(await end()).toEqual({ deletedIds: [], notFoundIds: [found.id] });
    expect((await server.call('GET', '/v3/session', from(cookie))).status).toBe(401);
  });
});

describe('Channels', () => {
  it('the kinds have their settings as a JSON schema, steps and help', async () => {
    const tenant = await server.tenant();
    const kinds = dataOf(await tenant.get('/v3/channel_kinds'));
    for (const { settings, steps, help } of kinds) {
      expect(settings).toMatchObject({ type: 'object', properties: expect.any(Object) });
      expect(steps.length).toBeGreaterThan(0);
      expect(help).toBeTypeOf('string');
    }
  });

  it('the set-up is a list of steps, and words and hours of a channel are as documented', async () => {
    const tenant = await server.tenant();
    const { id } = await make.channel(tenant, 'sms');
    for (const step of dataOf(await tenant.get(`/v3/channels/${id}/setup`)))
      expect(step).toMatchObject({
        step: expect.any(String),
        status: expect.any(String),
        message: expect.any(String),
      });
    const words = { optOutWords: ['stop it'], optInWords: ['again'], optOutConfirmation: 'Bye' };
    const hours = {
      businessHours: { mon: [['09:00', '17:00']], closedOn: ['2026-12-25'] },
      quietHours: { from: '21:00', to: '08:00' },
    };
    const changed = dataOf(await tenant.put(`/v3/channels/${id}`, { ...words, ...hours }));
    expect(changed).toMatchObject({ ...words, ...hours });
  });

  it('the tenant has a name, a time zone, a language and hours', async () => {
    const tenant = await server.tenant();
    const given = {
      name: 'Shop',
      timezone: 'Europe/Berlin',
      locale: 'de',
      businessHours: { mon: [['09:00', '17:00']], closedOn: ['2026-12-25'] },
      quietHours: { from: '21:00', to: '08:00' },
    };
    const token = await tenant.tokenWith(['tenant:write']);
    expect(dataOf(await tenant.put('/v3/tenant', given, { token }))).toMatchObject(given);
    const reading = { token: await tenant.tokenWith(['tenant:read']) };
    expect(dataOf(await tenant.get('/v3/tenant', reading))).toMatchObject(given);
  });
});

describe('Users, teams and the operator', () => {
  it('users have a role and an access, teams have channels', async () => {
    const tenant = await server.tenant();
    const channel = await make.channel(tenant);
    const token = await tenant.tokenWith(['users:write']);
    const team = { name: make.uniqueName('Team'), userIds: [], channelIds: [channel.id] };
    expect(dataOf(await tenant.post('/v3/teams', team, { token }))).toMatchObject(team);
    for (const role of ['owner', 'admin', 'agent', 'viewer'])
      for (const access of ['all', 'teams']) {
        const user = { name: 'A', email: `${randomUUID()}@example.com`, role, access };
        expect(dataOf(await tenant.post('/v3/users', user))).toMatchObject(user);
      }
  });

  it('changes are found with audit:read', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/labels', { name: 'Audited' });
    const token = await tenant.tokenWith(['audit:read']);
    const entries = dataOf(await tenant.post('/v3/audit_entries/search', {}, { token }));
    expect(entries).toContainEqual(expect.objectContaining({ operation: 'createLabel' }));
  });

  it('the status has processes, queues and versions; limits of a tenant can be set; jobs are found', async () => {
    const tenant = await server.tenant();
    const token = inject('adminToken');
    expect(dataOf(await server.call('GET', '/admin/status', { token }))).toMatchObject({
      processes: expect.any(Array),
      queues: expect.any(Array),
      versions: expect.any(Object),
    });
    const limits = {
      webhooks: 3,
      activeAutomations: 4,
      runsPerMinute: 50,
      streams: 6,
      storedFailedRequests: 70,
      storageBytes: 1_000_000,
    };
    const body = { limits };
    const changed = await server.call('PUT', `/admin/tenants/${tenant.id}`, { body, token });
    expect(dataOf(changed).limits).toMatchObject(limits);
    expect(refusalOf(await server.call('GET', `/admin/jobs/${randomUUID()}`, { token }))).toEqual([
      404,
      'job_not_found',
    ]);
  });
});
