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

type Fault = { path: string; message: string };

function* faultsOfText(path: string, text: unknown, most: number, isRequired = true): Generator<Fault> {
  if (text === undefined && !isRequired) return;
  if (textOf(text) === null) yield { path, message: 'Must be a text that is not empty' };
  else if (lengthOf(text as string) > most)
    yield { path, message: `Must have at most ${most} characters, received ${lengthOf(text as string)}` };
}

function* faultsOfCount(path: string, given: unknown, most: number): Generator<Fault> {
  const count = Array.isArray(given) ? given.length : 0;
  if (count < 1 || count > most) yield { path, message: `Must be a list of 1 to ${most}` };
}

function* faultsOfSameIds(path: string, choices: readonly { id?: unknown }[]): Generator<Fault> {
  const ids = choices.map(({ id }) => id);
  if (new Set(ids).size < ids.length) yield { path, message: 'Must have a different id each' };
}

function* faultsOfButtons(given: unknown): Generator<Fault> {
  const buttons = partsOf(given);
  yield* faultsOfCount('content.buttons', given, 3);
  for (const [index, { id, title }] of buttons.entries()) {
    yield* faultsOfText(`content.buttons.${index}.id`, id, 256);
    yield* faultsOfText(`content.buttons.${index}.title`, title, 20);
  }
  yield* faultsOfSameIds('content.buttons', buttons);
}

function* faultsOfList(given: unknown): Generator<Fault> {
  const { button, sections } = partOf(given);
  const path = 'content.list.sections';
  yield* faultsOfText('content.list.button', button, 20);
  yield* faultsOfCount(path, sections, 10);
  const parts = partsOf(sections);
  for (const [index, { title, rows }] of parts.entries()) {
    yield* faultsOfText(`${path}.${index}.title`, title, 24, parts.length > 1);
    yield* faultsOfCount(`${path}.${index}.rows`, rows, 10);
    for (const [row, { id, title, description }] of partsOf(rows).entries()) {
      yield* faultsOfText(`${path}.${index}.rows.${row}.id`, id, 200);
      yield* faultsOfText(`${path}.${index}.rows.${row}.title`, title, 24);
      yield* faultsOfText(`${path}.${index}.rows.${row}.description`, description, 72, false);
    }
  }
  const rows = parts.flatMap((section) => partsOf(section.rows));
  if (rows.length > 10) yield { path, message: `Must have at most 10 rows in all, received ${rows.length}` };
  yield* faultsOfSameIds(path, rows);
}

/** All that is wrong with a message with choices on WhatsApp, by path, the body's text included. */
export function faultsOfInteractive(text: string | null, content: Record<string, unknown>): Fault[] {
  const { buttons, list } = content;
  if ((buttons === undefined) === (list === undefined))
    return [{ path: 'content', message: 'Must have either `buttons` or a `list`' }];
  return [
    ...faultsOfText('text', text ?? undefined, list === undefined ? 1024 : 4096),
    ...(list === undefined ? faultsOfButtons(buttons) : faultsOfList(list)),
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
