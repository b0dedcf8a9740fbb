import type { Message, MessageTemplate } from '@parley/sdk';
import { listIn, textIn } from '../api/content.ts';
import type { Content } from './written.ts';

/** Something to tap below a message: it answers, opens a page, or does nothing on this phone. */
interface Choice {
  title: string;
  detail?: string | undefined;
  answer?: Content;
  url?: string;
}

/** Choices with a heading, as sections of a list and cards have. */
export interface ChoiceGroup {
  title?: string | undefined;
  choices: readonly Choice[];
}

type Part = Record<string, unknown>;

/** Where the phone is, if the business asks. */
const PLACE = { latitude: 52.5219, longitude: 13.4132, name: null, address: null };
const isWeb = (url: string | undefined): url is string => /^https?:\/\//i.test(url ?? '');

/** The answer that a button or a row returns. */
const answerOf = (messageId: string, title: string, content: Part): Content => ({
  type: 'interactive',
  text: title,
  content,
  replyToMessageId: messageId,
});

function buttonOf(messageId: string, button: Part): Choice {
  const title = textIn(button, 'title') ?? '';
  const [id, url] = [textIn(button, 'id'), textIn(button, 'url')];
  return {
    title,
    ...(id === undefined ? {} : { answer: answerOf(messageId, title, { id, title }) }),
    ...(isWeb(url) ? { url } : {}),
  };
}

/** Vendors tell rows of a list from buttons by the description. */
function rowOf(messageId: string, row: Part): Choice {
  const title = textIn(row, 'title') ?? '';
  const detail = textIn(row, 'description');
  const content = { id: textIn(row, 'id') ?? title, title, description: detail ?? null };
  return { title, detail, answer: answerOf(messageId, title, content) };
}

/** What can be tapped below a message, except the rows of its list. */
export function choicesOf({ id, content }: Message, locationTitle: string): ChoiceGroup[] {
  const link = textIn(content, 'link', 'url');
  const flow = textIn(content, 'flow', 'button');
  const choices: Choice[] = [
    ...listIn(content, 'buttons').map((button) => buttonOf(id, button)),
    ...(isWeb(link) ? [{ title: textIn(content, 'link', 'title') ?? link, url: link }] : []),
    ...(flow === undefined ? [] : [{ title: flow }]),
    ...(content.locationRequest === undefined
      ? []
      : [
          {
            title: locationTitle,
            answer: { type: 'location' as const, content: PLACE, replyToMessageId: id },
          },
        ]),
  ];
  const cards = listIn(content, 'cards').map((card) => ({
    title: [textIn(card, 'title'), textIn(card, 'subtitle')].filter(Boolean).join(' · '),
    choices: listIn(card, 'buttons').map((button) => buttonOf(id, button)),
  }));
  return [...(choices.length > 0 ? [{ choices }] : []), ...cards];
}

/** The list of a message: the button that opens it, and its rows. */
export function listOf({ id, content }: Message): { button: string; groups: ChoiceGroup[] } | undefined {
  const sections = listIn(content, 'list', 'sections');
  if (sections.length === 0) return undefined;
  return {
    button: textIn(content, 'list', 'button') ?? '…',
    groups: sections.map((section) => ({
      title: textIn(section, 'title'),
      choices: listIn(section, 'rows').map((row) => rowOf(id, row)),
    })),
  };
}

/** What can be tapped below a message that was made from a template. */
export const templateChoices = ({ id }: Message, { buttons }: MessageTemplate): ChoiceGroup[] =>
  buttons.length === 0
    ? []
    : [
        {
          choices: buttons.map(({ type, text: title, url }) => ({
            title,
            ...(type === 'quick_reply' ? { answer: answerOf(id, title, { id: title, title }) } : {}),
            // With a variable in it, only the vendor knows the address.
            ...(type === 'url' && isWeb(url ?? undefined) && !url?.includes('{{')
              ? { url: url as string }
              : {}),
          })),
        },
      ];
