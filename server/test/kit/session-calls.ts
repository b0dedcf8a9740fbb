import type { Route } from '../../src/http/route.ts';
import { stepAt, totpCode } from '../../src/people/totp.ts';
import { PASSWORD, type TestPerson, tokenOf } from './people.ts';
import type { TestTenant } from './server.ts';

/** The code that an authenticator app shows, or will show so many steps later. */
export const codeOf = (secret: string, later = 0): string => totpCode(secret, stepAt(Date.now()) + later);

/** Prepares two-factor login, and returns the secret. */
export const enrol = async (person: TestPerson): Promise<string> =>
  (await person.post('/v3/session/totp', { password: PASSWORD })).body.data.secret;

/** Switches two-factor login on, and returns the secret and the recovery codes. */
export async function useTotp(person: TestPerson): Promise<{ secret: string; recoveryCodes: string[] }> {
  const secret = await enrol(person);
  const confirm = () => person.post('/v3/session/totp/confirm', { code: codeOf(secret, -1) });
  // Of the step before, so that a test can use the present one. If a step ends at this moment, it is refused.
  const step = stepAt(Date.now());
  let confirmed = await confirm();
  if (stepAt(Date.now()) !== step && confirmed.status !== 200) confirmed = await confirm();
  return { secret, recoveryCodes: confirmed.body.data.recoveryCodes };
}

/** A valid body for a route about the own account, which depends on the state of the person. */
export async function sessionBodyFor(
  { spec }: Route,
  person: TestPerson,
  tenant: TestTenant,
): Promise<unknown> {
  switch (spec.operationId) {
    case 'logIn':
      return { email: person.email, password: PASSWORD };
    case 'updatePerson':
      return { name: 'Another Name' };
    case 'describeLink':
    case 'redeemLink': {
      const user = await tenant.post('/v3/users', {
        name: 'Invited',
        email: 'invited@example.com',
        role: 'agent',
      });
      const link = await tenant.post(`/v3/users/${user.body.data.id}/invitation`);
      const token = tokenOf(link);
      return spec.operationId === 'describeLink' ? { token } : { token, password: PASSWORD };
    }
    case 'changePassword':
      return { current: PASSWORD, next: 'another good secret' };
    case 'enrolTotp':
      return { password: PASSWORD };
    case 'confirmTotp':
      return { code: codeOf(await enrol(person)) };
    case 'disableTotp':
      return { code: codeOf((await useTotp(person)).secret) };
    default:
      return undefined;
  }
}
