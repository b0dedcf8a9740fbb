import type { Event } from '@parley/sdk';
import { EVENT_ICONS } from '../../explain/event-icons.ts';
import { isEventType } from '../../explain/event-types.ts';
import type { Translator } from '../../i18n/i18n.tsx';
import type { IconName } from '../../ui/icon.tsx';

export const iconOf = ({ type }: Event): IconName => (isEventType(type) ? EVENT_ICONS[type] : 'event');

export const titleOf = ({ type }: Event, t: Translator['t']): string =>
  isEventType(type) ? t(`eventType.${type}`) : type;
