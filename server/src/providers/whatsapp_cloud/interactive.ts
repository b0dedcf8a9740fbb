import { partOf, partsOf, textOf } from '../meta/payload.ts';

interface Choice {
  id: string;
  title: string;
  description?: string;
}

/** What a message with choices offers: up to three buttons, or a list behind one button. */
export interface InteractiveContent {
  buttons?: Choice[];
  list?: { button: string; sections: { title?: string; rows: Choice[] }[] };
}

const lengthOf = (text: string): number => [...text].length;

type Issue = { path: string; message: string };

function* validateText(path: string, text: unknown, most: number, isRequired = true): Generator<Issue> {
  if (text === undefined && !isRequired) return;
  if (textOf(text) === null) yield { path, message: 'Must be a text that is not empty' };
  else if (lengthOf(text as string) > most)
    yield { path, message: `Must have at most ${most} characters, received ${lengthOf(text as string)}` };
}

function* validateCount(path: string, given: unknown, most: number): Generator<Issue> {
  const count = Array.isArray(given) ? given.length : 0;
  if (count < 1 || count > most) yield { path, message: `Must be a list of 1 to ${most}` };
}

function* validateSameIds(path: string, choices: readonly { id?: unknown }[]): Generator<Issue> {
  const ids = choices.map(({ id }) => id);
  if (new Set(ids).size < ids.length) yield { path, message: 'Must have a different id each' };
}

function* validateButtons(given: unknown): Generator<Issue> {
  const buttons = partsOf(given);
  yield* validateCount('content.buttons', given, 3);
  for (const [index, { id, title }] of buttons.entries()) {
    yield* validateText(`content.buttons.${index}.id`, id, 256);
    yield* validateText(`content.buttons.${index}.title`, title, 20);
  }
  yield* validateSameIds('content.buttons', buttons);
}

function* validateList(given: unknown): Generator<Issue> {
  const { button, sections } = partOf(given);
  const path = 'content.list.sections';
  yield* validateText('content.list.button', button, 20);
  yield* validateCount(path, sections, 10);
  const parts = partsOf(sections);
  for (const [index, { title, rows }] of parts.entries()) {
    yield* validateText(`${path}.${index}.title`, title, 24, parts.length > 1);
    yield* validateCount(`${path}.${index}.rows`, rows, 10);
    for (const [row, { id, title, description }] of partsOf(rows).entries()) {
      yield* validateText(`${path}.${index}.rows.${row}.id`, id, 200);
      yield* validateText(`${path}.${index}.rows.${row}.title`, title, 24);
      yield* validateText(`${path}.${index}.rows.${row}.description`, description, 72, false);
    }
  }
  const rows = parts.flatMap((section) => partsOf(section.rows));
  if (rows.length > 10) yield { path, message: `Must have at most 10 rows in all, received ${rows.length}` };
  yield* validateSameIds(path, rows);
}

/** All that is wrong with a message with choices on WhatsApp, by path, the body's text included. */
export function validateInteractive(text: string | null, content: Record<string, unknown>): Issue[] {
  const { buttons, list } = content;
  if ((buttons === undefined) === (list === undefined))
    return [{ path: 'content', message: 'Must have either `buttons` or a `list`' }];
  return [
    ...validateText('text', text ?? undefined, list === undefined ? 1024 : 4096),
    ...(list === undefined ? validateButtons(buttons) : validateList(list)),
  ];
}

/** Meta's way of writing it. It has no faults any more. */
export function interactivePayload(text: string, content: InteractiveContent): Record<string, unknown> {
  const body = { text };
  if (content.list) {
    const { button, sections } = content.list;
    return { type: 'list', body, action: { button, sections } };
  }
  const buttons = (content.buttons ?? []).map(({ id, title }) => ({ type: 'reply', reply: { id, title } }));
  return { type: 'button', body, action: { buttons } };
}
