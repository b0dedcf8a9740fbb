import { ApiError, invalidParam } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { addUnknownChannel, findHeldChannel } from '../channels/channel.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Adapters } from '../providers/adapters.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import type { MessageTemplate, MessageTemplateChange, NewMessageTemplate, TemplateButton } from './schema.ts';
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
    cards: string | null,
    offer: string | null,
    authentication: string | null,
  ],
  TemplateRow
>(
  'templates.insert',
  `insert into message_templates as t (id, tenant_id, channel_id, name, language, category, status, body, header, footer,
                                       buttons, created_at, updated_at, cards, offer, authentication)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13, $14)
   on conflict (tenant_id, channel_id, name, language) do nothing returning ${TEMPLATE_COLUMNS}`,
);
const lockTemplate = statement<[id: string], TemplateRow & { kind: ChannelKind; provider: string }>(
  'templates.lock',
  `select ${TEMPLATE_COLUMNS}, c.kind, c.provider
     from message_templates t join visible_channels c on c.id = t.channel_id and c.tenant_id = t.tenant_id
    where t.id = $1 and t.tenant_id = $tenant for no key update of t`,
);
const updateTemplate = statement<
  [
    id: string,
    name: string,
    language: string,
    category: string,
    body: string,
    header: string | null,
    footer: string | null,
    buttons: string,
    now: Date,
    needsReview: boolean,
    cards: string | null,
    offer: string | null,
    authentication: string | null,
  ],
  TemplateRow
>(
  'templates.update',
  `update message_templates t set name = $2, language = $3, category = $4, body = $5, header = $6, footer = $7,
          buttons = $8, cards = $11, offer = $12, authentication = $13, updated_at = $9, revision = revision + $10::boolean::integer,
          status = case when $10 then 'pending' else status end,
          rejection_reason = case when $10 then null else rejection_reason end,
          problem = case when $10 then null else problem end
    where t.id = $1 and t.tenant_id = $tenant returning ${TEMPLATE_COLUMNS}`,
);
const deleteTemplate = statement<[id: string]>(
  'templates.delete',
  'delete from message_templates where id = $1 and tenant_id = $tenant',
);

type GivenButton = NonNullable<NewMessageTemplate['buttons']>[number];

/** Buttons whose text the vendor may write. */
const DEFAULT_TEXTS: Partial<Record<GivenButton['type'], string>> = {
  copy_code: 'Copy code',
  otp: 'Copy code',
};

const buttonOf = ({ type, text, url, phoneNumber, code, otp, flow }: GivenButton): TemplateButton => ({
  type,
  text: text ?? DEFAULT_TEXTS[type] ?? '',
  url: url ?? null,
  phoneNumber: phoneNumber ?? null,
  ...(code === undefined ? {} : { code }),
  ...(otp === undefined ? {} : { otp }),
  ...(flow === undefined ? {} : { flow }),
});

/** What WhatsApp writes around a code, in English. */
const OTP_BODY = '*{{1}}* is your verification code.';

/** A template as it is stored and shown: parts that were left out are null. */
function contentOf(given: NewMessageTemplate): TemplateContent {
  const { name, language, header, footer, offer, authentication } = given;
  const buttons = (given.buttons ?? []).map(buttonOf);
  const isOtp = buttons.some(({ type }) => type === 'otp');
  return {
    name,
    language,
    body: given.body ?? (isOtp ? OTP_BODY : ''),
    header: header ? { type: header.type, text: header.text ?? null, url: header.url ?? null } : null,
    footer: footer ?? null,
    buttons,
    cards:
      given.cards?.map((card) => ({
        header: { type: card.header.type, url: card.header.url ?? null },
        body: card.body ?? null,
        buttons: card.buttons.map(buttonOf),
      })) ?? null,
    offer: offer ? { text: offer.text, hasExpiration: offer.hasExpiration ?? false } : null,
    authentication: authentication
      ? {
          hasSecurityRecommendation: authentication.hasSecurityRecommendation ?? false,
          codeExpirationMinutes: authentication.codeExpirationMinutes ?? null,
        }
      : null,
  };
}

const nameTaken = ({ name, language }: TemplateContent) =>
  invalidParam('name', 'custom', `The channel already has a template "${name}" in ${language}`);

export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** The values of the columns `cards`, `offer` and `authentication`. */
export const specialColumns = ({
  cards,
  offer,
  authentication,
}: Record<'cards' | 'offer' | 'authentication', unknown>): [string | null, string | null, string | null] => [
  jsonOrNull(cards),
  jsonOrNull(offer),
  jsonOrNull(authentication),
];

/**
 * Creates a template; of several that are created with the same name at once, one succeeds. If a vendor reviews it, it is
 * pending; otherwise it is approved immediately, with the same event as an approval by a vendor, so that receivers need
 * not know which channels have reviews.
 */
