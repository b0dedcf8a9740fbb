import { type Static, Type } from 'typebox';
import { OneOf, Timestamp, Uuid } from '../http/schema.ts';

export const userRoles = ['admin', 'agent'] as const;

const Name = Type.String({ minLength: 1, maxLength: 255 });
const Email = Type.String({
  pattern: '^[^\\s@]{1,64}@[^\\s@]{1,190}$',
  description: 'Unique in the tenant, not case-sensitive',
});
const Role = OneOf(userRoles);
const UserIds = Type.Array(Uuid(), { maxItems: 1000, description: 'The members of the team' });

export const NewUser = Type.Object({ name: Name, email: Email, role: Role });
export const UserChange = Type.Object({
  name: Type.Optional(Name),
  email: Type.Optional(Email),
  role: Type.Optional(Role),
});
export const User = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    email: Type.String(),
    role: Role,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const NewTeam = Type.Object({ name: Name, userIds: Type.Optional(UserIds) });
export const TeamChange = Type.Object({ name: Type.Optional(Name), userIds: Type.Optional(UserIds) });
export const Team = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    userIds: Type.Array(Uuid()),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Team' },
);
export type Team = Static<typeof Team>;
