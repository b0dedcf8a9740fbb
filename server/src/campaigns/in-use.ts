import { Type } from 'typebox';
import { automationExists } from '../automations/versions.ts';
import { isInUse } from '../automations/versions-in-use.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type Statement, statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

/** What automations and campaigns refer to. */
export type UsedKind =
  | 'label'
  | 'template'
  | 'attribute'
  | 'user'
  | 'team'
  | 'channel'
  | 'automation'
  | 'secret'
  | 'segment'
  | 'file';

/** The query of a deletion that can be refused. */
export const Force = Type.Object({
  force: Type.Optional(
    Type.String({
      pattern: '^(true|false)$',
      description: 'With `true` it is deleted although active automations or campaigns use it',
    }),
  ),
});

interface User {
  kind: 'automation' | 'campaign' | 'segment';
  id: string;
  name: string;
}

/** At most so many are named. */
const MAX_NAMED = 5;

// Definitions and audiences name what they use: by its id, which is in no other text, or an attribute by its externalId. Few versions are
// in use, so only the texts of those are read.
const findUsers = statement<[id: string, pattern: string], User>(
  'automations.users_of',
  `select distinct 'automation' as kind, a.id, a.name
     from automations a join automation_versions v on v.automation_id = a.id and v.tenant_id = a.tenant_id
    where a.tenant_id = $tenant and not a.is_hidden and a.id <> $1
      and case when ${isInUse('a', 'v')} then v.definition::text ~ $2 else false end
   union all
   select 'campaign', c.id, c.name from visible_campaigns c
    where c.tenant_id = $tenant and c.status in ('scheduled', 'running', 'paused')
      and ($1 in (c.channel_id, c.message_template_id, c.automation_id, c.segment_id) or c.audience ~ $2 or c.message::text ~ $2
        or c.template_header::text ~ $2)
   union all
   select 'campaign', c.id, c.name from visible_campaigns c
    where c.tenant_id = $tenant and c.status = 'draft'
      and (c.segment_id = $1
        or (c.audience ~ $2 and exists (select 1 from segments s where s.id = $1 and s.tenant_id = $tenant)))
   union all
   select 'segment', s.id, s.name from segments s where s.tenant_id = $tenant and s.query ~ $2
    limit ${MAX_NAMED + 1}`,
);
const TABLES = {
  label: 'labels',
  template: 'message_templates',
  attribute: 'attributes',
  user: 'users',
  team: 'teams',
  channel: 'visible_channels',
  secret: 'automation_secrets',
  segment: 'segments',
  file: 'visible_files',
};
const eachKind = <K extends UsedKind>(tables: Record<K, string>, name: string, lock: string) =>
  Object.fromEntries(
    Object.entries<string>(tables).map(([kind, table]) => [
      kind,
      statement<[id: string], { id: string }>(
        `in_use.${name}_${kind}`,
        `select id from ${table} where id = $1 and tenant_id = $tenant${lock}`,
      ),
    ]),
  ) as Record<K, Statement<[id: string], { id: string }>>;
const finds = { ...eachKind(TABLES, 'find', ''), automation: automationExists };
const locks = eachKind({ ...TABLES, automation: 'automations' }, 'lock', ' for update');
const externalIdOf = statement<[id: string], { external_id: string }>(
  'attributes.external_id',
  'select external_id from attributes where id = $1 and tenant_id = $tenant',
);

const secretName = statement<[id: string], { name: string }>(
  'automation_secrets.name',
  'select name from automation_secrets where id = $1 and tenant_id = $tenant',
);

/** What is between an object and its key in Liquid: `.key`, `['key']`, or `["key"]`, whose quotes JSON escapes. */
const KEY_START = `(\\.|\\[\\s*\\\\?["'])`;

/** The pattern of texts that name it. An externalId has letters, digits and `_` only. */
async function patternOf(tx: TenantTx, kind: UsedKind, id: string): Promise<string> {
  if (kind === 'secret') {
    // It may have been deleted since it was found. Then nobody uses it by its id.
    const name = (await tx.find(secretName, [id]))?.name ?? id;
    return `secrets${KEY_START}${name}\\M|"signWith": "${name}"`;
  }
  // Texts keep ids as they were written.
  if (kind !== 'attribute') return `(?i)${id}`;
  const externalId = (await tx.find(externalIdOf, [id]))?.external_id ?? id;
  return `attributes${KEY_START}${externalId}\\M|"externalId": "${externalId}"`;
}

/**
 * Refuses what would break active automations and campaigns, and names them. What begins to use it holds it until its transaction ends,
 * so they are asked for under the lock. They are asked for without it before: the results of sends wait for the lock of a channel, and
 * the question may take long.
 */
export async function requireUnused(
  tx: TenantTx,
  kind: UsedKind,
  id: string,
  { force }: { force?: string },
): Promise<void> {
  if (force === 'true' || !isUuid(id)) return;
  for (const statements of [finds, locks]) {
    // What is gone already is not refused: a deletion that is asked for again answers as the first time.
    if (!(await tx.find(statements[kind], [id]))) return;
    await refuseUsed(tx, kind, id);
  }
}

async function refuseUsed(tx: TenantTx, kind: UsedKind, id: string): Promise<void> {
  const pattern = await patternOf(tx, kind, id);
  const users = await tx.all(findUsers, [id, pattern]);
  if (users.length === 0) return;
  const named = nameAll(users.slice(0, MAX_NAMED));
  const all = users.length > MAX_NAMED ? `${named} and others` : named;
  throw new ApiError('conflict', {
    detail: `the ${kind} is used by the ${all}; change them first, or add ?force=true`,
  });
}

/** One sentence of parts, each of which the console translates. */
function nameAll([first, ...rest]: readonly User[]): string {
  const { kind, name, id } = first as User;
  return rest.length === 0 ? `${kind} "${name}" (${id})` : `${kind} "${name}" (${id}), the ${nameAll(rest)}`;
}
