import type { InvalidParamKey, InvalidParams } from '../base/errors.ts';
import type { ChannelKind } from '../providers/adapter.ts';
import { fill, hasStrayBraces, variablesOf } from '../providers/placeholders.ts';
import type { TemplateButton, TemplateHeader } from './schema.ts';

/** What a template says, whatever became of it at the vendor. */
export interface TemplateContent {
  name: string;
  language: string;
  body: string;
  header: TemplateHeader | null;
  footer: string | null;
  buttons: TemplateButton[];
}

type Issue = [path: string, key: InvalidParamKey, message: string];

/** Of which of its parts a header or button must, may and must not have one, by its type. */
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

function* validateParts(
  path: string,
  owner: TemplateHeader | TemplateButton,
  parts: Parts,
): Generator<Issue> {
  for (const [part, rule] of Object.entries(parts)) {
    const isThere = (owner as Record<string, unknown>)[part] != null;
    if (rule === 'required' && !isThere) yield [`${path}.${part}`, 'invalid_type', 'Required'];
    if (rule === 'absent' && isThere)
      yield [`${path}.${part}`, 'custom', `Not for one of the type "${owner.type}"`];
  }
}

function* validateVariables(path: string, text: string | null): Generator<Issue> {
  if (text !== null && hasStrayBraces(text))
    yield [
      path,
      'custom',
      'Variables are written as {{name}} or {{1}}, of letters, digits and _, without blanks; other double braces are not allowed',
    ];
}

function* validatePlainText(path: string, text: string | null): Generator<Issue> {
  if (text !== null && (hasStrayBraces(text) || variablesOf([text]).length > 0))
    yield [path, 'custom', 'There are no variables here'];
}

function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(fill(text, 'x')).protocol);
  } catch {
    return false;
  }
}

function* validateUrl(path: string, url: string | null): Generator<Issue> {
  yield* validateVariables(path, url);
  if (url !== null && !isWebAddress(url)) yield [path, 'invalid_string', 'Must be an http or https URL'];
}

/** What holds for every kind of channel. */
function* validateContent({ body, header, footer, buttons }: TemplateContent): Generator<Issue> {
  yield* validateVariables('body', body);
  if (header) {
    yield* validateParts('header', header, headerParts[header.type]);
    yield* validateVariables('header.text', header.text);
    yield* validateUrl('header.url', header.url);
  }
  yield* validatePlainText('footer', footer);
  for (const [index, button] of buttons.entries()) {
    const path = `buttons.${index}`;
    yield* validatePlainText(`${path}.text`, button.text);
    yield* validateParts(path, button, buttonParts[button.type]);
    yield* validateUrl(`${path}.url`, button.url);
  }
}

const lengthOf = (text: string): number => [...text].length;

function* tooLong(path: string, text: string | null | undefined, limit: number): Generator<Issue> {
  if (text != null && lengthOf(text) > limit)
    yield [path, 'too_big', `On WhatsApp it has at most ${limit} characters, received ${lengthOf(text)}`];
}

/** What WhatsApp asks for beyond that. */
function* validateForWhatsApp(content: TemplateContent): Generator<Issue> {
  if (!/^[a-z0-9_]{1,512}$/.test(content.name))
    yield ['name', 'invalid_string', 'On WhatsApp a name has only a to z, 0 to 9 and _'];
  if (!/^[a-z]{2,3}(_[A-Z]{2})?$/.test(content.language))
    yield ['language', 'invalid_string', 'On WhatsApp a language is written as en or en_US'];
  yield* tooLong('body', content.body, 1024);
  yield* tooLong('header.text', content.header?.text, 60);
  yield* tooLong('footer', content.footer, 60);
  if (content.buttons.length > 10)
    yield ['buttons', 'too_big', `On WhatsApp there are at most 10, received ${content.buttons.length}`];
  for (const [index, { text }] of content.buttons.entries())
    yield* tooLong(`buttons.${index}.text`, text, 25);
}

/** All that is wrong with a template on a channel of this kind, by path; of several faults in one place, the first. */
export function validateTemplate(content: TemplateContent, kind: ChannelKind | undefined): InvalidParams {
  const issues: InvalidParams = {};
  const add = (found: Iterable<Issue>): void => {
    for (const [path, key, message] of found) issues[path] ??= { key, message };
  };
  add(validateContent(content));
  if (kind === 'whatsapp') add(validateForWhatsApp(content));
  return issues;
}
