import { ApiError, type ErrorKey, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type Statement, statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { isVisibleFile } from '../files/visible-files.ts';
import type { ChannelAccess, HiddenReference } from '../http/channel-access.ts';

type FindOthers = Statement<[ids: string[], channelIds: string[]], { id: string }>;

/** Of the given ids, those that belong to other channels. */
const othersOf = (name: string, from: string, id: string, channel: string): FindOthers =>
  statement(
    `channel_access.${name}`,
    `select ${id} as id from ${from} where ${id} = any ($1::uuid[]) and x.tenant_id = $tenant and ${channel} <> all ($2::uuid[])`,
  );
/** Files of others also depend on the caller, who sees own uploads. */
const otherFiles = statement<[ids: string[], channelIds: string[], userId: string], { id: string }>(
  'channel_access.files',
  `select f.id from visible_files f where f.id = any ($1::uuid[]) and f.tenant_id = $tenant
      and ${isVisibleFile({ tenant: '$tenant', channelIds: '$2::uuid[]', userId: '$3::uuid' })} is not true`,
);

/** How the channel of each kind of resource is found, and what is said of one that does not exist. */
const resources = {
  chat: { others: othersOf('chats', 'visible_chats x', 'x.id', 'x.channel_id'), error: 'chat_not_found' },
  message: {
    others: othersOf('messages', 'visible_messages x', 'x.id', 'x.channel_id'),
    error: 'message_not_found',
  },
  note: { others: othersOf('notes', 'visible_notes x', 'x.id', 'x.channel_id'), error: 'note_not_found' },
  file: { others: undefined, error: 'file_not_found' },
  campaign: {
    others: othersOf('campaigns', 'visible_campaigns x', 'x.id', 'x.channel_id'),
    error: 'campaign_not_found',
  },
  run: {
    others: othersOf(
      'runs',
      `visible_automation_runs x
         left join visible_chats k on k.id = x.chat_id and (k.tenant_id = x.tenant_id) is true
         left join visible_campaigns c on c.id = x.campaign_id and (c.tenant_id = x.tenant_id) is true`,
      'x.id',
      'coalesce(k.channel_id, c.channel_id)',
    ),
    error: 'automation_run_not_found',
  },
  template: {
    others: othersOf('templates', 'message_templates x', 'x.id', 'x.channel_id'),
    error: 'message_template_not_found',
  },
  // One without channels is for all of them.
  savedReply: {
    others: statement(
      'channel_access.saved_replies',
      `select id from saved_replies where id = any ($1::uuid[]) and tenant_id = $tenant
          and channel_ids <> '{}' and not channel_ids && $2::uuid[]`,
    ),
    error: 'saved_reply_not_found',
  },
  channel: { others: undefined, error: 'channel_not_found' },
} as const satisfies Record<string, { others: FindOthers | undefined; error: ErrorKey }>;
type Kind = keyof typeof resources;

/** The names of parameters and fields, and what kind of id they have. Other names are of what every user sees. */
export const restrictedNames: Readonly<Record<string, Kind>> = {
  chatId: 'chat',
  messageId: 'message',
  replyToMessageId: 'message',
  noteId: 'note',
  fileId: 'file',
  campaignId: 'campaign',
  runId: 'run',
  messageTemplateId: 'template',
  templateId: 'template',
  savedReplyId: 'savedReply',
  channelId: 'channel',
  channelIds: 'channel',
};

interface Reference {
  kind: Kind;
  id: string;
  /** Where it is in the query or the body; undefined in the path. */
  path: string | undefined;
}

/** A body has at most 200,000 values, and its depth is bounded. */
function collectReferences(value: unknown, path: string, found: Reference[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    const itemPath = path === '' ? name : `${path}.${name}`;
    const kind = Object.hasOwn(restrictedNames, name) ? restrictedNames[name] : undefined;
    if (kind === undefined) collectReferences(item, itemPath, found);
    else addReferences(kind, item, itemPath, found);
  }
}

function addReferences(kind: Kind, value: unknown, path: string, found: Reference[]): void {
  if (typeof value === 'string')
    for (const id of value.split(',')) found.push({ kind, id: id.trim().toLowerCase(), path });
  else collectReferencesIn(kind, value, path, found);
}

function collectReferencesIn(kind: Kind, value: unknown, path: string, found: Reference[]): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) addReferences(kind, item, `${path}.${index}`, found);
  else collectReferences(value, path, found);
}

async function findHidden(
  db: TenantReader,
  channelIds: ReadonlySet<string>,
  given: Parameters<ChannelAccess['findHidden']>[2],
  userId: string,
): Promise<HiddenReference | undefined> {
  const found: Reference[] = [];
  for (const [name, id] of Object.entries(given.params)) {
    const kind = Object.hasOwn(restrictedNames, name) ? restrictedNames[name] : undefined;
    if (kind !== undefined) found.push({ kind, id: id.toLowerCase(), path: undefined });
  }
  collectReferences(given.query, '', found);
  collectReferences(given.body, '', found);
  for (const kind of Object.keys(resources) as Kind[]) {
    const ofKind = found.filter((one) => one.kind === kind && isUuid(one.id));
    if (ofKind.length === 0) continue;
    const hidden = await findOthers(db, kind, ofKind, channelIds, userId);
    const first = ofKind.find(({ id }) => hidden.has(id));
    if (first) return describeHidden(first);
  }
  return undefined;
}

async function findOthers(
  db: TenantReader,
  kind: Kind,
  references: readonly Reference[],
  channelIds: ReadonlySet<string>,
  userId: string,
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(references.map(({ id }) => id))];
  if (kind === 'file')
    return new Set((await db.all(otherFiles, [ids, [...channelIds], userId])).map(({ id }) => id));
  const { others } = resources[kind];
  if (!others) return new Set(ids.filter((id) => !channelIds.has(id)));
  return new Set((await db.all(others, [ids, [...channelIds]])).map(({ id }) => id));
}

const describeHidden = ({ kind, id, path }: Reference): HiddenReference =>
  path === undefined
    ? { error: new ApiError(resources[kind].error), isInPath: true }
    : { error: invalidParam(path, 'custom', `There is no ${kind} ${id}`), isInPath: false };

const MAX_DEPTH = 16;

/** What shows a decision of a contact, without the message: it may be in any channel. */
function withoutMessage(proof: unknown): unknown {
  if (typeof proof !== 'object' || proof === null) return proof;
  const { messageId: _, ...rest } = proof as Record<string, unknown>;
  return rest;
}

/** A copy without chats of other channels. What a tenant stores itself is not looked into. */
function withoutHidden(answer: unknown, channelIds: ReadonlySet<string>, depth = 0): unknown {
  if (typeof answer !== 'object' || answer === null || depth > MAX_DEPTH) return answer;
  if (Array.isArray(answer)) return answer.map((item) => withoutHidden(item, channelIds, depth + 1));
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => {
      if (name === 'metadata') return [name, value];
      if (name === 'chats' && Array.isArray(value))
        return [name, value.filter((chat) => channelIds.has(chat?.channelId))];
      if (name === 'proof') return [name, withoutMessage(value)];
      // Pairs of ids without a channel.
      if (name === 'mergedChats') return [name, []];
      return [name, withoutHidden(value, channelIds, depth + 1)];
    }),
  );
}

export const channelAccess: ChannelAccess = {
  findHidden,
  withoutHidden: (answer, channelIds) => withoutHidden(answer, channelIds),
};
