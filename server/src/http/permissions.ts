/** The scopes of tokens. Every operation requires exactly one of them, or only a valid token. */
export const scopes = [
  'chats:read',
  'chats:write',
  'chats:delete',
  'contacts:read',
  'contacts:write',
  'contacts:delete',
  'messages:read',
  'messages:write',
  'channels:read',
  'channels:write',
  'attributes:read',
  'attributes:write',
  'webhooks:read',
  'webhooks:write',
  'automations:read',
  'automations:write',
  'automations:trigger',
  'campaigns:read',
  'campaigns:write',
  'templates:read',
  'templates:write',
  'files:read',
  'files:write',
  'events:read',
  'users:read',
  'users:write',
  'tokens:read',
  'tokens:write',
  'audit:read',
  'reports:read',
  'tenant:read',
  'tenant:write',
  '*',
] as const;

export type Scope = (typeof scopes)[number];

export const features = ['automations', 'campaigns'] as const;
export type Feature = (typeof features)[number];

export const planNames = ['free', 'growth', 'scale'] as const;
export type Plan = (typeof planNames)[number];

/** What a tenant may have at most. The operator can set each of them for a tenant. */
export const limitNames = [
  'webhooks',
  'activeAutomations',
  'runsPerMinute',
  'streams',
  'storedFailedRequests',
  'storageBytes',
  'unfinishedJobs',
  'segments',
  'inboxViews',
  'savedReplies',
  'secrets',
] as const;
export type LimitName = (typeof limitNames)[number];
export type Limits = Readonly<Record<LimitName, number>>;

const GIB = 1024 ** 3;

/** What a plan allows that a tenant can use all of without disturbing others. */
const COMMON = {
  webhooks: 100,
  activeAutomations: 500,
  streams: 100,
  storedFailedRequests: 10_000,
  unfinishedJobs: 100,
  segments: 1_000,
  // Those of all users together.
  inboxViews: 5_000,
  savedReplies: 5_000,
  // All of them are decrypted for a run that uses one.
  secrets: 100,
};

export const plans: Record<
  Plan,
  { requestsPerMinute: number; features: readonly Feature[]; limits: Limits }
> = {
  free: {
    requestsPerMinute: 60,
    features: [],
    limits: { ...COMMON, runsPerMinute: 600, storageBytes: 10 * GIB },
  },
  growth: {
    requestsPerMinute: 600,
    features,
    limits: { ...COMMON, runsPerMinute: 6_000, storageBytes: 100 * GIB },
  },
  // A process executes about 2,000 runs a second: the limit only ends what would never end by itself.
  scale: {
    requestsPerMinute: 6000,
    features,
    limits: { ...COMMON, runsPerMinute: 600_000, storageBytes: 10_000 * GIB },
  },
};

/** A tenant that is created without a plan gets everything: self-hosted installations have no restrictions. */
export const DEFAULT_PLAN: Plan = 'scale';

/** A token, or a user of the tenant who has logged in. */
export type Caller =
  | { type: 'token'; id: string; name: string }
  | {
      type: 'user';
      id: string;
      name: string;
      personId: string;
      sessionId: string;
      /** Whether the user is an admin or an owner. */
      isAdmin: boolean;
    };

/** Who calls, in which tenant, and what they may do there. */
export interface Principal {
  tenantId: string;
  tenantName: string;
  caller: Caller;
  scopes: ReadonlySet<string>;
  /** The channels whose chats the caller sees; undefined for all channels. */
  channelIds?: ReadonlySet<string>;
  /** The teams of a user who has logged in. */
  teamIds?: readonly string[];
  plan: Plan;
  requestsPerMinute: number;
  limits: Limits;
  /** When the token ends, if that is soon. */
  expiresAt?: string;
}

/** For whom `me()` and `myTeams()` of filters are evaluated; undefined for a token. */
export const meOf = ({
  caller,
  teamIds = [],
}: Principal): { userId: string; teamIds: readonly string[] } | undefined =>
  caller.type === 'user' ? { userId: caller.id, teamIds } : undefined;

export const hasScope = (principal: Principal, scope: Scope): boolean =>
  principal.scopes.has('*') || principal.scopes.has(scope);

/** Whether a caller may read a kind of data: what a caller saves must not see more than the caller. */
export type CanRead = (scope: Scope) => boolean;

export const readerOf =
  (principal: Principal): CanRead =>
  (scope) =>
    hasScope(principal, scope);

/** The message of an issue of what a caller may not save. */
export const lacksScope = (scope: Scope): string => `The caller lacks the scope "${scope}", which this needs`;

export const hasFeature = (principal: Principal, feature: Feature): boolean =>
  plans[principal.plan].features.includes(feature);
