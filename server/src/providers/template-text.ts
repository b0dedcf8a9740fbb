import type { OutgoingTemplate } from './adapter.ts';
import { fillWith } from './placeholders.ts';

/** A text of a template with the values of its variables; a variable without a value is not replaced. */
export const fillVariables = (text: string, variables: Record<string, string>): string =>
  fillWith(text, (name) => (Object.hasOwn(variables, name) ? (variables[name] as string) : `{{${name}}}`));

/** A template as plain text, for vendors without templates. */
export function templateText({ header, body, footer, variables }: OutgoingTemplate): string {
  const texts = [header?.text ?? null, body, footer];
  return texts
    .filter((text) => text !== null)
    .map((text) => fillVariables(text, variables))
    .join('\n\n');
}
