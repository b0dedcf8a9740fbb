import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { findConfiguredChannel, findHeldChannel, unknownChannelIssue } from '../channels/channel.ts';
import type { Database, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import type { Publisher } from '../engine/outbox.ts';
import type { Finish } from '../http/route.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import {
  type Adapter,
  type AdapterContext,
  VendorFailure,
  type VendorTemplate,
} from '../providers/adapter.ts';
import { fill } from '../providers/placeholders.ts';
import { jsonOrNull } from './change-template.ts';
import { buttonTypes, headerTypes, type TemplateSync } from './schema.ts';
import { publishStatusChange, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

const atVendorBefore = statement<[channelId: string, tenantId: string], { id: string }>(
  'templates.at_vendor',
  'select id from message_templates where channel_id = $1 and tenant_id = $2 and vendor_id is not null',
);
/** Those with a task are about to change at the vendor, so what it says of them is old already. */
const lockAll = statement<[channelId: string, tenantId: string], TemplateRow & { is_waiting: boolean }>(
  'templates.lock_all',
  `select ${TEMPLATE_COLUMNS}, exists (select 1 from template_tasks k where k.template_id = t.id) as is_waiting
     from message_templates t where t.channel_id = $1 and t.tenant_id = $2 order by t.id for update`,
);
const removals = statement<[channelId: string, tenantId: string], { name: string; language: string }>(
  'template_tasks.removals',
  'select name, language from template_tasks where channel_id = $1 and tenant_id = $2 and template_id is null',
);
type Stored = [
  id: string,
  tenantId: string,
  vendorId: string,
  category: string,
  status: string,
  reason: string | null,
  body: string,
  header: string | null,
  footer: string | null,
  buttons: string,
  now: Date,
];
const insertSynced = statement<[...Stored, channelId: string, name: string, language: string], TemplateRow>(
  'templates.insert_synced',
  `insert into message_templates as t (id, tenant_id, vendor_id, category, status, rejection_reason, body, header, footer,
                                       buttons, created_at, updated_at, channel_id, name, language, submitted)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13, $14, 1)
   on conflict (tenant_id, channel_id, name, language) do nothing returning ${TEMPLATE_COLUMNS}`,
);
const updateSynced = statement<Stored, TemplateRow>(
  'templates.update_synced',
  `update message_templates t set vendor_id = $3, category = $4, status = $5, rejection_reason = $6, body = $7, header = $8,
          footer = $9, buttons = $10, updated_at = $11, submitted = revision, problem = null
    where t.id = $1 and t.tenant_id = $2 returning ${TEMPLATE_COLUMNS}`,
);
/** Without its id there: whoever changes it makes it anew. */
const disableGone = statement<[ids: string[], tenantId: string, now: Date], TemplateRow>(
  'templates.disable_gone',
  `update message_templates t set status = 'disabled', vendor_id = null, submitted = null, updated_at = $3
    where t.id = any ($1::uuid[]) and t.tenant_id = $2 returning ${TEMPLATE_COLUMNS}`,
);

/**
 * A vendor's template as it is kept here. Kinds of header and button that there are only at the vendor are left out, and
 * what the vendor does not keep stays ours: the file of a header, and how the variable of a URL is called.
 */
function contentOf(told: VendorTemplate, ours: TemplateRow | undefined) {
  const { header, buttons } = told;
  const fileOf = (type: string): string | null => (ours?.header?.type === type ? ours.header.url : null);
  const isOurs = (url: string, at: number): boolean =>
    fill(ours?.buttons[at]?.url ?? '', ' ') === fill(url, ' ');
  return {
    category: told.category,
    status: told.status,
    reason: told.reason === null ? null : storable(told.reason),
    body: storable(told.body),
    header:
      header && headerTypes.some((type) => type === header.type)
        ? { type: header.type, text: header.text, url: header.url ?? fileOf(header.type) }
        : null,
    footer: told.footer === null ? null : storable(told.footer),
    buttons: buttons
      .filter(({ type }) => buttonTypes.some((one) => one === type))
      .map(({ type, text, url, phoneNumber }, at) => ({
        type,
        text,
        url: url !== null && isOurs(url, at) ? (ours?.buttons[at]?.url ?? url) : url,
        phoneNumber,
      })),
  };
}

type Content = ReturnType<typeof contentOf>;

function isSame(row: TemplateRow, vendorId: string, content: Content): boolean {
  const { category, status, rejection_reason: reason, body, header, footer, buttons } = row;
  const ours = { category, status, reason, body, header, footer, buttons };
  return row.vendor_id === vendorId && JSON.stringify(ours) === JSON.stringify(content);
}

const keyOf = ({ name, language }: { name: string; language: string }): string => `${language} ${name}`;

interface SyncDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  publisher: Publisher;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
}

