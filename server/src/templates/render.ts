import type { Issues } from '../base/issues.ts';
import { fillWith, variablesOf } from '../providers/placeholders.ts';
import type { MessageTemplate } from './schema.ts';

/** The parts of a template that are sent. */
export type TemplateTexts = Pick<MessageTemplate, 'header' | 'body' | 'footer' | 'buttons'>;

/** The variables of a template, each once, in the order of header, body and buttons. */
export const variablesOfTemplate = ({ header, body, buttons }: TemplateTexts): string[] =>
  variablesOf([header?.text ?? '', header?.url ?? '', body, ...buttons.map((button) => button.url ?? '')]);

/** Adds an issue for each variable that is missing, not a text, or not in the template. Paths are variable names. */
export function validateVariables(
  template: TemplateTexts,
  variables: Record<string, unknown>,
  issues: Issues,
): void {
  const names = variablesOfTemplate(template);
  const given = new Map(Object.entries(variables));
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined) issues.add(name, 'invalid_type', 'Required');
    else if (typeof value !== 'string')
      issues.add(name, 'invalid_type', `Expected string, received ${value === null ? 'null' : typeof value}`);
    else if (value.trim() === '') issues.add(name, 'too_small', 'Must not be empty');
  }
  const known = names.length > 0 ? `; it has ${names.join(', ')}` : '';
  for (const name of given.keys())
    if (!names.includes(name))
      issues.add(name, 'unrecognized_keys', `The template has no variable "${name}"${known}`);
}

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
