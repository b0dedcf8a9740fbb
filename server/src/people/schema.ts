import { type Static, Type } from 'typebox';
import { scopes } from '../http/permissions.ts';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { userRoles } from '../users/roles.ts';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './password-rules.ts';

const MAX_EMAIL_CHARACTERS = 255;
const EmailAddress = Type.String({
  pattern: '^[^\\s@]{1,64}@[^\\s@]{1,190}$',
  maxLength: MAX_EMAIL_CHARACTERS,
});
const Password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_CHARACTERS });
const NewPassword = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD_CHARACTERS,
  description: `At least ${MIN_PASSWORD_CHARACTERS} characters, and none of the common passwords`,
});
const Code = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The six digits that the authenticator app shows, or a recovery code',
});
const Name = Type.String({ minLength: 1, maxLength: 255 });

/** What the first tenant is called if nobody says it. */
export const FIRST_TENANT = 'Main';

export const Login = Type.Object({
  email: EmailAddress,
  password: Password,
  code: Type.Optional(Code),
});
export type Login = Static<typeof Login>;

export const LinkUse = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200, description: 'What the link has after `#`' }),
  password: Type.Optional(
    Type.String({
      ...NewPassword,
      description:
        'The new password; for an invitation of somebody who has an account already, the password of that account',
    }),
  ),
  code: Type.Optional(Code),
  name: Type.Optional(Type.String({ ...Name, description: 'By default as in the invitation' })),
  email: Type.Optional(
    Type.String({ ...EmailAddress, description: 'For a first login; others have theirs' }),
  ),
  tenantName: Type.Optional(
    Type.String({
      ...Name,
      description: `For a first login where no tenant exists: what the new one is called; by default \`${FIRST_TENANT}\`. Otherwise it has no effect`,
    }),
  ),
});
export type LinkUse = Static<typeof LinkUse>;

export const LinkQuestion = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200, description: 'What the link has after `#`' }),
});

const linkKinds = ['invitation', 'reset', 'login'] as const;
export const LinkInfo = Type.Object(
  {
    kind: OneOf(linkKinds),
    email: Nullable(Type.String({ description: 'For whom it is; null if the person says it' })),
    name: Nullable(Type.String()),
    tenantName: Nullable(Type.String({ description: 'Where an invitation leads to' })),
    hasAccount: Type.Boolean({ description: 'Whether somebody with this address has an account' }),
    hasTotp: Type.Boolean({ description: 'Whether redeeming it requires a code' }),
    createsTenant: Type.Boolean({ description: 'Whether no tenant exists, so that `tenantName` names one' }),
  },
  { title: 'LinkInfo' },
);
export type LinkInfo = Static<typeof LinkInfo>;

export const PersonChange = Type.Object({ name: Name });

export const PasswordChange = Type.Object({ current: Password, next: NewPassword });
export const TotpEnrolment = Type.Object({ password: Type.Optional(Password) });
export const TotpCode = Type.Object({ code: Code });

export const Membership = Type.Object(
  {
    tenantId: Uuid(),
    tenantName: Type.String(),
    userId: Uuid(),
    name: Type.String(),
    role: OneOf(userRoles),
    scopes: Type.Array(OneOf(scopes), { description: 'What the role may do; `*` is everything' }),
    channelIds: Nullable(
      Type.Array(Uuid(), { description: 'The only channels whose chats the user sees; null for all' }),
    ),
  },
  { title: 'Membership' },
);
export type Membership = Static<typeof Membership>;

export const SessionInfo = Type.Object(
  {
    id: Uuid(),
    expiresAt: Timestamp('At the latest; 12 hours after the last request if that is earlier'),
    person: Type.Object({
      id: Uuid(),
      email: Type.String(),
      name: Type.String(),
      isOperator: Type.Boolean({ description: 'Whether `/admin` takes this session' }),
      hasPassword: Type.Boolean(),
      hasTotp: Type.Boolean({ description: 'Whether logging in requires a code' }),
    }),
    memberships: Type.Array(Membership, {
      description: 'The tenants; the header `Parley-Tenant` of other requests chooses one',
    }),
  },
  { title: 'Session' },
);
export type SessionInfo = Static<typeof SessionInfo>;

