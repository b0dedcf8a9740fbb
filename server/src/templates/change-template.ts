import type { Clock } from '../base/clock.ts';
import { ApiError, type InvalidParams, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { findHeldChannel, unknownChannelIssue } from '../channels/channel.ts';
import type { Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { Adapter, ChannelKind } from '../providers/adapter.ts';
import type { MessageTemplate, MessageTemplateChange, NewMessageTemplate } from './schema.ts';
import { hasTask, queueTask } from './task.ts';
import {
  isReviewed,
  presentTemplate,
  publishStatusChange,
  TEMPLATE_COLUMNS,
  type TemplateRow,
} from './template.ts';
import { type TemplateContent, validateTemplate } from './validate-template.ts';

const insertTemplate = statement<
  [
    id: string,
    tenantId: string,
    channelId: string,
    name: string,
    language: string,
    category: string,
    status: string,
    body: string,
    header: string | null,
    footer: string | null,
    buttons: string,
    now: Date,
  ],
  TemplateRow
>(
  'templates.insert',
  `insert into message_templates as t (id, tenant_id, channel_id, name, language, category, status, body, header, footer,
                                       buttons, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
   on conflict (tenant_id, channel_id, name, language) do nothing returning ${TEMPLATE_COLUMNS}`,
);
const lockTemplate = statement<
  [id: string, tenantId: string],
  TemplateRow & { kind: ChannelKind; provider: string }
>(
  'templates.lock',
  `select ${TEMPLATE_COLUMNS}, c.kind, c.provider
     from message_templates t join channels c on c.id = t.channel_id and c.tenant_id = t.tenant_id
    where t.id = $1 and t.tenant_id = $2 for update of t`,
);
const updateTemplate = statement<
  [
    id: string,
    tenantId: string,
    name: string,
    language: string,
    category: string,
    body: string,
    header: string | null,
    footer: string | null,
    buttons: string,
    now: Date,
    isToBeReviewed: boolean,
  ],
  TemplateRow
>(
  'templates.update',
  `update message_templates t set name = $3, language = $4, category = $5, body = $6, header = $7, footer = $8,
          buttons = $9, updated_at = $10, revision = revision + $11::boolean::integer,
          status = case when $11 then 'pending' else status end,
          rejection_reason = case when $11 then null else rejection_reason end,
          problem = case when $11 then null else problem end
    where t.id = $1 and t.tenant_id = $2 returning ${TEMPLATE_COLUMNS}`,
);
const deleteTemplate = statement<[id: string, tenantId: string]>(
  'templates.delete',
  'delete from message_templates where id = $1 and tenant_id = $2',
);

/** Every part by name, those that were left out as null, in the one shape in which templates are kept and shown. */
const contentOf = ({
  name,
  language,
  body,
  header,
  footer,
  buttons,
}: NewMessageTemplate): TemplateContent => ({
  name,
  language,
  body,
  header: header ? { type: header.type, text: header.text ?? null, url: header.url ?? null } : null,
  footer: footer ?? null,
  buttons: (buttons ?? []).map(({ type, text, url = null, phoneNumber = null }) => ({
    type,
    text,
    url,
    phoneNumber,
  })),
});

function throwIfAnyIssue(issues: InvalidParams): void {
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
}

const taken = ({ name, language }: TemplateContent) =>
  invalidParam('name', 'custom', `The channel already has a template "${name}" in ${language}`);

export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export interface TemplateDeps {
  clock: Clock;
  publisher: Publisher;
  wakeUps: WakeUps;
  adapters: ReadonlyMap<string, Adapter>;
}

/**
 * Makes a template; of many who make the same one at once, one succeeds. Where a vendor reviews it, it waits for that;
 * elsewhere it is approved at once, which is told as it is told of one that a vendor approves later, so that whoever
 * waits for it need not know which channels have reviews.
 */
export async function createTemplate(
  tx: Tx,
  tenantId: string,
  input: NewMessageTemplate,
  deps: TemplateDeps,
): Promise<MessageTemplate> {
  const channel = await findHeldChannel(tx, tenantId, input.channelId);
  const content = contentOf(input);
  throwIfAnyIssue({
    ...(channel ? {} : unknownChannelIssue(input.channelId)),
    ...validateTemplate(content, channel?.kind),
  });
  const waits = channel !== undefined && isReviewed(deps.adapters.get(channel.provider), channel.kind);
  const row = await tx.find(insertTemplate, [
    newId(),
    tenantId,
    input.channelId,
    content.name,
    content.language,
    input.category ?? 'utility',
    waits ? 'pending' : 'approved',
    content.body,
    jsonOrNull(content.header),
    content.footer,
    JSON.stringify(content.buttons),
    deps.clock.now(tenantId),
  ]);
  if (!row) throw taken(content);
  if (waits) await queueTask(tx, tenantId, { ...row, template_id: row.id, vendor_id: null }, deps);
  else await publishStatusChange(tx, tenantId, [row], deps.publisher);
  return presentTemplate(row);
}

/** What a template cannot change: what is allowed depends on its channel, and a vendor knows it by name and language. */
function validateChange(row: TemplateRow, change: MessageTemplateChange, isReviewed: boolean): InvalidParams {
  const issues: InvalidParams = {};
  const { channelId = row.channel_id, name = row.name, language = row.language } = change;
  if (channelId.toLowerCase() !== row.channel_id)
    issues.channelId = { key: 'custom', message: `Cannot change: the template's is ${row.channel_id}` };
  if (isReviewed && name !== row.name)
    issues.name = { key: 'custom', message: `Cannot change: the vendor knows it as "${row.name}"` };
  if (isReviewed && language !== row.language)
    issues.language = { key: 'custom', message: `Cannot change: the vendor knows it in ${row.language}` };
  return issues;
}

const says = ({ category, body, header, footer, buttons }: TemplateContent & { category: string }): string =>
  JSON.stringify([category, body, header, footer, buttons]);

/** Changes what is given; null takes header or footer away. Where a vendor reviews templates, it reviews this one anew. */
export async function changeTemplate(
  tx: Tx,
  tenantId: string,
  templateId: string,
  change: MessageTemplateChange,
  deps: TemplateDeps,
): Promise<MessageTemplate> {
  const row = isUuid(templateId) ? await tx.find(lockTemplate, [templateId, tenantId]) : undefined;
  if (!row) throw new ApiError('message_template_not_found');
  const adapter = deps.adapters.get(row.provider);
  const reviewed = isReviewed(adapter, row.kind);
  const { category = row.category } = change;
  const content = contentOf({ ...presentTemplate(row), ...change });
  throwIfAnyIssue({ ...validateTemplate(content, row.kind), ...validateChange(row, change, reviewed) });
  // What was refused, or is gone there, is submitted again also as it is: the vendor may have been put right.
  const isNew = says({ ...content, category }) !== says(row) || /rejected|disabled/.test(row.status);
  if (reviewed && isNew && row.vendor_id !== null && adapter?.templates && !adapter.templates.update)
    throw new ApiError('conflict', {
      detail: 'the vendor has the template and does not let it be changed; make one of another name',
    });
  const updated = (await tx
    .find(updateTemplate, [
      row.id,
      tenantId,
      content.name,
      content.language,
      category,
      content.body,
      jsonOrNull(content.header),
      content.footer,
      JSON.stringify(content.buttons),
      deps.clock.now(tenantId),
      reviewed && isNew,
    ])
    .catch((error) => {
      throw isUniqueViolation(error, 'message_templates_name') ? taken(content) : error;
    })) as TemplateRow;
  if (reviewed && isNew) await queueTask(tx, tenantId, { ...updated, template_id: row.id }, deps);
  if (updated.status !== row.status) await publishStatusChange(tx, tenantId, [updated], deps.publisher);
  return presentTemplate(updated);
}

/** Deletes a template and says whether there was one. The vendor, where it may have it, is told soon after. */
export async function removeTemplate(
  tx: Tx,
  tenantId: string,
  templateId: string,
  deps: TemplateDeps,
): Promise<boolean> {
  const row = isUuid(templateId) ? await tx.find(lockTemplate, [templateId, tenantId]) : undefined;
  if (!row) return false;
  const mayBeThere =
    deps.adapters.get(row.provider)?.templates !== undefined &&
    (row.vendor_id !== null || (await hasTask(tx, tenantId, row.id)));
  await tx.run(deleteTemplate, [row.id, tenantId]);
  if (mayBeThere) await queueTask(tx, tenantId, { ...row, template_id: null }, deps);
  return true;
}
