import type { OutgoingTemplate } from './adapter.ts';
import { fillWith } from './placeholders.ts';

/** A text of a template with its variables' values; a variable without one stays as it is. */
export const filled = (text: string, variables: Record<string, string>): string =>
  fillWith(text, (name) => (Object.hasOwn(variables, name) ? (variables[name] as string) : `{{${name}}}`));

/** What a template says, for vendors that know no templates: its texts one below the other. */
export function templateText({ header, body, footer, variables }: OutgoingTemplate): string {
  const texts = [header?.text ?? null, body, footer];
  return texts
    .filter((text) => text !== null)
    .map((text) => filled(text, variables))
    .join('\n\n');
}
