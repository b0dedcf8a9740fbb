import { type Static, Type } from 'typebox';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { GUIDES_PATH } from '../http/guides.ts';
import { Nullable, OneOf, Timestamp, timestampOrNull } from '../http/schema.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { type ChannelKind, channelKinds } from '../providers/kinds.ts';
import { addressHelp, type ChannelSetup, type StepKind, setups } from '../providers/setups.ts';
import { decryptConfig } from './encrypted-config.ts';
import { channelHealths } from './schema.ts';

const SetupField = Type.Object({
  name: Type.String({ description: 'Its path below `config`, such as `smtp.host`' }),
  label: Type.String(),
  type: OneOf(['text', 'number', 'boolean']),
  isRequired: Type.Boolean(),
  isSecret: Type.Boolean({ description: 'Whether it is never shown again' }),
  isAdvanced: Type.Boolean({ description: 'Whether most channels do without it' }),
  help: Type.String(),
});

export const ChannelKindInfo = Type.Object(
  {
    kind: OneOf(channelKinds),
    provider: Type.String(),
    label: Type.String({ description: 'The name of the provider' }),
    addressHelp: Type.String({ description: 'What the `address` of such a channel is' }),
    fields: Type.Array(SetupField, { description: 'The settings in `config`' }),
    steps: Type.Array(Type.String(), { description: 'What to do, in order' }),
    hasWebhook: Type.Boolean({ description: 'Whether the vendor must know a URL of this server' }),
    guideUrl: Type.String({ description: 'The guide, as a path of this server' }),
  },
  { title: 'ChannelKind' },
);
export type ChannelKindInfo = Static<typeof ChannelKindInfo>;

export const ChannelSetupInfo = Type.Object(
  {
    webhookUrl: Nullable(
      Type.String({ description: 'What to enter at the vendor; null if the vendor calls nothing' }),
    ),
    verifyToken: Nullable(Type.String({ description: 'What to enter beside it, at Meta; otherwise null' })),
    isReachable: Type.Boolean({
      description:
        'False if the URL is one that no vendor can call: set `PARLEY_BASE_URL` to the public address',
    }),
    steps: Type.Array(
      Type.Object({
        text: Type.String(),
        isDone: Nullable(
          Type.Boolean({
            description: 'Whether something has been seen that shows it; null if nothing ever does',
          }),
        ),
        needsWebhook: Type.Boolean({ description: 'Whether `webhookUrl` is entered in this step' }),
      }),
      { description: 'What to do, in order' },
    ),
    guideUrl: Type.String({ description: 'The guide, as a path of this server' }),
    health: OneOf(channelHealths),
    problem: Nullable(Type.String()),
    lastReceivedAt: Nullable(
      Timestamp('When the newest message of a contact came in; null if there is none'),
    ),
    lastSentAt: Nullable(Timestamp('When the newest message was sent; null if there is none')),
    failedRequests: Type.Integer({
      description: 'Requests of the vendor that could not be processed, at most 100',
    }),
  },
  { title: 'ChannelSetup' },
);
export type ChannelSetupInfo = Static<typeof ChannelSetupInfo>;

const guideUrlOf = ({ guide }: ChannelSetup): string => `${GUIDES_PATH}/${guide}`;
const setupOf = (provider: string): ChannelSetup => setups[provider] as ChannelSetup;

/** What a channel of each kind and provider needs. */
export const listChannelKinds = (adapters: Adapters): ChannelKindInfo[] =>
  [...adapters.values()].flatMap(({ provider, kinds }) => {
    const setup = setupOf(provider);
    return kinds.map((kind) => ({
      kind,
      provider,
      label: setup.label,
      addressHelp: addressHelp[kind],
      fields: [...setup.fields],
      steps: setup.steps.map(({ text }) => text),
      hasWebhook: setup.callback !== null,
      guideUrl: guideUrlOf(setup),
    }));
  });

interface SetupRow {
  id: string;
  kind: ChannelKind;
  provider: string;
  health: ChannelSetupInfo['health'];
  problem: string | null;
  config_encrypted: Buffer;
  received_at: Date | null;
  sent_at: Date | null;
  failed: number;
}

const MAX_FAILED = 100;
/** Older messages are not looked at: a channel that only sends has millions of them. */
const NEWEST_MESSAGES = 1_000;

const channelSetup = statement<[id: string], SetupRow>(
  'channels.setup',
  `select c.id, c.kind, c.provider, c.health, c.problem, c.config_encrypted, m.received_at, m.sent_at,
          (select count(*)::int from (
             select 1 from visible_inbound i where i.channel_id = c.id and i.due_at is null limit ${MAX_FAILED}) f) as failed
     from visible_channels c
     cross join lateral (
       select max(n.created_at) filter (where n.sender = 'inbound') as received_at,
              max(n.timestamp) filter (where n.sender = 'outbound' and n.status in ('sent', 'delivered', 'read')) as sent_at
         from (select x.sender, x.created_at, x.timestamp, x.status from visible_messages x
                where x.tenant_id = c.tenant_id and x.channel_id = c.id
                order by x.created_at desc, x.id desc limit ${NEWEST_MESSAGES}) n) m
    where c.id = $1 and c.tenant_id = $tenant`,
);

const hasReceived = ({ received_at }: SetupRow): boolean => received_at !== null;
/** What has been seen so far. A vendor that warns about a channel accepts its credentials. */
const isDone: Record<StepKind, (row: SetupRow) => boolean | null> = {
  vendor: ({ health }) => health === 'healthy' || health === 'degraded',
  create: () => true,
  webhook: hasReceived,
  receive: hasReceived,
  elsewhere: () => null,
};

const LOCAL = /^https?:\/\/(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[)/;

interface SetupDeps {
  adapters: Adapters;
  context: AdapterContext;
  keys: Keys;
}

/** How to connect a channel at its vendor, and what has come of it so far. */
export async function readSetup(
  db: TenantReader,
  channelId: string,
  { adapters, context, keys }: SetupDeps,
): Promise<ChannelSetupInfo> {
  const row = isUuid(channelId) ? await db.find(channelSetup, [channelId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  const setup = setupOf(row.provider);
  const adapter = adapters.get(row.provider) as Adapter;
  const own = context.callbackUrl(row.provider, row.id);
  const url = setup.callback === 'shared' ? own.slice(0, -(row.id.length + 1)) : own;
  return {
    webhookUrl: setup.callback === null ? null : url,
    verifyToken: adapter.verifyToken?.(decryptConfig(row.config_encrypted, keys)) ?? null,
    isReachable: setup.callback === null || (url.startsWith('https://') && !LOCAL.test(url)),
    steps: setup.steps.map(({ kind, text }) => ({
      text,
      isDone: isDone[kind](row),
      needsWebhook: kind === 'webhook',
    })),
    guideUrl: guideUrlOf(setup),
    health: row.health,
    problem: row.problem,
    lastReceivedAt: timestampOrNull(row.received_at),
    lastSentAt: timestampOrNull(row.sent_at),
    failedRequests: row.failed,
  };
}
