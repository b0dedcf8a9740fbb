import { type Static, Type } from 'typebox';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { GUIDES_PATH } from '../http/guides.ts';
import { FreeObject, Nullable, OneOf, Timestamp, timestampOrNull } from '../http/schema.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { type ChannelKind, channelKinds } from '../providers/kinds.ts';
import {
  addressHelp,
  type ChannelSetup,
  type SetupField,
  type StepKind,
  setups,
  stepKinds,
} from '../providers/setups.ts';
import { decryptConfig } from './encrypted-config.ts';
import type { channelHealths } from './schema.ts';

export const ChannelKindInfo = Type.Object(
  {
    kind: OneOf(channelKinds),
    provider: Type.String(),
    label: Type.String({ description: 'The name of the provider' }),
    addressHelp: Type.String({ description: 'What the `address` of such a channel is' }),
    settings: FreeObject(
      'The JSON schema of `config`. Secrets are `writeOnly`; most channels do without what has `x-advanced`',
    ),
    steps: Type.Array(Type.String(), { description: 'What to do, in order' }),
    hasWebhook: Type.Boolean({ description: 'Whether the vendor must know a URL of this server' }),
    help: Type.String({ description: 'The guide, as a path of this server' }),
  },
  { title: 'ChannelKind' },
);
export type ChannelKindInfo = Static<typeof ChannelKindInfo>;

export const ChannelSetupStep = Type.Object(
  {
    step: Type.String({ description: 'What to do' }),
    status: OneOf(
      ['done', 'open', 'unknown'],
      'Whether something has been seen that shows that it is done; `unknown` if nothing ever does',
    ),
    message: Type.String({ description: 'What has been seen, or is missing' }),
    kind: OneOf(stepKinds, 'What the step is about'),
    seenAt: Nullable(
      Timestamp(
        'When the newest message came in (`webhook`, `receive`) or was sent (`send`); otherwise null',
      ),
    ),
    webhookUrl: Nullable(
      Type.String({ description: 'What to enter at the vendor in this step; null in all others' }),
    ),
    verifyToken: Nullable(Type.String({ description: 'What to enter beside it, at Meta; otherwise null' })),
    isReachable: Type.Boolean({
      description:
        'False if `webhookUrl` is one that no vendor can call: set `PARLEY_BASE_URL` to the public address',
    }),
  },
  { title: 'ChannelSetupStep' },
);
export type ChannelSetupStep = Static<typeof ChannelSetupStep>;

const setupOf = (provider: string): ChannelSetup => setups[provider] as ChannelSetup;

interface ObjectSchema {
  type: 'object';
  properties: Record<string, ObjectSchema | object>;
  required: string[];
  additionalProperties: false;
}

const newObject = (): ObjectSchema => ({
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
});
const JSON_TYPES = { text: 'string', number: 'integer', boolean: 'boolean' };

/** Settings with a dot in their names are in groups: `smtp.host` is `{ smtp: { host } }`. */
function schemaOf(fields: readonly SetupField[]): ObjectSchema {
  const schema = newObject();
  for (const { name: path, label, type, help, isRequired, isSecret, isAdvanced } of fields) {
    const names = path.split('.');
    const last = names.pop() as string;
    let group = schema;
    const require = (name: string): void => {
      if (isRequired && !group.required.includes(name)) group.required.push(name);
    };
    for (const name of names) {
      require(name);
      group.properties[name] ??= newObject();
      group = group.properties[name] as ObjectSchema;
    }
    require(last);
    group.properties[last] = {
      type: JSON_TYPES[type],
      title: label,
      description: help,
      ...(isSecret ? { writeOnly: true } : {}),
      ...(isAdvanced ? { 'x-advanced': true } : {}),
    };
  }
  return schema;
}

/** What a channel of each kind and provider needs. */
export const listChannelKinds = (adapters: Adapters): ChannelKindInfo[] =>
  [...adapters.values()].flatMap(({ provider, kinds }) => {
    const setup = setupOf(provider);
    return kinds.map((kind) => ({
      kind,
      provider,
      label: setup.label,
      addressHelp: addressHelp[kind],
      settings: { ...schemaOf(setup.fields) },
      steps: setup.steps.map(({ text }) => text),
      hasWebhook: setup.callback !== null,
      help: `${GUIDES_PATH}/${setup.guide}`,
    }));
  });

