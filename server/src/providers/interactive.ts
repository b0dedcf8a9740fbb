import type { Issues } from '../base/issues.ts';
import type { ChannelKind } from './kinds.ts';
import { validateCount, validateText, validateUnique, validateUrl } from './validate-values.ts';

interface Choice {
  id: string;
  title: string;
  description?: string;
}

/** A button of a card: it opens a URL, or returns its id. */
interface CardButton {
  title: string;
  id?: string;
  url?: string;
}

export interface Card {
  title: string;
  subtitle?: string;
  imageUrl?: string;
  url?: string;
  buttons?: CardButton[];
}

export interface Flow {
  flowId?: string;
  name?: string;
  button: string;
  token?: string;
  mode?: 'draft' | 'published';
  action?: 'navigate' | 'data_exchange';
  screen?: string;
  data?: Record<string, unknown>;
}

/** What the recipient can do with a message; one of the parts after the footer. */
export interface InteractiveContent {
  header?: { text: string };
  footer?: string;
  buttons?: Choice[];
  list?: { button: string; sections: { title?: string; rows: Choice[] }[] };
  link?: { title: string; url: string };
  flow?: Flow;
  product?: { catalogId: string; productId: string };
  productList?: { catalogId: string; sections: { title?: string; productIds: string[] }[] };
  catalog?: { thumbnailProductId: string };
  locationRequest?: Record<string, never>;
  cards?: Card[];
}

export const interactiveKinds = [
  'buttons',
  'list',
  'link',
  'flow',
  'product',
  'productList',
  'catalog',
  'locationRequest',
  'cards',
] as const;
export type InteractiveKind = (typeof interactiveKinds)[number];

/** What stands around the part that the recipient can use. */
interface Rules {
  text: 'required' | 'optional' | 'absent';
  maxText: number;
  /** `file`: a text, or a picture, video or document. */
  header: 'absent' | 'text' | 'required_text' | 'file';
  hasFooter: boolean;
  /** Of `buttons`. */
  maxButtons?: number;
}

const whatsapp: Rules = { text: 'required', maxText: 1024, header: 'file', hasFooter: true };
const instagram: Rules = { text: 'required', maxText: 1000, header: 'absent', hasFooter: false };

/**
 * What each kind of channel has.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages
 * https://developers.facebook.com/documentation/instagram-platform/instagram-api-with-instagram-login/messaging-api
 */
const interactiveRules: Record<ChannelKind, Partial<Record<InteractiveKind, Rules>>> = {
  whatsapp: {
    buttons: { ...whatsapp, maxButtons: 3 },
    list: { ...whatsapp, maxText: 4096, header: 'text' },
    link: whatsapp,
    flow: whatsapp,
    product: { ...whatsapp, text: 'optional', header: 'absent' },
    productList: { ...whatsapp, header: 'required_text' },
    catalog: { ...whatsapp, header: 'absent' },
    locationRequest: { ...whatsapp, header: 'absent', hasFooter: false },
  },
  instagram: {
    buttons: { ...instagram, maxButtons: 13 },
    link: { ...instagram, maxText: 640 },
    cards: { ...instagram, text: 'absent' },
  },
  sms: {},
  email: {},
};

/** The part of a message that the recipient can use; undefined if there is none or several. */
export function kindOfInteractive(content: InteractiveContent): InteractiveKind | undefined {
  const given = interactiveKinds.filter((kind) => content[kind] !== undefined);
  return given.length === 1 ? given[0] : undefined;
}

const MAX_ID = 256;
const MAX_DATA_CHARACTERS = 16_384;

function validateButtons(buttons: Choice[], maxButtons: number, issues: Issues): void {
  validateCount('buttons', buttons, maxButtons, issues);
  for (const [index, { id, title }] of buttons.entries()) {
    validateText(`buttons.${index}.id`, id, MAX_ID, issues);
    validateText(`buttons.${index}.title`, title, 20, issues);
  }
  validateUnique(
    'buttons',
    buttons.map(({ id }) => id),
    issues,
  );
}