/** The vendor's refusal as an answer: whether asking again may help is what the client must know. */
function refusalOf(error: unknown): unknown {
  if (error instanceof VendorFailure && !error.isPassing)
    return new ApiError('conflict', { detail: `the vendor says: ${error.message}` });
  if (error instanceof VendorFailure || error instanceof OutboundError)
    return new ApiError('service_unavailable', { detail: `the vendor did not answer: ${error.message}` });
  return error;
}

/** Makes, changes and disables templates until they are as the vendor told. `before` had been there when it was asked. */
async function takeOver(
  tx: Tx,
  tenantId: string,
  channelId: string,
  told: VendorTemplate[],
  before: Set<string>,
  { clock, publisher }: SyncDeps,
): Promise<TemplateSync> {
  const now = clock.now(tenantId);
  const rows = await tx.all(lockAll, [channelId, tenantId]);
  const draining = new Set((await tx.all(removals, [channelId, tenantId])).map(keyOf));
  const byId = new Map(rows.map((row) => [row.vendor_id, row]));
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const there = new Set<string>();
  const changed: TemplateRow[] = [];
  const counts = { created: 0, updated: 0, removed: 0 };
  for (const one of told) {
    const row = byId.get(one.vendorId) ?? byKey.get(keyOf(one));
    if (row) there.add(row.id);
    const content = contentOf(one, row);
    if (draining.has(keyOf(one)) || row?.is_waiting || (row && isSame(row, one.vendorId, content))) continue;
    const { category, status, reason, body, header, footer, buttons } = content;
    const stored: Stored = [
      row?.id ?? newId(),
      tenantId,
      one.vendorId,
      category,
      status,
      reason,
      body,
      jsonOrNull(header),
      footer,
      JSON.stringify(buttons),
      now,
    ];
    const made = row
      ? await tx.find(updateSynced, stored)
      : await tx.find(insertSynced, [...stored, channelId, one.name, one.language]);
    if (!made) continue;
    counts[row ? 'updated' : 'created'] += 1;
    if (row ? row.status !== made.status : made.status !== 'pending') changed.push(made);
  }
  const gone = rows.filter((row) => before.has(row.id) && !there.has(row.id) && !row.is_waiting);
  const disabled = await tx.all(disableGone, [gone.map((row) => row.id), tenantId, now]);
  changed.push(
    ...disabled.filter(({ id }) => gone.some((row) => row.id === id && row.status !== 'disabled')),
  );
  await publishStatusChange(tx, tenantId, changed, publisher);
  return { ...counts, removed: disabled.length, total: rows.length + counts.created };
}

/** Asks the vendor of a channel for all its templates and gives back how to make ours the same. */
export async function syncTemplates(
  tenantId: string,
  channelId: string,
  deps: SyncDeps,
): Promise<Finish<TemplateSync>> {
  const { db, keys, adapters, context } = deps;
  const unknown = () =>
    new ApiError('invalid_body_params', { invalidParams: unknownChannelIssue(channelId) });
  const channel = await findConfiguredChannel(db, tenantId, channelId, keys);
  if (!channel) throw unknown();
  const templates = adapters.get(channel.provider)?.templates;
  // Whoever was not at the vendor by now cannot be missing in what it is about to tell.
  const before = new Set((await db.all(atVendorBefore, [channel.id, tenantId])).map((row) => row.id));
  const told = await templates?.list(channel, context).catch((error) => {
    throw refusalOf(error);
  });
  return async (tx) => {
    if (!(await findHeldChannel(tx, tenantId, channel.id))) throw unknown();
    if (told) return takeOver(tx, tenantId, channel.id, told, before, deps);
    const rows = await tx.all(lockAll, [channel.id, tenantId]);
    return { created: 0, updated: 0, removed: 0, total: rows.length };
  };
}