interface SetupRow {
  id: string;
  kind: ChannelKind;
  provider: string;
  health: (typeof channelHealths)[number];
  problem: string | null;
  config_encrypted: Buffer;
  received_at: Date | null;
  sent_at: Date | null;
}

/** Older messages are not looked at: a channel that only sends has millions of them. */
const NEWEST_MESSAGES = 1_000;

const channelSetup = statement<[id: string], SetupRow>(
  'channels.setup',
  `select c.id, c.kind, c.provider, c.health, c.problem, c.config_encrypted, m.received_at, m.sent_at
     from visible_channels c
     cross join lateral (
       select max(n.created_at) filter (where n.sender = 'inbound') as received_at,
              max(n.timestamp) filter (where n.sender = 'outbound' and n.status in ('sent', 'delivered', 'read')) as sent_at
         from (select x.sender, x.created_at, x.timestamp, x.status from visible_messages x
                where x.tenant_id = c.tenant_id and x.channel_id = c.id
                order by x.created_at desc, x.id desc limit ${NEWEST_MESSAGES}) n) m
    where c.id = $1 and c.tenant_id = $tenant`,
);

interface Seen {
  isDone: boolean | null;
  message: string;
  at?: Date | null;
}

const describeReceived = ({ received_at }: SetupRow): Seen => ({
  isDone: received_at !== null,
  message: received_at === null ? 'No message has come in yet.' : 'A message has come in.',
  at: received_at,
});
/** What has been seen so far. A vendor that warns about a channel accepts its credentials. */
const describers: Record<StepKind, (row: SetupRow) => Seen> = {
  vendor: ({ health, problem }) =>
    health === 'healthy' || health === 'degraded'
      ? { isDone: true, message: 'The vendor accepts the credentials.' }
      : { isDone: false, message: problem ?? 'Check the channel: the vendor has not been asked yet.' },
  create: () => ({ isDone: true, message: 'The channel exists.' }),
  webhook: describeReceived,
  receive: describeReceived,
  send: ({ sent_at }) => ({
    isDone: sent_at !== null,
    message: sent_at === null ? 'No message has been sent yet.' : 'A message has been sent.',
    at: sent_at,
  }),
  elsewhere: () => ({ isDone: null, message: 'Nothing shows here whether it is done.' }),
};

const LOCAL = /^https?:\/\/(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[)/;

interface SetupDeps {
  adapters: Adapters;
  context: AdapterContext;
  keys: Keys;
  canSeeSecrets: boolean;
}

/** How to connect a channel at its vendor, and what has come of it so far. */
export async function readSetup(
  db: TenantReader,
  channelId: string,
  { adapters, context, keys, canSeeSecrets }: SetupDeps,
): Promise<ChannelSetupStep[]> {
  const row = isUuid(channelId) ? await db.find(channelSetup, [channelId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  const setup = setupOf(row.provider);
  const adapter = adapters.get(row.provider) as Adapter;
  const own = context.callbackUrl(row.provider, row.id);
  const url = setup.callback === 'shared' ? own.slice(0, -(row.id.length + 1)) : own;
  const verifyToken = canSeeSecrets
    ? (adapter.verifyToken?.(decryptConfig(row.config_encrypted, keys)) ?? null)
    : null;
  return setup.steps.map(({ kind, text }) => {
    const { isDone, message, at = null } = describers[kind](row);
    const needsWebhook = kind === 'webhook' && setup.callback !== null;
    return {
      step: text,
      status: isDone === null ? 'unknown' : isDone ? 'done' : 'open',
      message,
      kind,
      seenAt: timestampOrNull(at),
      webhookUrl: needsWebhook ? url : null,
      verifyToken: needsWebhook ? verifyToken : null,
      isReachable: !needsWebhook || (url.startsWith('https://') && !LOCAL.test(url)),
    };
  });
}
