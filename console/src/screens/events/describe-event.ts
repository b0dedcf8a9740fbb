import type { Event } from '@parley/sdk';
import { textIn } from '../../api/content.ts';
import { EVENT_ICONS } from '../../explain/event-icons.ts';
import { isEventType } from '../../explain/event-types.ts';
import type { Translator } from '../../i18n/i18n.tsx';
import type { IconName } from '../../ui/icon.tsx';

export const iconOf = ({ type }: Event): IconName => (isEventType(type) ? EVENT_ICONS[type] : 'event');

export const titleOf = ({ type }: Event, t: Translator['t']): string =>
  isEventType(type) ? t(`eventType.${type}`) : type;

/** How an event begins to be recognised: its text, or else a name in its data. */
const PLACES: readonly (readonly string[])[] = [
  ['text'],
  ['contact', 'displayName'],
  ['displayName'],
  ['name'],
  ['filename'],
  ['handle', 'value'],
  ['error', 'message'],
  ['url'],
  ['status'],
];
const MAX = 300;

export function aboutOf({ data }: Event): string {
  for (const place of PLACES) {
    const text = textIn(data, ...place);
    if (text) return text.slice(0, MAX);
  }
  return '';
}
