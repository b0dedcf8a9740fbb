import type { OutgoingTemplate } from '../adapter.ts';
import type { MediaReference } from './media.ts';
import { isNumbered, variablesIn } from './numbered-variables.ts';

type Component = Record<string, unknown>;

/** The first variable of a template without a value. */
export function findMissingVariable({
  header,
  body,
  buttons,
  variables,
}: OutgoingTemplate): string | undefined {
  const texts = [header?.text ?? '', body, ...buttons.map(({ url }) => url ?? '')];
  return texts.flatMap(variablesIn).find((name) => !variables[name]);
}

/** Numbered variables are given by position, named ones by name. */
function parametersOf(text: string, values: Record<string, string>): Component[] {
  const names = variablesIn(text);
  const naming = isNumbered(names) ? () => ({}) : (name: string) => ({ parameter_name: name });
  return names.map((name) => ({ type: 'text', ...naming(name), text: values[name] }));
}

function headerOf(
  { header, variables }: OutgoingTemplate,
  file: (MediaReference & { filename?: string }) | undefined,
): Component[] {
  if (!header) return [];
  const parameters =
    header.type === 'text'
      ? parametersOf(header.text ?? '', variables)
      : file
        ? [{ type: header.type, [header.type]: file }]
        : [];
  return parameters.length > 0 ? [{ type: 'header', parameters }] : [];
}

/** The variable of a URL is always its end, and is numbered. */
const buttonsOf = ({ buttons, variables }: OutgoingTemplate): Component[] =>
  buttons.flatMap(({ type, url }, index) => {
    const [name] = type === 'url' ? variablesIn(url ?? '') : [];
    if (name === undefined) return [];
    const parameters = [{ type: 'text', text: variables[name] }];
    return [{ type: 'button', sub_type: 'url', index: String(index), parameters }];
  });

/** The payload of a template with the values of its variables. Parts without variables are not repeated. */
export function templatePayload(
  template: OutgoingTemplate,
  file: (MediaReference & { filename?: string }) | undefined,
): Component {
  const parameters = parametersOf(template.body, template.variables);
  const components = [
    ...headerOf(template, file),
    ...(parameters.length > 0 ? [{ type: 'body', parameters }] : []),
    ...buttonsOf(template),
  ];
  return {
    name: template.name,
    language: { code: template.language },
    ...(components.length > 0 ? { components } : {}),
  };
}
