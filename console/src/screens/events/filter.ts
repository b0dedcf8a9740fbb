import type { Event } from '@parley/sdk';
import { textIn } from '../../api/content.ts';
import { chatIdOf, contactIdOf } from '../../explain/event-about.ts';
import { eventTypes } from '../../explain/event-types.ts';
import { type Chip, type FilterTexts, oneOf, written } from '../../ui/filter.ts';

/** Beginnings of types that people choose together. */
export const EVENT_GROUPS = [
  'message',
  'chat',
  'contact',
  'note',
  'automation',
  'campaign',
  'webhook',
] as const;

/** How the conditions on events are written. */
export const eventFilters: FilterTexts = {
  type: oneOf({
    ...Object.fromEntries(EVENT_GROUPS.map((name) => [`${name}.*`, `startsWith(type,"${name}.")`])),
    ...Object.fromEntries(eventTypes.map((type) => [type, `eq(type,"${type}")`])),
  }),
  channel: written('eq', 'channelId'),
  contact: written('eq', 'contactId'),
  chat: written('eq', 'chatId'),
  text: written('contains', 'text'),
};

/** Whether an event that has just come is one of those that the chips choose. */
const MATCHES: Readonly<Record<string, (event: Event, value: string) => boolean>> = {
  type: ({ type }, value) => (value.endsWith('*') ? type.startsWith(value.slice(0, -1)) : type === value),
  channel: ({ channelId }, value) => channelId === value.toLowerCase(),
  contact: (event, value) => contactIdOf(event) === value.toLowerCase(),
  chat: (event, value) => chatIdOf(event) === value.toLowerCase(),
  text: ({ data }, value) => textIn(data, 'text')?.toLowerCase().includes(value.toLowerCase()) === true,
};
export const matchesChips = (event: Event, chips: readonly Chip[]): boolean =>
  chips.every(({ field, value }) => MATCHES[field]?.(event, value) === true);
