import { countCharacters, isLongerThan } from '../base/characters.ts';
import type { Issues } from '../base/issues.ts';
import type { ChannelKind } from '../providers/adapter.ts';
import { fill, hasStrayBraces, variablesOf } from '../providers/placeholders.ts';
import type { TemplateButton, TemplateHeader } from './schema.ts';

/** The content of a template, without its state at the vendor. */
export interface TemplateContent {
  name: string;
  language: string;
  body: string;
  header: TemplateHeader | null;
  footer: string | null;
  buttons: TemplateButton[];
}

/** Which parts a header or button of a type must have, may have and must not have. */
type Parts = Record<string, 'required' | 'optional' | 'absent'>;

const media: Parts = { text: 'absent', url: 'optional' };
const headerParts: Record<TemplateHeader['type'], Parts> = {
  text: { text: 'required', url: 'absent' },
  image: media,
  video: media,
  document: media,
};
const buttonParts: Record<TemplateButton['type'], Parts> = {
  quick_reply: { url: 'absent', phoneNumber: 'absent' },
  url: { url: 'required', phoneNumber: 'absent' },
  phone_number: { url: 'absent', phoneNumber: 'required' },
};

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

/** The rules for every kind of channel. */
function validateContent({ body, header, footer, buttons }: TemplateContent, issues: Issues): void {
  validateVariables('body', body, issues);
  if (header) {
    const ofHeader = issues.at('header');
    validateParts(header, headerParts[header.type], ofHeader);
    validateVariables('text', header.text, ofHeader);
    validateUrl(header.url, ofHeader);
  }
  validatePlainText('footer', footer, issues);
  for (const [index, button] of buttons.entries()) {
    const ofButton = issues.at(`buttons.${index}`);
    validatePlainText('text', button.text, ofButton);
    validateParts(button, buttonParts[button.type], ofButton);
    validateUrl(button.url, ofButton);
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

/** Adds everything that is wrong with a template on a channel of this kind. */
export function validateTemplate(
  content: TemplateContent,
  kind: ChannelKind | undefined,
  issues: Issues,
): void {
  validateContent(content, issues);
  if (kind === 'whatsapp') validateForWhatsApp(content, issues);
}
