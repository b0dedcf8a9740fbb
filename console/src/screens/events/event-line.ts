import type { Event } from '@parley/sdk';
import { textIn } from '../../api/content.ts';
import { describeStatus, type StatusText } from '../../explain/describe-status.ts';

/** The translator, as far as it is needed here. */
interface Words {
  t: StatusText;
  translate(text: string): string;
}
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
