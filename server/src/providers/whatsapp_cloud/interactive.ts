import { countCharacters, isLongerThan } from '../../base/characters.ts';
import type { Issues } from '../../base/issues.ts';
import { partOf, partsOf, textOf } from '../meta/payload.ts';

interface Choice {
  id: string;
  title: string;
  description?: string;
}

/** The choices of a message: up to three buttons, or a list behind one button. */
export interface InteractiveContent {
  buttons?: Choice[];
  list?: { button: string; sections: { title?: string; rows: Choice[] }[] };
}

function validateText(path: string, text: unknown, max: number, issues: Issues, isRequired = true): void {
  if (text === undefined && !isRequired) return;
  if (textOf(text) === null) issues.add(path, 'invalid_type', 'Must be a non-empty text');
  else if (isLongerThan(text as string, max))
    issues.add(
      path,
      'too_big',
      `Must have at most ${max} characters, received ${countCharacters(text as string)}`,
    );
}

function validateCount(path: string, given: unknown, max: number, issues: Issues): void {
  const count = Array.isArray(given) ? given.length : 0;
  if (count < 1 || count > max) issues.add(path, 'custom', `Must be a list of 1 to ${max}`);
}

function validateUniqueIds(path: string, choices: readonly { id?: unknown }[], issues: Issues): void {
  const ids = choices.map(({ id }) => id);
  if (new Set(ids).size < ids.length) issues.add(path, 'custom', 'Must have unique ids');
}

function validateButtons(given: unknown, issues: Issues): void {
  const buttons = partsOf(given);
  validateCount('content.buttons', given, 3, issues);
  for (const [index, { id, title }] of buttons.entries()) {
    validateText(`content.buttons.${index}.id`, id, 256, issues);
    validateText(`content.buttons.${index}.title`, title, 20, issues);
  }
  validateUniqueIds('content.buttons', buttons, issues);
}

function validateList(given: unknown, issues: Issues): void {
  const { button, sections } = partOf(given);
  const path = 'content.list.sections';
  validateText('content.list.button', button, 20, issues);
  validateCount(path, sections, 10, issues);
  const parts = partsOf(sections);
  for (const [index, { title, rows }] of parts.entries()) {
    validateText(`${path}.${index}.title`, title, 24, issues, parts.length > 1);
    validateCount(`${path}.${index}.rows`, rows, 10, issues);
    for (const [row, { id, title, description }] of partsOf(rows).entries()) {
      validateText(`${path}.${index}.rows.${row}.id`, id, 200, issues);
      validateText(`${path}.${index}.rows.${row}.title`, title, 24, issues);
      validateText(`${path}.${index}.rows.${row}.description`, description, 72, issues, false);
    }
  }
  const rows = parts.flatMap((section) => partsOf(section.rows));
  if (rows.length > 10)
    issues.add(path, 'too_big', `Must have at most 10 rows in all, received ${rows.length}`);
  validateUniqueIds(path, rows, issues);
}

/** Adds everything that is wrong with a message with choices on WhatsApp, including its text. */
export function validateInteractive(
  text: string | null,
  content: Record<string, unknown>,
  issues: Issues,
): void {
  const { buttons, list } = content;
  if ((buttons === undefined) === (list === undefined)) {
    issues.add('content', 'custom', 'Must have either `buttons` or a `list`');
    return;
  }
  validateText('text', text ?? undefined, list === undefined ? 1024 : 4096, issues);
  if (list === undefined) validateButtons(buttons, issues);
  else validateList(list, issues);
}

/** The payload for Meta, of valid content. */
export function interactivePayload(text: string, content: InteractiveContent): Record<string, unknown> {
  const body = { text };
  if (content.list) {
    const { button, sections } = content.list;
    return { type: 'list', body, action: { button, sections } };
  }
  const buttons = (content.buttons ?? []).map(({ id, title }) => ({ type: 'reply', reply: { id, title } }));
  return { type: 'button', body, action: { buttons } };
}
