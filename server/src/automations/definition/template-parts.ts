import type { Issues } from '../../base/issues.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import { findPartIssues, type GivenParts } from '../../templates/template-parts.ts';
import type { Definition } from '../schema.ts';

const partsOf = statement<
  [ids: string[]],
  Pick<MessageTemplate, 'id' | 'name' | 'header' | 'buttons' | 'cards' | 'offer'>
>(
  'automations.template_parts',
  'select id, name, header, buttons, cards, offer from message_templates where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** Adds an issue for everything that the template of a step needs or has no place for, such as a file in its header. */
export async function validateTemplateParts(
  db: TenantReader,
  { steps }: Definition,
  issues: Issues,
): Promise<void> {
  const sending = steps.flatMap(({ type, parameters }, index) =>
    type === 'send_template' && typeof parameters?.templateId === 'string'
      ? [{ index, id: parameters.templateId.toLowerCase(), given: parameters as GivenParts }]
      : [],
  );
  if (sending.length === 0 || issues.isFull) return;
  const rows = await db.all(partsOf, [[...new Set(sending.map(({ id }) => id))]]);
  const templates = new Map(rows.map((row) => [row.id, row]));
  for (const { index, id, given } of sending) {
    const template = templates.get(id);
    for (const { path, key, message } of template ? findPartIssues(template, given) : [])
      issues.add(`steps.${index}.parameters.${path}`, key, message);
  }
}
