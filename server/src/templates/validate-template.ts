import { countCharacters, isLongerThan } from '../base/characters.ts';
import type { Issues } from '../base/issues.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { fill, hasStrayBraces, variablesOf } from '../providers/placeholders.ts';
import type { MessageTemplate, TemplateButton, TemplateHeader } from './schema.ts';

/** The content of a template, without its state at the vendor. */
export interface TemplateContent {
  name: string;
  language: string;
  body: string;
  header: TemplateHeader | null;
  footer: string | null;
  buttons: TemplateButton[];
  cards: MessageTemplate['cards'];
  offer: MessageTemplate['offer'];
  authentication: MessageTemplate['authentication'];
}

/** Which parts a header or button of a type must have, may have and must not have. */
type Parts = Record<string, 'required' | 'optional' | 'absent'>;

const media: Parts = { text: 'absent', url: 'optional' };
const headerParts: Record<TemplateHeader['type'], Parts> = {
  text: { text: 'required', url: 'absent' },
  image: media,
  video: media,
  document: media,
  location: { text: 'absent', url: 'absent' },
};
const noParts: Parts = {
  url: 'absent',
  phoneNumber: 'absent',
  code: 'absent',
  otp: 'absent',
  flow: 'absent',
};
const buttonParts: Record<TemplateButton['type'], Parts> = {
  quick_reply: noParts,
  url: { ...noParts, url: 'required' },
  phone_number: { ...noParts, phoneNumber: 'required' },
  copy_code: { ...noParts, code: 'required' },
  otp: { ...noParts, otp: 'required' },
  flow: { ...noParts, flow: 'required' },
  catalog: noParts,
};
/** The others exist on WhatsApp only. */
const commonButtons = ['quick_reply', 'url', 'phone_number'];

function validateParts(owner: TemplateHeader | TemplateButton, parts: Parts, issues: Issues): void {
  for (const [part, rule] of Object.entries(parts)) {
    const isGiven = (owner as Record<string, unknown>)[part] != null;
    if (rule === 'required' && !isGiven) issues.add(part, 'invalid_type', 'Required');
    if (rule === 'absent' && isGiven) issues.add(part, 'custom', `Not allowed for the type "${owner.type}"`);
  }
}

function validateVariables(path: string, text: string | null, issues: Issues): void {
  if (text !== null && hasStrayBraces(text))
    issues.add(
      path,
      'custom',
      'Variables are written as {{name}} or {{1}}, with letters, digits and _ and without blanks; other double braces are not allowed',
    );
}

function validatePlainText(path: string, text: string | null, issues: Issues): void {
  if (text !== null && (hasStrayBraces(text) || variablesOf([text]).length > 0))
    issues.add(path, 'custom', 'Variables are not allowed here');
}

function isHttpUrl(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(fill(text, 'x')).protocol);
  } catch {
    return false;
  }
}

function validateUrl(url: string | null, issues: Issues): void {
  validateVariables('url', url, issues);
  if (url !== null && !isHttpUrl(url)) issues.add('url', 'invalid_string', 'Must be an http or https URL');
}

function validateButtons(buttons: readonly TemplateButton[], issues: Issues): void {
  for (const [index, button] of buttons.entries()) {
    const ofButton = issues.at(`buttons.${index}`);
    if (button.text === '') ofButton.add('text', 'invalid_type', 'Required');
    validatePlainText('text', button.text, ofButton);
    validateParts(button, buttonParts[button.type], ofButton);
    validateUrl(button.url, ofButton);
  }
}

/** The rules for every kind of channel. */
function validateContent({ body, header, footer, buttons, cards }: TemplateContent, issues: Issues): void {
  if (body === '') issues.add('body', 'invalid_type', 'Required');
  validateVariables('body', body, issues);
  if (header) {
    const ofHeader = issues.at('header');
    validateParts(header, headerParts[header.type], ofHeader);
    validateVariables('text', header.text, ofHeader);
    validateUrl(header.url, ofHeader);
  }
  validatePlainText('footer', footer, issues);
  validateButtons(buttons, issues);
  for (const [index, card] of (cards ?? []).entries()) {
    const ofCard = issues.at(`cards.${index}`);
    validateVariables('body', card.body, ofCard);
    validateUrl(card.header.url, ofCard.at('header'));
    validateButtons(card.buttons, ofCard);
  }
}

function validateLength(path: string, text: string | null | undefined, limit: number, issues: Issues): void {
  if (text != null && isLongerThan(text, limit))
    issues.add(path, 'too_big', `At most ${limit} characters on WhatsApp, received ${countCharacters(text)}`);
}

