import { variablesOf } from '../providers/placeholders.ts';
import type { MessageTemplate } from './schema.ts';

/** The type of the file in a template's header; undefined if it has none. */
export const fileTypeOf = ({
  header,
}: Pick<MessageTemplate, 'header'>): 'image' | 'video' | 'document' | undefined =>
  header && header.type !== 'text' && header.type !== 'location' ? header.type : undefined;

/** What a message gives a template besides variables. */
export interface GivenParts {
  header?: { location?: unknown } | undefined;
  couponCode?: string | undefined;
  offerExpiresAt?: string | undefined;
  cards?: readonly { header?: unknown }[] | undefined;
}

interface PartIssue {
  path: string;
  key: 'custom' | 'invalid_type';
  message: string;
}

type SpecialTemplate = Pick<MessageTemplate, 'name' | 'header' | 'buttons' | 'cards' | 'offer'>;

const article = (type: string): string => (type === 'image' ? 'an image' : `a ${type}`);

function findHeaderIssue(
  { name, header: own }: SpecialTemplate,
  header: GivenParts['header'],
): Omit<PartIssue, 'path'> | undefined {
  const type = fileTypeOf({ header: own });
  const isLocation = header !== undefined && header.location !== undefined;
  if (own?.type === 'location')
    return isLocation
      ? undefined
      : {
          key: 'invalid_type',
          message: `Required: the header of the template "${name}" needs a \`location\``,
        };
  if (isLocation) return { key: 'custom', message: `The template "${name}" has no header with a location` };
  if (header !== undefined && type === undefined)
    return { key: 'custom', message: `The template "${name}" has no header with a file` };
  if (header === undefined && type !== undefined && own?.url === null)
    return {
      key: 'invalid_type',
      message: `Required: the header of the template "${name}" needs ${article(type)} by \`fileId\` or \`url\``,
    };
  return undefined;
}

/** The variables of a card, each once. */
const variablesOfCard = ({ body, buttons }: NonNullable<MessageTemplate['cards']>[number]): string[] =>
  variablesOf([body ?? '', ...buttons.map(({ url }) => url ?? '')]);

function findCardIssues({ name, cards }: SpecialTemplate, given: GivenParts['cards']): PartIssue[] {
  if (!cards)
    return given === undefined
      ? []
      : [{ path: 'cards', key: 'custom', message: `The template "${name}" has no cards` }];
  const isNeeded = cards.some((card) => card.header.url === null || variablesOfCard(card).length > 0);
  if (given === undefined)
    return isNeeded
      ? [
          {
            path: 'cards',
            key: 'invalid_type',
            message: `Required: the template "${name}" has ${cards.length} cards`,
          },
        ]
      : [];
  if (given.length !== cards.length)
    return [{ path: 'cards', key: 'custom', message: `The template "${name}" has ${cards.length} cards` }];
  return cards.flatMap(({ header }, index): PartIssue[] =>
    header.url === null && given[index]?.header === undefined
      ? [
          {
            path: `cards.${index}.header`,
            key: 'invalid_type',
            message: `Required: the card needs ${article(header.type)} by \`fileId\` or \`url\``,
          },
        ]
      : [],
  );
}

/** A part that the template either needs or does not have. */
function findValueIssue(path: string, isNeeded: boolean, isGiven: boolean, name: string): PartIssue[] {
  if (isNeeded === isGiven) return [];
  return isNeeded
    ? [{ path, key: 'invalid_type', message: `Required by the template "${name}"` }]
    : [{ path, key: 'custom', message: `The template "${name}" has no place for it` }];
}

/** Why a template cannot be sent with these parts; empty if it can. Variables are validated elsewhere. */
export function findPartIssues(template: SpecialTemplate, given: GivenParts): PartIssue[] {
  const { name, buttons, offer } = template;
  const header = findHeaderIssue(template, given.header);
  return [
    ...(header ? [{ path: 'header', ...header }] : []),
    ...findValueIssue(
      'couponCode',
      buttons.some(({ type }) => type === 'copy_code'),
      given.couponCode !== undefined,
      name,
    ),
    ...findValueIssue(
      'offerExpiresAt',
      offer?.hasExpiration === true,
      given.offerExpiresAt !== undefined,
      name,
    ),
    ...findCardIssues(template, given.cards),
  ];
}
