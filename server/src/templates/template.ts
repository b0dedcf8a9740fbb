import type { Clock } from '../base/clock.ts';
import { ApiError, type InvalidParams, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { faultOfUnknownChannel, findHeldChannel } from '../channels/channel.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/publish.ts';
import { timestamp } from '../http/schema.ts';
import type { ChannelKind } from '../providers/adapter.ts';
import { variablesOf } from './placeholders.ts';
import type { MessageTemplate, MessageTemplateChange, NewMessageTemplate } from './schema.ts';
import { faultsOfTemplate, type TemplateContent } from './template-faults.ts';

export interface TemplateRow extends TemplateContent {
  id: string;
  channel_id: string;
  category: MessageTemplate['category'];
  status: MessageTemplate['status'];
  rejection_reason: string | null;
  vendor_id: string | null;
  created_at: Date;
  updated_at: Date;
}

export const TEMPLATE_COLUMNS = `t.id, t.channel_id, t.name, t.language, t.category, t.status, t.rejection_reason,
  t.vendor_id, t.body, t.header, t.footer, t.buttons, t.created_at, t.updated_at`;

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
const templateById = statement<[id: string, tenantId: string], TemplateRow>(
  'templates.by_id',
  `select ${TEMPLATE_COLUMNS} from message_templates t where t.id = $1 and t.tenant_id = $2`,
);
const lockTemplate = statement<[id: string, tenantId: string], TemplateRow & { kind: ChannelKind }>(
  'templates.lock',
  `select ${TEMPLATE_COLUMNS}, c.kind
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
  ],
  TemplateRow
>(
  'templates.update',
  `update message_templates t set name = $3, language = $4, category = $5, body = $6, header = $7, footer = $8,
          buttons = $9, updated_at = $10
    where t.id = $1 and t.tenant_id = $2 returning ${TEMPLATE_COLUMNS}`,
);
const deleteTemplate = statement<[id: string, tenantId: string]>(
  'templates.delete',
  'delete from message_templates where id = $1 and tenant_id = $2',
);

export const presentTemplate = (row: TemplateRow): MessageTemplate => ({
  id: row.id,
  channelId: row.channel_id,
  name: row.name,
  language: row.language,
  category: row.category,
  status: row.status,
  rejectionReason: row.rejection_reason,
  vendorId: row.vendor_id,
  body: row.body,
  header: row.header,
  footer: row.footer,
  buttons: row.buttons,
  variables: variablesOf([
    row.header?.text ?? '',
    row.header?.url ?? '',
    row.body,
    ...row.buttons.map((button) => button.url ?? ''),
  ]),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

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

function requireFaultless(faults: InvalidParams): void {
  if (Object.keys(faults).length > 0) throw new ApiError('invalid_body_params', { invalidParams: faults });
}

const taken = ({ name, language }: TemplateContent) =>
  invalidParam('name', 'custom', `The channel already has a template "${name}" in ${language}`);

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export interface TemplateNeeds {
  clock: Clock;
  publisher: Publisher;
}

/** Only a vendor reviews templates. The sandbox is none and nobody else would decide, so what is well-formed may be sent. */
const FIRST_STATUS = 'approved';

/**
 * Makes a template; of many who make the same one at once, one succeeds. That it is approved is told as it is told
 * of one that a vendor approves later, so that whoever waits for it need not know which channels have reviews.
 */
export async function createTemplate(
  tx: Tx,
  tenantId: string,
  input: NewMessageTemplate,
  { clock, publisher }: TemplateNeeds,
): Promise<MessageTemplate> {
  const channel = await findHeldChannel(tx, tenantId, input.channelId);
  const content = contentOf(input);
  requireFaultless({
    ...(channel ? {} : faultOfUnknownChannel(input.channelId)),
    ...faultsOfTemplate(content, channel?.kind),
  });
  const row = await tx.find(insertTemplate, [
    newId(),
    tenantId,
    input.channelId,
    content.name,
    content.language,
    input.category ?? 'utility',
    FIRST_STATUS,
    content.body,
    jsonOrNull(content.header),
    content.footer,
    JSON.stringify(content.buttons),
    clock.now(),
  ]);
  if (!row) throw taken(content);
  const template = presentTemplate(row);
  await publisher.publish(tx, tenantId, [
    {
      type: 'template.status_changed',
      channelId: template.channelId,
      contactId: null,
      chatId: null,
      data: template,
    },
  ]);
  return template;
}

export async function findTemplate(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  templateId: string,
): Promise<MessageTemplate | undefined> {
  const row = isUuid(templateId) ? await db.find(templateById, [templateId, tenantId]) : undefined;
  return row && presentTemplate(row);
}

export async function requireTemplate(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  templateId: string,
): Promise<MessageTemplate> {
  const template = await findTemplate(db, tenantId, templateId);
  if (!template) throw new ApiError('message_template_not_found');
  return template;
}

/** Changes what is given; null takes header or footer away. The channel stays, as what is allowed depends on it. */
export async function changeTemplate(
  tx: Tx,
  tenantId: string,
  templateId: string,
  change: MessageTemplateChange,
  { clock }: TemplateNeeds,
): Promise<MessageTemplate> {
  const row = isUuid(templateId) ? await tx.find(lockTemplate, [templateId, tenantId]) : undefined;
  if (!row) throw new ApiError('message_template_not_found');
  const { channelId = row.channel_id, category = row.category } = change;
  const content = contentOf({ ...presentTemplate(row), ...change });
  requireFaultless({
    ...(channelId.toLowerCase() === row.channel_id
      ? {}
      : { channelId: { key: 'custom', message: `Cannot change: the template's is ${row.channel_id}` } }),
    ...faultsOfTemplate(content, row.kind),
  });
  const updated = await tx
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
      clock.now(),
    ])
    .catch((error) => {
      throw isUniqueViolation(error, 'message_templates_name') ? taken(content) : error;
    });
  return presentTemplate(updated as TemplateRow);
}

/** Deletes a template and says whether there was one. */
export async function removeTemplate(tx: Tx, tenantId: string, templateId: string): Promise<boolean> {
  return isUuid(templateId) && (await tx.run(deleteTemplate, [templateId, tenantId])) === 1;
}
