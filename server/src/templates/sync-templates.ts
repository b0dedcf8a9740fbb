import { isDeepStrictEqual } from 'node:util';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { storable } from '../base/storable.ts';
import { findConfiguredChannel, findHeldChannel, unknownChannel } from '../channels/channel.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import type { Finish } from '../http/route.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { fill } from '../providers/placeholders.ts';
import { VendorFailure } from '../providers/vendor-failure.ts';
import type { VendorTemplate, VendorTemplateCard, VendorTemplateList } from '../providers/vendor-template.ts';
import { jsonOrNull, specialColumns } from './change-template.ts';
import { buttonTypes, headerTypes, type MessageTemplate, type TemplateSync } from './schema.ts';
import { publishStatusChange, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

const atVendorBefore = statement<[channelId: string], { id: string }>(
  'templates.at_vendor',
  'select id from message_templates where channel_id = $1 and tenant_id = $tenant and vendor_id is not null',
);
/** Templates with a task are about to change at the vendor, so the vendor's list is out of date about them. */
const lockAll = statement<[channelId: string], TemplateRow & { is_waiting: boolean }>(
  'templates.lock_all',
  `select ${TEMPLATE_COLUMNS}, exists (select 1 from template_tasks k where k.template_id = t.id) as is_waiting
     from message_templates t where t.channel_id = $1 and t.tenant_id = $tenant order by t.id for no key update`,
);
const removals = statement<[channelId: string], { name: string; language: string }>(
  'template_tasks.removals',
  'select name, language from template_tasks where channel_id = $1 and tenant_id = $tenant and template_id is null',
);
type SyncedValues = [
  id: string,
  vendorId: string,
  category: string,
  status: string,
  reason: string | null,
  body: string,
  header: string | null,
  footer: string | null,
  buttons: string,
  now: Date,
  cards: string | null,
  offer: string | null,
  authentication: string | null,
];
const insertSynced = statement<
  [...SyncedValues, channelId: string, name: string, language: string],
  TemplateRow
>(
  'templates.insert_synced',
  `insert into message_templates as t (id, tenant_id, vendor_id, category, status, rejection_reason, body, header, footer,
                                       buttons, created_at, updated_at, cards, offer, authentication, channel_id, name,
                                       language, submitted)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15, $16, 1)
   on conflict (tenant_id, channel_id, name, language) do nothing returning ${TEMPLATE_COLUMNS}`,
);
const updateSynced = statement<SyncedValues, TemplateRow>(
  'templates.update_synced',
  `update message_templates t set vendor_id = $2, category = $3, status = $4, rejection_reason = $5, body = $6, header = $7,
          footer = $8, buttons = $9, cards = $11, offer = $12, authentication = $13, updated_at = $10, submitted = revision, problem = null
    where t.id = $1 and t.tenant_id = $tenant returning ${TEMPLATE_COLUMNS}`,
);
/** Without its vendor id, so that the next change creates it at the vendor again. */
const disableGone = statement<[ids: string[], now: Date], TemplateRow>(
  'templates.disable_gone',
  `update message_templates t set status = 'disabled', vendor_id = null, submitted = null, updated_at = $2
    where t.id = any ($1::uuid[]) and t.tenant_id = $tenant returning ${TEMPLATE_COLUMNS}`,
);

/**
 * A vendor's template as it is stored here. Types of headers and buttons that only the vendor has are left out. What the
 * vendor does not return is kept: the file of a header, and the name of the variable in a URL.
 */
function contentOf(vendorTemplate: VendorTemplate, stored: TemplateRow | undefined) {
  const { header, buttons, cards = null, offer = null, authentication = null } = vendorTemplate;
  const fileOf = (type: string): string | null => (stored?.header?.type === type ? stored.header.url : null);
  const isStoredUrl = (url: string, index: number): boolean =>
    fill(stored?.buttons[index]?.url ?? '', ' ') === fill(url, ' ');
  return {
    category: vendorTemplate.category,
    status: vendorTemplate.status,
    reason: vendorTemplate.reason === null ? null : storable(vendorTemplate.reason),
    body: storable(vendorTemplate.body),
    header:
      header && headerTypes.some((type) => type === header.type)
        ? { type: header.type, text: header.text, url: header.url ?? fileOf(header.type) }
        : null,
    footer: vendorTemplate.footer === null ? null : storable(vendorTemplate.footer),
    buttons: buttons
      .filter(({ type }) => buttonTypes.some((one) => one === type))
      .map(({ url, ...button }, index) => {
        const before = stored?.buttons[index];
        return {
          ...button,
          url: url !== null && isStoredUrl(url, index) ? (before?.url ?? url) : url,
          // The vendor does not return the example of a code.
          ...(button.type === 'copy_code' && button.code === undefined && before?.code !== undefined
            ? { code: before.code }
            : {}),
        };
      }),
    cards: cards?.map((card, index) => withStoredFile(card, stored?.cards?.[index])) ?? null,
    offer,
    authentication,
  };
}

type Cards = NonNullable<MessageTemplate['cards']>;

const withStoredFile = (card: VendorTemplateCard, before: Cards[number] | undefined): VendorTemplateCard => ({
  ...card,
  header: {
    type: card.header.type,
    url: card.header.url ?? (before?.header.type === card.header.type ? before.header.url : null),
  },
});

type Content = ReturnType<typeof contentOf>;

function isSame(row: TemplateRow, vendorId: string, content: Content): boolean {
  const { category, status, rejection_reason: reason, body, header, footer, buttons } = row;
  const { cards, offer, authentication } = row;
  const stored = { category, status, reason, body, header, footer, buttons, cards, offer, authentication };
  return row.vendor_id === vendorId && isDeepStrictEqual(stored, content);
}

const keyOf = ({ name, language }: { name: string; language: string }): string => `${language} ${name}`;

export interface SyncDeps {
  keys: Keys;
  adapters: Adapters;
  context: AdapterContext;
}

/** The API error for a failed call to the vendor: the client must know whether a retry may help. */
function asApiError(error: unknown): unknown {
  if (error instanceof VendorFailure && !error.isTemporary)
    return new ApiError('conflict', { detail: `the vendor says: ${error.message}` });
  if (error instanceof VendorFailure || error instanceof OutboundError)
    return new ApiError('service_unavailable', { detail: `the vendor did not answer: ${error.message}` });
  return error;
}

const MAX_LEFT_OUT = 100;

/**
 * Creates, changes and disables templates until they are as the vendor has them. `before` are those that were at the
 * vendor before its list was read.
 */
async function storeSynced(
  tx: TenantTx,
  channelId: string,
  { templates, leftOut }: VendorTemplateList,
  before: Set<string>,
): Promise<TemplateSync> {
  const rows = await tx.all(lockAll, [channelId]);
  const beingRemoved = new Set((await tx.all(removals, [channelId])).map(keyOf));
  const byId = new Map(rows.map((row) => [row.vendor_id, row]));
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const atVendor = new Set<string>();
  const changed: TemplateRow[] = [];
  const counts = { created: 0, updated: 0, removed: 0 };
  for (const one of templates) {
    const row = byId.get(one.vendorId) ?? byKey.get(keyOf(one));
    if (row) atVendor.add(row.id);
    const content = contentOf(one, row);
    if (beingRemoved.has(keyOf(one)) || row?.is_waiting || (row && isSame(row, one.vendorId, content)))
      continue;
    const { category, status, reason, body, header, footer, buttons } = content;
    const values: SyncedValues = [
      row?.id ?? newId(),
      one.vendorId,
      category,
      status,
      reason,
      body,
      jsonOrNull(header),
      footer,
      JSON.stringify(buttons),
      tx.now,
      ...specialColumns(content),
    ];
    const stored = row
      ? await tx.find(updateSynced, values)
      : await tx.find(insertSynced, [...values, channelId, one.name, one.language]);
    if (!stored) continue;
    counts[row ? 'updated' : 'created'] += 1;
    if (row ? row.status !== stored.status : stored.status !== 'pending') changed.push(stored);
  }
  const missing = rows.filter((row) => before.has(row.id) && !atVendor.has(row.id) && !row.is_waiting);
  const disabled = await tx.all(disableGone, [missing.map((row) => row.id), tx.now]);
  changed.push(
    ...disabled.filter(({ id }) => missing.some((row) => row.id === id && row.status !== 'disabled')),
  );
  publishStatusChange(tx, changed);
  return {
    ...counts,
    removed: disabled.length,
    total: rows.length + counts.created,
    leftOut: leftOut.slice(0, MAX_LEFT_OUT),
    leftOutTotal: leftOut.length,
  };
}

/** Reads all templates of a channel from the vendor, and returns how to make the stored ones the same. */
export async function syncTemplates(
  db: TenantDatabase,
  channelId: string,
  { keys, adapters, context }: SyncDeps,
): Promise<Finish<TemplateSync>> {
  const channel = await findConfiguredChannel(db, channelId, keys);
  if (!channel) throw unknownChannel(channelId);
  const templates = adapters.get(channel.provider)?.templates;
  // Read before the vendor's list: a template that was not at the vendor by then cannot be missing in it.
  const before = new Set((await db.all(atVendorBefore, [channel.id])).map((row) => row.id));
  const vendorTemplates = await templates?.list(channel, context).catch((error) => {
    throw asApiError(error);
  });
  return async (tx) => {
    if (!(await findHeldChannel(tx, channel.id))) throw unknownChannel(channelId);
    if (vendorTemplates) return storeSynced(tx, channel.id, vendorTemplates, before);
    const rows = await tx.all(lockAll, [channel.id]);
    return { created: 0, updated: 0, removed: 0, total: rows.length, leftOut: [], leftOutTotal: 0 };
  };
}