/** The further rules of WhatsApp. */
function validateForWhatsApp(content: TemplateContent, issues: Issues): void {
  if (!/^[a-z0-9_]{1,512}$/.test(content.name))
    issues.add('name', 'invalid_string', 'On WhatsApp a name has only a to z, 0 to 9 and _');
  if (!/^[a-z]{2,3}(_[A-Z]{2})?$/.test(content.language))
    issues.add('language', 'invalid_string', 'On WhatsApp a language is written as en or en_US');
  validateLength('body', content.body, 1024, issues);
  validateLength('header.text', content.header?.text, 60, issues);
  validateLength('footer', content.footer, 60, issues);
  if (content.buttons.length > 10)
    issues.add('buttons', 'too_big', `At most 10 on WhatsApp, received ${content.buttons.length}`);
  for (const [index, { text }] of content.buttons.entries())
    validateLength(`buttons.${index}.text`, text, 25, issues);
}

/** WhatsApp writes the text of a one-time password itself. */
function validateOtp(content: TemplateContent, category: string, issues: Issues): void {
  const { body, header, footer, buttons, authentication } = content;
  const index = buttons.findIndex(({ type }) => type === 'otp');
  if (index < 0) {
    if (authentication) issues.add('authentication', 'custom', 'Needs an `otp` button');
    return;
  }
  const { otp } = buttons[index] as TemplateButton;
  const ofOtp = issues.at(`buttons.${index}.otp`);
  if (category !== 'authentication')
    issues.add('category', 'custom', 'Must be authentication with an `otp` button');
  if (buttons.length > 1) issues.add('buttons', 'custom', 'An `otp` button is the only button');
  if (header) issues.add('header', 'custom', 'Not allowed with an `otp` button');
  if (footer !== null && authentication?.codeExpirationMinutes == null)
    issues.add('footer', 'custom', 'Not allowed with an `otp` button: WhatsApp writes it');
  if (variablesOf([body]).join() !== '1')
    issues.add('body', 'custom', 'With an `otp` button it has the variable {{1}}, the code, and no other');
  if (otp?.type === 'copy_code' && (otp.apps || otp.autofillText !== undefined))
    ofOtp.add('type', 'custom', 'With copy_code there are no `apps` and no `autofillText`');
  if (otp && otp.type !== 'copy_code' && !otp.apps) ofOtp.add('apps', 'invalid_type', 'Required');
}

function validateOffer(
  { offer, header, body, footer }: TemplateContent,
  category: string,
  issues: Issues,
): void {
  if (!offer) return;
  if (category !== 'marketing') issues.add('category', 'custom', 'Must be marketing with an `offer`');
  if (footer !== null) issues.add('footer', 'custom', 'Not allowed with an `offer`');
  if (header && header.type !== 'image' && header.type !== 'video')
    issues.add('header', 'custom', 'Must be an image or a video with an `offer`');
  if (isLongerThan(body, 600))
    issues.add(
      'body',
      'too_big',
      `At most 600 characters with an \`offer\`, received ${countCharacters(body)}`,
    );
}

/** What a card consists of: all cards of a carousel must have the same. */
const shapeOf = ({ header, body, buttons }: NonNullable<TemplateContent['cards']>[number]): string =>
  [header.type, body === null ? '' : 'body', ...buttons.map(({ type }) => type)].join(' ');

function validateCards(content: TemplateContent, category: string, issues: Issues): void {
  const { cards, header, footer, buttons, offer } = content;
  if (!cards) return;
  if (category !== 'marketing') issues.add('category', 'custom', 'Must be marketing with `cards`');
  for (const [part, isGiven] of Object.entries({ header, footer, offer, buttons: buttons.length > 0 }))
    if (isGiven) issues.add(part, 'custom', 'Not allowed with `cards`');
  for (const [index, card] of cards.entries()) {
    if (shapeOf(card) !== shapeOf(cards[0] as typeof card))
      issues.add(`cards.${index}`, 'custom', 'Must have the same kinds of parts as the first card');
    for (const [number, { type, text }] of card.buttons.entries()) {
      if (!commonButtons.includes(type))
        issues.add(`cards.${index}.buttons.${number}.type`, 'custom', `Must be ${commonButtons.join(', ')}`);
      validateLength(`cards.${index}.buttons.${number}.text`, text, 25, issues);
    }
  }
}

/** The parts that other kinds of channels do not have. */
function validateForOthers(
  { header, buttons, cards, offer, authentication }: TemplateContent,
  kind: string,
  issues: Issues,
): void {
  const message = `Only on WhatsApp, not on ${kind}`;
  if (header?.type === 'location') issues.add('header.type', 'custom', message);
  for (const [index, { type }] of buttons.entries())
    if (!commonButtons.includes(type)) issues.add(`buttons.${index}.type`, 'custom', message);
  for (const [part, value] of Object.entries({ cards, offer, authentication }))
    if (value) issues.add(part, 'custom', message);
}

/** Adds everything that is wrong with a template on a channel of this kind. */
export function validateTemplate(
  content: TemplateContent,
  category: string,
  kind: ChannelKind | undefined,
  issues: Issues,
): void {
  validateContent(content, issues);
  if (kind === undefined) return;
  if (kind !== 'whatsapp') {
    validateForOthers(content, kind, issues);
    return;
  }
  validateForWhatsApp(content, issues);
  validateOtp(content, category, issues);
  validateOffer(content, category, issues);
  validateCards(content, category, issues);
}
