import type { Issues } from '../base/issues.ts';
import { fillWith, namesIn, variablesOf } from '../providers/placeholders.ts';
import type { MessageTemplate } from './schema.ts';

/** The parts of a template that are sent. */
export type TemplateTexts = Pick<MessageTemplate, 'header' | 'body' | 'footer' | 'buttons'>;

const textsOf = ({ header, body, buttons }: TemplateTexts): string[] => [
  header?.text ?? '',
  header?.url ?? '',
  body,
  ...buttons.map((button) => button.url ?? ''),
];

/** The variables of a template, each once, in the order of header, body and buttons. */
export const variablesOfTemplate = (template: TemplateTexts): string[] => variablesOf(textsOf(template));

/** As long as the longest text of a message. A short template can repeat a long value thousands of times. */
const MAX_FILLED_CHARACTERS = 500_000;

/** The length of all texts with their values, without making them. */
function filledLength(template: TemplateTexts, lengths: ReadonlyMap<string, number>): number {
  let length = 0;
  for (const text of textsOf(template)) {
    length += text.length;
    for (const name of namesIn(text)) length += lengths.get(name) ?? 0;
  }
  return length;
}

/** Adds an issue for each variable that is missing, not a text, or not in the template. Paths are variable names. */
export function validateVariables(
  template: TemplateTexts,
  variables: Record<string, unknown>,
  issues: Issues,
): void {
  const names = new Set(variablesOfTemplate(template));
  const given = new Map(Object.entries(variables));
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined) issues.add(name, 'invalid_type', 'Required');
    else if (typeof value !== 'string')
      issues.add(name, 'invalid_type', `Expected string, received ${value === null ? 'null' : typeof value}`);
    else if (value.trim() === '') issues.add(name, 'too_small', 'Must not be empty');
  }
  const known = names.size > 0 ? `; it has ${[...names].slice(0, MAX_NAMED).join(', ')}` : '';
  for (const name of given.keys()) {
    if (issues.isFull) break;
    if (!names.has(name))
      issues.add(name, 'unrecognized_keys', `The template has no variable "${name}"${known}`);
  }
}

/** Whether the texts of the template have a sensible length with these values. Adds an issue at the longest value if not. */
export function validateFilledLength(
  template: TemplateTexts,
  variables: Record<string, unknown>,
  issues: Issues,
): boolean {
  const lengths = new Map(Object.entries(variables).map(([name, value]) => [name, String(value).length]));
  const length = filledLength(template, lengths);
  if (length <= MAX_FILLED_CHARACTERS) return true;
  const [[longest] = ['']] = [...lengths].sort(([, a], [, b]) => b - a);
  issues.add(
    longest,
    'too_big',
    `The texts of the template may have ${MAX_FILLED_CHARACTERS} characters with their values, these have ${length}`,
  );
  return false;
}

/** How many variables an error lists. */
const MAX_NAMED = 50;

/** The template as the recipient sees it. In a URL values are percent-encoded. */
export function renderTemplate(template: TemplateTexts, variables: Record<string, string>): TemplateTexts {
  const values = new Map(Object.entries(variables));
  const valueFor = (name: string): string => values.get(name) ?? '';
  const inText = (text: string): string => fillWith(text, valueFor);
  const inUrl = (url: string | null): string | null =>
    url === null ? null : fillWith(url, (name) => encodeURIComponent(valueFor(name)));
  const { header, body, footer, buttons } = template;
  return {
    header: header && {
      type: header.type,
      text: header.text === null ? null : inText(header.text),
      url: inUrl(header.url),
    },
    body: inText(body),
    footer,
    buttons: buttons.map((button) => ({ ...button, url: inUrl(button.url) })),
  };
}
