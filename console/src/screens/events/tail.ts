import { type Event, type StreamEvent, searchEvents } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type List, useList } from '../../api/lists.ts';
import { isEventType } from '../../explain/event-types.ts';
import { addPatch, useEvents } from '../../live/patches.ts';
import { readFilter } from '../../ui/filter.ts';
import { eventFilters, matchesChips } from './filter.ts';

const EVENTS_KEY = ['events'];
/** So many new events are kept. With more, the list is read again instead, so nothing is missing in it. */
export const MAX_KEPT = 500;

/** A list that is not shown does not follow: it is read again when it is. */
addPatch(
  ['*'],
  (_, cache) => void cache.invalidateQueries({ queryKey: [...EVENTS_KEY, 'list'], refetchType: 'none' }),
);

/** Stream-only events are not stored: nothing can be said about them afterwards. */
const isStored = (event: StreamEvent): event is Event => event.sequence !== null && isEventType(event.type);

interface Tail extends List<Event> {
  /** Whether new events are shown as they come; false for a filter that only the server understands. */
  isFollowed: boolean;
  /** How many came while the list was held. */
  waiting: number;
  /** Shows what came while the list was held. */
  release(): void;
  /** Reads everything again. */
  readAgain(): void;
}

/** The stored events, the newest first, and those that come meanwhile. While it is held, new ones wait. */
export function useTail(filter: string, isHeld: boolean): Tail {
  const cache = useQueryClient();
  const list = useList(EVENTS_KEY, searchEvents, filter === '' ? {} : { query: filter });
  const chips = readFilter(eventFilters, filter);
  const [came, setCame] = useState<{ filter: string; shown: Event[]; waiting: Event[] }>({
    filter,
    shown: [],
    waiting: [],
  });
  if (came.filter !== filter) setCame({ filter, shown: [], waiting: [] });

  const readAgain = (): void => {
    setCame({ filter, shown: [], waiting: [] });
    void cache.resetQueries({ queryKey: [...EVENTS_KEY, 'list'] });
  };
  useEvents(['*'], (event) => {
    if (!isStored(event) || !chips || !matchesChips(event, chips)) return;
    if (isHeld) {
      // More are not shown one by one anyway.
      if (came.waiting.length <= MAX_KEPT)
        setCame((before) => ({ ...before, waiting: [event, ...before.waiting] }));
    } else if (came.shown.length >= MAX_KEPT) readAgain();
    else setCame((before) => ({ ...before, shown: [event, ...before.shown] }));
  });

  const release = (): void => {
    if (came.waiting.length + came.shown.length > MAX_KEPT) readAgain();
    else setCame({ filter, shown: [...came.waiting, ...came.shown], waiting: [] });
  };
  return {
    ...list,
    rows: list.rows && mergeRows(came.shown, list.rows),
    isFollowed: chips !== undefined,
    waiting: came.waiting.length,
    release,
    readAgain,
  };
}

/** Both lists in the order of their numbers. After a gap the second may have what the first has. */
function mergeRows(came: readonly Event[], read: readonly Event[]): Event[] {
  const ids = new Set(read.map(({ id }) => id));
  const fresh = came.filter(({ id }) => !ids.has(id));
  return [...fresh, ...read].sort((a, b) => b.sequence - a.sequence);
}