export const OwnSession = Type.Object(
  {
    id: Uuid(),
    isCurrent: Type.Boolean(),
    address: Type.String({ description: 'From where it was begun' }),
    agent: Type.String({ description: 'The browser, as it describes itself' }),
    createdAt: Timestamp(),
    lastSeenAt: Timestamp('To the minute'),
    expiresAt: Timestamp(),
  },
  { title: 'OwnSession' },
);
export type OwnSession = Static<typeof OwnSession>;

export const UserSession = Type.Object(
  {
    id: Uuid(),
    user: Type.Object({ id: Uuid(), name: Type.String() }),
    address: Type.String({ description: 'From where it was begun' }),
    agent: Type.String({ description: 'The browser, as it describes itself' }),
    createdAt: Timestamp(),
    lastSeenAt: Timestamp('To the minute'),
    expiresAt: Timestamp(),
  },
  {
    title: 'UserSession',
    description: 'A session of somebody who is a user of the tenant, in whichever tenant it is used',
  },
);
export type UserSession = Static<typeof UserSession>;

export const LoginMethods = Type.Object(
  {
    password: Type.Boolean(),
    oidc: Type.Boolean({ description: 'Whether an identity provider is configured' }),
    resetByMail: Type.Boolean({
      description: 'Whether links for new passwords are mailed; else an admin makes one',
    }),
  },
  { title: 'LoginMethods' },
);

export const Ended = Type.Object({ ended: Type.Boolean() }, { title: 'EndedSession' });

export const NewTotp = Type.Object(
  {
    secret: Type.String({ description: 'To be typed into the authenticator app' }),
    uri: Type.String({ description: 'The same as a picture that the app scans: `otpauth://…`' }),
  },
  { title: 'NewTotp' },
);

export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Each replaces a code of the app once. They cannot be read again',
    }),
  },
  { title: 'RecoveryCodes' },
);

export const PersonLink = Type.Object(
  {
    url: Type.String({ description: 'Give it to the person over a channel that you trust. It works once' }),
    expiresAt: Timestamp(),
    isMailed: Type.Boolean({
      description: 'Whether the person also gets a mail, with a link of its own that works as long',
    }),
  },
  { title: 'PersonLink' },
);
export type PersonLink = Static<typeof PersonLink>;

export const NewPasswordReset = Type.Object({ email: EmailAddress });
export const PasswordReset = Type.Object(
  {
    isMailed: Type.Boolean({
      description:
        'True: somebody who has this address gets a mail. False: no mail can be sent here; ask an admin of your tenant, or the operator, for a link',
    }),
  },
  { title: 'PasswordReset' },
);

export const NewLoginLink = Type.Object({
  email: Type.Optional(
    Type.String({
      ...EmailAddress,
      description: 'The person with this address logs in; without it, somebody new becomes an operator',
    }),
  ),
});

export const OidcReturn = Type.Object(
  {
    code: Type.Optional(Type.String({ description: 'What the identity provider gives the browser' })),
    state: Type.Optional(Type.String({ description: 'What the login began with' })),
    error: Type.Optional(Type.String({ description: 'Why the identity provider refuses' })),
  },
  // Providers send more, such as `iss` and `session_state`.
  { additionalProperties: true },
);

const actorTypes = ['user', 'token', 'operator'] as const;
export const AuditEntry = Type.Object(
  {
    id: Uuid(),
    actor: Type.Object({
      type: OneOf(actorTypes),
      id: Nullable(Uuid('The user or the token; the person who acted as the operator')),
      name: Type.String({ description: 'The name at that time' }),
    }),
    operation: Type.String({ description: 'The `operationId` of what was called' }),
    targetId: Nullable(Type.String({ description: 'What was changed' })),
    changes: FreeObject(
      'The fields that were given. Values are shown of those that cannot contain a text; the others are null',
    ),
    address: Type.String(),
    requestId: Type.String({ description: 'The `X-Request-Id` of the answer' }),
    createdAt: Timestamp(),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
