import { type Static, Type } from 'typebox';
import { invalidParam } from '../base/errors.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { Principal } from '../http/permissions.ts';
import { Nullable, OneOf, Uuid } from '../http/schema.ts';
import { findUser } from './user.ts';

export const authorTypes = ['contact', 'user', 'automation', 'campaign', 'api'] as const;

export const Author = Type.Object(
  {
    type: OneOf(authorTypes, '`api` is an integration that did not say for which user it writes'),
    id: Nullable(
      Uuid(
        'Of the contact, user, automation, campaign or token; null for what was written in the vendor’s app',
      ),
    ),
    name: Nullable(Type.String({ description: 'The name at the time of writing' })),
  },
  { title: 'Author' },
);
export type Author = Static<typeof Author>;

/** The parameter of operations by which a token writes for a user. */
export const OnBehalfOf = {
  userId: Type.Optional(Uuid('The user in whose name this is written; the token itself by default')),
};

/** Who writes: the user who has logged in, the token, or the user for whom the token writes. */
export async function authorOf(
  db: TenantReader,
  { caller }: Pick<Principal, 'caller'>,
  userId: string | undefined,
): Promise<Author> {
  if (caller.type === 'user') {
    if (userId !== undefined && userId.toLowerCase() !== caller.id)
      throw invalidParam('userId', 'custom', 'Only tokens write for other users');
    return { type: 'user', id: caller.id, name: caller.name };
  }
  if (userId === undefined) return { type: 'api', id: caller.id, name: caller.name };
  const user = await findUser(db, userId);
  if (!user) throw invalidParam('userId', 'custom', `There is no user ${userId}`);
  return { type: 'user', id: user.id, name: user.name };
}
