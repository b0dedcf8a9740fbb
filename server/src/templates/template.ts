import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { variablesOfTemplate } from './render.ts';
import type { MessageTemplate } from './schema.ts';
import type { TemplateContent } from './validate-template.ts';

export interface TemplateRow extends TemplateContent {
  id: string;
  channel_id: string;
  category: MessageTemplate['category'];
  status: MessageTemplate['status'];
  rejection_reason: string | null;
  problem: string | null;
  quality: MessageTemplate['quality'];
  vendor_id: string | null;
  created_at: Date;
  updated_at: Date;
}

export const TEMPLATE_COLUMNS = `t.id, t.channel_id, t.name, t.language, t.category, t.status, t.rejection_reason,
  t.problem, t.quality, t.vendor_id, t.body, t.header, t.footer, t.buttons, t.cards, t.offer, t.authentication, t.created_at, t.updated_at`;

const templateById = statement<[id: string], TemplateRow>(
  'templates.by_id',
  `select ${TEMPLATE_COLUMNS} from message_templates t where t.id = $1 and t.tenant_id = $tenant`,
);

export const presentTemplate = (row: TemplateRow): MessageTemplate => ({
  id: row.id,
  channelId: row.channel_id,
  name: row.name,
  language: row.language,
  category: row.category,
  status: row.status,
  rejectionReason: row.rejection_reason,
  problem: row.problem,
  quality: row.quality,
  vendorId: row.vendor_id,
  body: row.body,
  header: row.header,
  footer: row.footer,
  buttons: row.buttons,
  cards: row.cards,
  offer: row.offer,
  authentication: row.authentication,
  variables: variablesOfTemplate(row),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export async function findTemplate(
  db: TenantReader,
  templateId: string,
): Promise<MessageTemplate | undefined> {
  const row = isUuid(templateId) ? await db.find(templateById, [templateId]) : undefined;
  return row && presentTemplate(row);
}

export async function requireTemplate(db: TenantReader, templateId: string): Promise<MessageTemplate> {
  const template = await findTemplate(db, templateId);
  if (!template) throw new ApiError('message_template_not_found');
  return template;
}

/** Whether a vendor reviews the templates of such a channel; otherwise every valid template may be sent. */
export const isReviewed = (adapter: Adapter | undefined, kind: ChannelKind): boolean =>
  adapter?.templates !== undefined || adapter?.review?.kinds.includes(kind) === true;

/** Publishes new statuses of templates, in the transaction that stores them. */
export const publishStatusChange = (tx: TenantTx, rows: TemplateRow[]): void =>
  tx.publish(
    ...rows.map((row) => ({
      type: 'template.status_changed' as const,
      channelId: row.channel_id,
      contactId: null,
      chatId: null,
      data: presentTemplate(row),
    })),
  );
