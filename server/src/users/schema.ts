import { type Static, Type } from 'typebox';
import { OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { userRoles } from './roles.ts';

const Name = Type.String({ minLength: 1, maxLength: 255 });
const Email = Type.String({
  pattern: '^[^\\s@]{1,64}@[^\\s@]{1,190}$',
  description: 'Unique in the tenant, not case-sensitive; stored in lower case',
});
const Role = OneOf(userRoles, 'What the user may do; `GET /v3/session` shows the scopes of a role');
/** Which chats an agent or viewer sees. */
export const userAccesses = ['all', 'teams'] as const;
const Access = OneOf(
  userAccesses,
  'Whether an agent or viewer sees the chats of all channels, or only those of the channels of its teams. Owners and admins see all',
);
const IsAway = Type.Boolean({
  description: 'Whether the user gets no chats in turn, from steps that assign by `round_robin`',
});
const invitations = ['none', 'pending', 'expired', 'accepted'] as const;
const UserIds = Type.Array(Uuid(), { maxItems: 1000, description: 'The members of the team' });
const ChannelIds = Type.Array(Uuid(), {
  maxItems: 1000,
  description: 'The channels of the team: members with the access `teams` see the chats of these',
});

export const NewUser = Type.Object({ name: Name, email: Email, role: Role, access: Type.Optional(Access) });
export type NewUser = Static<typeof NewUser>;
export const UserChange = Type.Object({
  name: Type.Optional(Name),
  email: Type.Optional(Email),
  role: Type.Optional(Role),
  access: Type.Optional(Access),
  isAway: Type.Optional(IsAway),
});
export type UserChange = Static<typeof UserChange>;
export const Availability = Type.Object({
  isAway: IsAway,
  userId: Type.Optional(Uuid('Who is away, if a token says it; a person who has logged in by default')),
});
export const User = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    email: Type.String(),
    role: Role,
    access: Access,
    isAway: IsAway,
    hasLogin: Type.Boolean({ description: 'Whether a person can log in as this user' }),
    invitation: OneOf(
      invitations,
      'Whether there is a link to join as this user, and whether it was accepted',
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const NewTeam = Type.Object({
  name: Name,
  userIds: Type.Optional(UserIds),
  channelIds: Type.Optional(ChannelIds),
});
export type NewTeam = Static<typeof NewTeam>;
export const TeamChange = Type.Object({
  name: Type.Optional(Name),
  userIds: Type.Optional(UserIds),
  channelIds: Type.Optional(ChannelIds),
  baseUpdatedAt: Type.Optional(
    Timestamp(
      'The `updatedAt` of the team as you know it. Nothing is changed, with 409, if somebody has changed the team since',
    ),
  ),
});
export type TeamChange = Static<typeof TeamChange>;
export const Team = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    userIds: Type.Array(Uuid()),
    channelIds: Type.Array(Uuid()),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Team' },
);
export type Team = Static<typeof Team>;
