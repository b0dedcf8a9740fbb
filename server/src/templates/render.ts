import type { InvalidParams } from '../base/errors.ts';
import { fillWith, variablesOf } from '../providers/placeholders.ts';
import type { MessageTemplate } from './schema.ts';

/** The parts of a template that can have variables, and those that are shown beside them. */
export type TemplateTexts = Pick<MessageTemplate, 'header' | 'body' | 'footer' | 'buttons'>;

/** The variables of a template, each once, as a reader comes upon them: header, body, buttons. */
export const variablesOfTemplate = ({ header, body, buttons }: TemplateTexts): string[] =>
  variablesOf([header?.text ?? '', header?.url ?? '', body, ...buttons.map((button) => button.url ?? '')]);

/** What is wrong with the values given for a template, each by its path: missing, not a text, or of no variable. */
export function validateVariables(
  template: TemplateTexts,
  variables: Record<string, unknown>,
  path: string,
): InvalidParams {
  const names = variablesOfTemplate(template);
  const given = new Map(Object.entries(variables));
  const issues: InvalidParams = {};
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined) issues[`${path}.${name}`] = { key: 'invalid_type', message: 'Required' };
    else if (typeof value !== 'string')
      issues[`${path}.${name}`] = {
        key: 'invalid_type',
        message: `Expected string, received ${value === null ? 'null' : typeof value}`,
      };
    else if (value.trim() === '')
      issues[`${path}.${name}`] = { key: 'too_small', message: 'Must have something to show' };
  }
  for (const name of given.keys())
    if (!names.includes(name))
      issues[`${path}.${name}`] = {
        key: 'unrecognized_keys',
        message: `The template has no variable "${name}"${names.length > 0 ? `; it has ${names.join(', ')}` : ''}`,
      };
  return issues;
}

/** The template as the reader will see it. Within a URL a value is one part of it, whatever characters it has. */
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
