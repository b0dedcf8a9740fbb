import { findCookie } from '../../src/http/cookies.ts';
import type { Role } from '../../src/users/roles.ts';
import type { Answer, CallOptions, TestServer, TestTenant } from './server.ts';

export const PASSWORD = 'four entirely random words';
/** Seconds of scrypt are not what most tests are about. */
export const CHEAP_SCRYPT = { ln: 4, r: 8, p: 1 };
/** As a browser on a page of the server sends it. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

export const cookieOf = (answer: Answer): string | undefined => {
  const set = [answer.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0] as string);
  return findCookie(set.join('; '), '__Host-parley');
};

export const tokenOf = (link: Answer): string => link.body.data.url.split('#')[1];

/** Somebody who has logged in. */
export interface TestPerson {
  userId: string;
  email: string;
  cookie: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
}

/** A caller with a cookie, as a page of the console is one. */
export function personWith(
  server: TestServer,
  cookie: string,
  { tenantId, userId = '', email = '' }: { tenantId?: string; userId?: string; email?: string },
): TestPerson {
  const call: TestPerson['call'] = (method, path, options = {}) =>
    server.call(method, path, {
      ...options,
      headers: {
        cookie: `__Host-parley=${cookie}`,
        ...OWN_PAGE,
        ...(tenantId === undefined ? {} : { 'parley-tenant': tenantId }),
        ...options.headers,
      },
    });
  return {
    userId,
    email,
    cookie,
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { body, ...options }),
  };
}

let people = 0;

/** Creates a user, invites somebody, and accepts the invitation. */
export async function usePerson(
  server: TestServer,
  tenant: TestTenant,
  role: Role,
  more: { access?: 'all' | 'teams'; email?: string } = {},
): Promise<TestPerson> {
  const { email = `person${++people}.${tenant.id}@example.com`, ...rest } = more;
  const user = await tenant.post('/v3/users', { name: `Person ${people}`, email, role, ...rest });
  const userId = user.body.data.id as string;
  const link = await tenant.post(`/v3/users/${userId}/invitation`);
  const accepted = await server.call('POST', '/v3/session/link', {
    body: { token: tokenOf(link), password: PASSWORD },
  });
  return personWith(server, cookieOf(accepted) as string, { tenantId: tenant.id, userId, email });
}