function validateList(
  { button, sections = [] }: NonNullable<InteractiveContent['list']>,
  issues: Issues,
): void {
  const path = 'list.sections';
  validateText('list.button', button, 20, issues);
  validateCount(path, sections, 10, issues);
  for (const [index, { title, rows = [] }] of sections.entries()) {
    validateText(`${path}.${index}.title`, title, 24, issues, sections.length > 1);
    validateCount(`${path}.${index}.rows`, rows, 10, issues);
    for (const [row, { id, title, description }] of rows.entries()) {
      validateText(`${path}.${index}.rows.${row}.id`, id, 200, issues);
      validateText(`${path}.${index}.rows.${row}.title`, title, 24, issues);
      validateText(`${path}.${index}.rows.${row}.description`, description, 72, issues, false);
    }
  }
  const rows = sections.flatMap(({ rows = [] }) => rows);
  if (rows.length > 10)
    issues.add(path, 'too_big', `Must have at most 10 rows in all, received ${rows.length}`);
  validateUnique(
    path,
    rows.map(({ id }) => id),
    issues,
  );
}

function validateFlow(flow: Flow, issues: Issues): void {
  const { flowId, name, button, token, mode, action, screen, data } = flow;
  if ((flowId === undefined) === (name === undefined))
    issues.add('flow', 'custom', 'Either `flowId` or `name` is required');
  validateText('flow.flowId', flowId, MAX_ID, issues, false);
  validateText('flow.name', name, 200, issues, false);
  validateText('flow.button', button, 30, issues);
  validateText('flow.token', token, 1024, issues, false);
  validateText('flow.screen', screen, 200, issues, false);
  if (mode !== undefined && !['draft', 'published'].includes(mode))
    issues.add('flow.mode', 'invalid_enum_value', 'Must be draft or published');
  if (action !== undefined && !['navigate', 'data_exchange'].includes(action))
    issues.add('flow.action', 'invalid_enum_value', 'Must be navigate or data_exchange');
  if (action === 'data_exchange' && (screen ?? data) !== undefined)
    issues.add(
      'flow.action',
      'custom',
      'With data_exchange the endpoint of the flow decides: no `screen`, no `data`',
    );
  if (data === undefined) return;
  if (screen === undefined) issues.add('flow.screen', 'invalid_type', 'Required with `data`');
  if (Object.keys(data).length === 0) issues.add('flow.data', 'too_small', 'Must not be empty');
  else if (JSON.stringify(data).length > MAX_DATA_CHARACTERS)
    issues.add('flow.data', 'too_big', `Must have at most ${MAX_DATA_CHARACTERS} characters of JSON`);
}

function validateProducts(
  { catalogId, sections }: NonNullable<InteractiveContent['productList']>,
  issues: Issues,
): void {
  const path = 'productList.sections';
  validateText('productList.catalogId', catalogId, MAX_ID, issues);
  validateCount(path, sections, 10, issues);
  for (const [index, { title, productIds }] of sections.entries()) {
    validateText(`${path}.${index}.title`, title, 24, issues, sections.length > 1);
    validateCount(`${path}.${index}.productIds`, productIds, 30, issues);
    for (const [number, id] of productIds.entries())
      validateText(`${path}.${index}.productIds.${number}`, id, MAX_ID, issues);
  }
  const count = sections.flatMap(({ productIds }) => productIds).length;
  if (count > 30) issues.add(path, 'too_big', `Must have at most 30 products in all, received ${count}`);
}

