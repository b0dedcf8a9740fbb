import type { Event } from '@parley/sdk';
import { textIn } from '../../api/content.ts';
import { describeStatus } from '../../explain/describe-status.ts';
import { EVENT_ICONS } from '../../explain/event-icons.ts';
import { isEventType } from '../../explain/event-types.ts';
import type { Translator } from '../../i18n/i18n.tsx';
import type { IconName } from '../../ui/icon.tsx';

export const iconOf = ({ type }: Event): IconName => (isEventType(type) ? EVENT_ICONS[type] : 'event');

export const titleOf = ({ type }: Event, t: Translator['t']): string =>
  isEventType(type) ? t(`eventType.${type}`) : type;

type Words = Pick<Translator, 't' | 'translate'>;
const asItIs = (text: string): string => text;

/** How an event begins to be recognised: its text, or else a name in its data. What the server says is said in the reader's language. */
const PLACES: readonly (readonly [place: readonly string[], say: (text: string, words: Words) => string])[] =
  [
    [['text'], asItIs],
    [['contact', 'displayName'], asItIs],
    [['displayName'], asItIs],
    [['name'], asItIs],
    [['filename'], asItIs],
    [['handle', 'value'], asItIs],
    [['error', 'message'], (text, { translate }) => translate(text)],
    [['url'], asItIs],
    [['status'], (text, { t }) => describeStatus(text, t).text],
  ];
const MAX = 300;

export function aboutOf({ data }: Pick<Event, 'data'>, words: Words): string {
  for (const [place, say] of PLACES) {
    const text = textIn(data, ...place);
    if (text) return say(text.slice(0, MAX), words);
  }
  return '';
}
