import type { OutgoingTemplate } from '../vendor-template.ts';
import type { MediaReference } from './media.ts';
import { isNumbered, variablesIn } from './numbered-variables.ts';

type Component = Record<string, unknown>;

/** What a message gives a template besides its variables, as it is stored in its content. */
export interface TemplateValues {
  location?: { latitude: number; longitude: number; name: string; address: string };
  couponCode?: string;
  offerExpiresAt?: string;
  /** For each card: its variables, and which file of the message it shows; null: the one of the template. */
  cards?: { variables: Record<string, string>; media: number | null }[];
}

/** How the message references its files. */
export interface TemplateFiles {
  header?: File | undefined;
  cards: (File | undefined)[];
}
type File = MediaReference & { filename?: string };

const urlsOf = (buttons: OutgoingTemplate['buttons']): string[] => buttons.map(({ url }) => url ?? '');
const findMissing = (texts: string[], values: Record<string, string>): string | undefined =>
  texts.flatMap(variablesIn).find((name) => !values[name]);

/** The first variable of a template without a value. */
export function findMissingVariable(
  { header, body, buttons, variables, cards }: OutgoingTemplate,
  values: TemplateValues,
): string | undefined {
  const missing = findMissing([header?.text ?? '', body, ...urlsOf(buttons)], variables);
  if (missing !== undefined) return missing;
  for (const [index, card] of (cards ?? []).entries()) {
    const ofCard = findMissing(
      [card.body ?? '', ...urlsOf(card.buttons)],
      values.cards?.[index]?.variables ?? {},
    );
    if (ofCard !== undefined) return ofCard;
  }
  return undefined;
}

/** Numbered variables are given by position, named ones by name. */
function parametersOf(text: string, values: Record<string, string>): Component[] {
  const names = variablesIn(text);
  const naming = isNumbered(names) ? () => ({}) : (name: string) => ({ parameter_name: name });
  return names.map((name) => ({ type: 'text', ...naming(name), text: values[name] }));
}

function headerOf(
  { header, variables }: OutgoingTemplate,
  { location }: TemplateValues,
  file: File | undefined,
): Component[] {
  if (!header) return [];
  if (header.type === 'location')
    return location ? [{ type: 'header', parameters: [{ type: 'location', location }] }] : [];
  const parameters =
    header.type === 'text'
      ? parametersOf(header.text ?? '', variables)
      : file
        ? [{ type: header.type, [header.type]: file }]
        : [];
  return parameters.length > 0 ? [{ type: 'header', parameters }] : [];
}

const bodyOf = (body: string, variables: Record<string, string>): Component[] => {
  const parameters = parametersOf(body, variables);
  return parameters.length > 0 ? [{ type: 'body', parameters }] : [];
};

/** The variable of a URL is always its end, and is numbered. */
function urlParameters(url: string | null, variables: Record<string, string>): Component[] {
  const [name] = variablesIn(url ?? '');
  return name === undefined ? [] : [{ type: 'text', text: variables[name] }];
}

/** Buttons that need no value are not repeated. */
function buttonsOf(
  { buttons, variables }: Pick<OutgoingTemplate, 'buttons' | 'variables'>,
  { couponCode }: TemplateValues,
  messageId: string,
): Component[] {
  const button = (index: number, subType: string, parameters: Component[]): Component[] =>
    parameters.length === 0 ? [] : [{ type: 'button', sub_type: subType, index: String(index), parameters }];
  return buttons.flatMap(({ type, url }, index) => {
    switch (type) {
      case 'url':
        return button(index, 'url', urlParameters(url, variables));
      // The code is also the only variable of the body.
      case 'otp':
        return button(index, 'url', [{ type: 'text', text: variables['1'] }]);
      case 'copy_code':
        return button(index, 'copy_code', [{ type: 'coupon_code', coupon_code: couponCode }]);
      case 'flow':
        return button(index, 'flow', [{ type: 'action', action: { flow_token: messageId } }]);
      default:
        return [];
    }
  });
}

const offerOf = ({ offer }: OutgoingTemplate, { offerExpiresAt }: TemplateValues): Component[] =>
  offer?.hasExpiration && offerExpiresAt !== undefined
    ? [
        {
          type: 'limited_time_offer',
          parameters: [
            {
              type: 'limited_time_offer',
              limited_time_offer: { expiration_time_ms: new Date(offerExpiresAt).getTime() },
            },
          ],
        },
      ]
    : [];

function carouselOf(
  { cards }: OutgoingTemplate,
  values: TemplateValues,
  files: TemplateFiles,
  messageId: string,
): Component[] {
  if (!cards) return [];
  const made = cards.map(({ header, body, buttons }, index) => {
    const variables = values.cards?.[index]?.variables ?? {};
    const file = files.cards[index];
    const components = [
      ...(file ? [{ type: 'header', parameters: [{ type: header.type, [header.type]: file }] }] : []),
      ...bodyOf(body ?? '', variables),
      ...buttonsOf({ buttons, variables }, {}, messageId),
    ];
    return { card_index: index, components };
  });
  return [{ type: 'carousel', cards: made }];
}

/** The payload of a template with the values of its variables. Parts without variables are not repeated. */
export function templatePayload(
  template: OutgoingTemplate,
  values: TemplateValues,
  files: TemplateFiles,
  messageId: string,
): Component {
  const components = [
    ...headerOf(template, values, files.header),
    ...offerOf(template, values),
    ...bodyOf(template.body, template.variables),
    ...buttonsOf(template, values, messageId),
    ...carouselOf(template, values, files, messageId),
  ];
  return {
    name: template.name,
    language: { code: template.language },
    ...(components.length > 0 ? { components } : {}),
  };
}