function validateCards(cards: Card[], issues: Issues): void {
  validateCount('cards', cards, 10, issues);
  for (const [index, { title, subtitle, imageUrl, url, buttons }] of cards.entries()) {
    const ofCard = issues.at(`cards.${index}`);
    validateText('title', title, 80, ofCard);
    validateText('subtitle', subtitle, 80, ofCard, false);
    validateUrl('imageUrl', imageUrl, ofCard, false);
    validateUrl('url', url, ofCard, false);
    if ([subtitle, imageUrl, url, buttons].every((part) => part === undefined))
      issues.add(`cards.${index}`, 'custom', 'Must have more than a title');
    if (buttons === undefined) continue;
    validateCount('buttons', buttons, 3, ofCard);
    for (const [number, button] of buttons.entries()) {
      validateText(`buttons.${number}.title`, button.title, 20, ofCard);
      validateText(`buttons.${number}.id`, button.id, MAX_ID, ofCard, false);
      validateUrl(`buttons.${number}.url`, button.url, ofCard, false);
      if ((button.id === undefined) === (button.url === undefined))
        ofCard.add(`buttons.${number}`, 'custom', 'Either `id` or `url` is required');
    }
  }
}

const validators: {
  [K in InteractiveKind]: (given: NonNullable<InteractiveContent[K]>, rules: Rules, issues: Issues) => void;
} = {
  buttons: (buttons, { maxButtons = 3 }, issues) => validateButtons(buttons, maxButtons, issues),
  list: (list, _, issues) => validateList(list, issues),
  link({ title, url }, _, issues) {
    validateText('link.title', title, 20, issues);
    validateUrl('link.url', url, issues);
  },
  flow: (flow, _, issues) => validateFlow(flow, issues),
  product({ catalogId, productId }, _, issues) {
    validateText('product.catalogId', catalogId, MAX_ID, issues);
    validateText('product.productId', productId, MAX_ID, issues);
  },
  productList: (list, _, issues) => validateProducts(list, issues),
  catalog: ({ thumbnailProductId }, _, issues) =>
    validateText('catalog.thumbnailProductId', thumbnailProductId, MAX_ID, issues),
  locationRequest() {},
  cards: (cards, _, issues) => validateCards(cards, issues),
};

function validateHeader(
  { header, footer }: InteractiveContent,
  hasFile: boolean,
  rules: Rules,
  named: string,
  issues: Issues,
  mediaIssues: Issues,
): void {
  if (header !== undefined && rules.header === 'absent')
    issues.add('header', 'custom', `Not allowed with ${named}`);
  else if (header !== undefined) validateText('header.text', header.text, 60, issues);
  else if (rules.header === 'required_text') issues.add('header', 'invalid_type', `Required with ${named}`);
  if (hasFile && rules.header !== 'file') mediaIssues.add('media', 'custom', `Not allowed with ${named}`);
  else if (hasFile && header !== undefined)
    mediaIssues.add('media', 'custom', 'The header is a text or a file, not both');
  if (footer !== undefined && !rules.hasFooter) issues.add('footer', 'custom', `Not allowed with ${named}`);
  else validateText('footer', footer, 60, issues, false);
}

/** A message that the recipient can use, as it is given. Its parts are of the right types. */
interface InteractiveMessage {
  text: string | null;
  content: InteractiveContent;
  hasFile: boolean;
}

/**
 * Adds everything that is wrong with such a message on this kind of channel. `path` is the parameter with the content; the text is
 * at `text`, a file at `media`.
 */
export function validateInteractive(
  kind: ChannelKind,
  { text, content, hasFile }: InteractiveMessage,
  issues: Issues,
  path: string,
): void {
  const used = kindOfInteractive(content);
  const known = Object.keys(interactiveRules[kind]) as InteractiveKind[];
  if (used === undefined) {
    issues.add(path, 'custom', `Exactly one of ${known.join(', ')} is required`);
    return;
  }
  const rules = interactiveRules[kind][used];
  const below = issues.at(path);
  if (!rules) {
    below.add(used, 'custom', `Cannot be sent on ${kind}: only ${known.join(', ')}`);
    return;
  }
  validators[used](content[used] as never, rules, below);
  validateHeader(content, hasFile, rules, `\`${used}\``, below, issues);
  if (text !== null && rules.text === 'absent') issues.add('text', 'custom', `Not allowed with \`${used}\``);
  else if (text !== null) validateText('text', text, rules.maxText, issues);
  else if (rules.text === 'required') issues.add('text', 'invalid_type', 'Required');
}
