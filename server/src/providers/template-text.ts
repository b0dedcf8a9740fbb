import { fillWith } from './placeholders.ts';
import type { OutgoingTemplate } from './vendor-template.ts';

/** A text of a template with the values of its variables; a variable without a value is not replaced. */
export const fillVariables = (text: string, variables: Record<string, string>): string =>
  fillWith(text, (name) => (Object.hasOwn(variables, name) ? (variables[name] as string) : `{{${name}}}`));

const encoded = (variables: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, encodeURIComponent(value)]));

/** Buttons that open something, one per line. Quick replies are left out: the contact can simply answer. */
function buttonLines({ buttons, variables }: OutgoingTemplate): string[] {
  const lines = buttons.flatMap(({ text, url, phoneNumber }) => {
    const target = url === null ? phoneNumber : fillVariables(url, encoded(variables));
    return target === null ? [] : [`${text}: ${target}`];
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

/** A template as plain text, for vendors without templates. */
export function templateText(template: OutgoingTemplate): string {
  const { header, body, footer, variables } = template;
  const fill = (text: string | null | undefined): string[] =>
    text === null || text === undefined ? [] : [fillVariables(text, variables)];
  return [...fill(header?.text), ...fill(body), ...buttonLines(template), ...fill(footer)].join('\n\n');
}