export async function createTemplate(
  tx: TenantTx,
  input: NewMessageTemplate,
  adapters: Adapters,
): Promise<MessageTemplate> {
  const channel = await findHeldChannel(tx, input.channelId);
  const content = contentOf(input);
  const issues = collectIssues();
  if (!channel) addUnknownChannel(issues, input.channelId);
  validateTemplate(content, input.category ?? 'utility', channel?.kind, issues);
  issues.throwIfAny();
  const needsReview = channel !== undefined && isReviewed(adapters.get(channel.provider), channel.kind);
  const row = await tx.find(insertTemplate, [
    newId(),
    input.channelId,
    content.name,
    content.language,
    input.category ?? 'utility',
    needsReview ? 'pending' : 'approved',
    content.body,
    jsonOrNull(content.header),
    content.footer,
    JSON.stringify(content.buttons),
    tx.now,
    ...specialColumns(content),
  ]);
  if (!row) throw nameTaken(content);
  if (needsReview) queueTask(tx, { ...row, template_id: row.id, vendor_id: null });
  else publishStatusChange(tx, [row]);
  return presentTemplate(row);
}

/** The channel decides what is valid, and a vendor identifies a template by name and language: they cannot change. */
function validateUnchanged(
  row: TemplateRow,
  change: MessageTemplateChange,
  isReviewed: boolean,
  issues: Issues,
): void {
  const { channelId = row.channel_id, name = row.name, language = row.language } = change;
  if (channelId.toLowerCase() !== row.channel_id)
    issues.add('channelId', 'custom', `Cannot be changed from ${row.channel_id}`);
  if (isReviewed && name !== row.name)
    issues.add('name', 'custom', `Cannot be changed: the vendor has it as "${row.name}"`);
  if (isReviewed && language !== row.language)
    issues.add('language', 'custom', `Cannot be changed: the vendor has it in ${row.language}`);
}

const serialize = ({
  category,
  body,
  header,
  footer,
  buttons,
  cards,
  offer,
  authentication,
}: TemplateContent & { category: string }): string =>
  JSON.stringify([category, body, header, footer, buttons, cards, offer, authentication]);

/** Changes the given fields; null removes header or footer. If a vendor reviews templates, it reviews this one again. */
export async function changeTemplate(
  tx: TenantTx,
  templateId: string,
  change: MessageTemplateChange,
  adapters: Adapters,
): Promise<MessageTemplate> {
  const row = isUuid(templateId) ? await tx.find(lockTemplate, [templateId]) : undefined;
  if (!row) throw new ApiError('message_template_not_found');
  const adapter = adapters.get(row.provider);
  const reviewed = isReviewed(adapter, row.kind);
  const { category = row.category } = change;
  const content = contentOf({ ...presentTemplate(row), ...change });
  const issues = collectIssues();
  validateUnchanged(row, change, reviewed, issues);
  validateTemplate(content, category, row.kind, issues);
  issues.throwIfAny();
  // A rejected or disabled template is submitted again even if nothing changed: the problem may have been at the vendor.
  const isNew =
    serialize({ ...content, category }) !== serialize(row) || /rejected|disabled/.test(row.status);
  if (reviewed && isNew && row.vendor_id !== null && adapter?.templates && !adapter.templates.update)
    throw new ApiError('conflict', {
      detail:
        'the vendor already has the template and does not allow changes; create one with another name instead',
    });
  const updated = (await tx
    .find(updateTemplate, [
      row.id,
      content.name,
      content.language,
      category,
      content.body,
      jsonOrNull(content.header),
      content.footer,
      JSON.stringify(content.buttons),
      tx.now,
      reviewed && isNew,
      ...specialColumns(content),
    ])
    .catch((error) => {
      throw isUniqueViolation(error, 'message_templates_name') ? nameTaken(content) : error;
    })) as TemplateRow;
  if (reviewed && isNew) queueTask(tx, { ...updated, template_id: row.id });
  if (updated.status !== row.status) publishStatusChange(tx, [updated]);
  return presentTemplate(updated);
}

/** Deletes a template and returns whether it existed. If the vendor may have it, it is deleted there soon after. */
export async function removeTemplate(tx: TenantTx, templateId: string, adapters: Adapters): Promise<boolean> {
  const row = isUuid(templateId) ? await tx.find(lockTemplate, [templateId]) : undefined;
  if (!row) return false;
  const mayBeAtVendor =
    adapters.get(row.provider)?.templates !== undefined &&
    (row.vendor_id !== null || (await hasTask(tx, row.id)));
  await tx.run(deleteTemplate, [row.id]);
  if (mayBeAtVendor) queueTask(tx, { ...row, template_id: null });
  tx.announce(deletionOf('message_template', row.id));
  return true;
}
