import type { Issues } from '../../base/issues.ts';
import { isDateTime } from '../../http/validation.ts';
import { renderTemplate, validateFilledLength, validateVariables } from '../../templates/render.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import { fileTypeOf, findPartIssues } from '../../templates/template-parts.ts';
import type { NewChatMessage } from '../schema.ts';
import type { DraftFacts } from './draft-facts.ts';
import { type StoredMedia, validateHeaderFile } from './validate-media.ts';

type GivenTemplate = NonNullable<NewChatMessage['template']>;

/** The values of the cards, with their files after those that the message has already. */
function validateCards(
  cards: NonNullable<MessageTemplate['cards']>,
  given: NonNullable<GivenTemplate['cards']>,
  media: StoredMedia[],
  facts: DraftFacts,
  issues: Issues,
): { variables: Record<string, unknown>; media: number | null }[] {
  return cards.map(({ header, body, buttons }, index) => {
    const { variables = {}, header: file } = given[index] ?? {};
    const path = `template.cards.${index}`;
    const texts = { header: null, body: body ?? '', footer: null, buttons };
    validateVariables(texts, variables, issues.at(`${path}.variables`));
    validateFilledLength(texts, variables, issues.at(`${path}.variables`));
    if (!file) return { variables, media: null };
    const before = media.length;
    media.push(...validateHeaderFile(file, `${path}.header`, header.type, facts.kind, facts, issues));
    return { variables, media: media.length > before ? before : null };
  });
}

function validateEnd(given: string | undefined, now: Date, issues: Issues): void {
  if (given === undefined) return;
  const path = 'template.offerExpiresAt';
  if (!isDateTime(given)) issues.add(path, 'invalid_string', 'Must be a time with a zone');
  else if (new Date(given) <= now) issues.add(path, 'custom', 'Must be in the future');
}

/** The template with its rendered text, as it is stored; undefined if there is no such template. */
export function validateTemplate(
  given: NewChatMessage['template'],
  facts: DraftFacts,
  issues: Issues,
):
  | { template: MessageTemplate; content: Record<string, unknown>; media: StoredMedia[]; text: string }
  | undefined {
  if (given === undefined) return undefined;
  const { templateId, variables = {}, header, couponCode, offerExpiresAt, cards } = given;
  const template = facts.templates.get(templateId.toLowerCase());
  if (!template || template.channelId !== facts.channelId) {
    const message = `There is no template ${templateId} on this channel`;
    issues.add('template.templateId', 'custom', message);
    return undefined;
  }
  const ofVariables = issues.at('template.variables');
  validateVariables(template, variables, ofVariables);
  for (const { path, key, message } of findPartIssues(template, given))
    issues.add(`template.${path}`, key, message);
  validateEnd(offerExpiresAt, facts.now, issues);
  const fileType = fileTypeOf(template);
  const { location, ...file } = header ?? {};
  const media =
    header && fileType
      ? validateHeaderFile(file, 'template.header', fileType, facts.kind, facts, issues)
      : [];
  if (location && Object.keys(file).length > 0)
    issues.add('template.header', 'custom', 'Either a file or a `location`, not both');
  const canRender = validateFilledLength(template, variables, ofVariables);
  const cardValues = template.cards && cards && validateCards(template.cards, cards, media, facts, issues);
  return {
    template,
    content: {
      templateId: template.id,
      variables,
      ...(location ? { location } : {}),
      ...(couponCode === undefined ? {} : { couponCode }),
      ...(offerExpiresAt === undefined ? {} : { offerExpiresAt }),
      ...(cardValues ? { cards: cardValues } : {}),
    },
    media,
    text: canRender ? renderTemplate(template, variables as Record<string, string>).body : '',
  };
}
