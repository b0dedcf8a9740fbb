import type { Event } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';

/** Changes what was read, because an event says so. */
type Patch = (event: Event, cache: QueryClient) => void;

interface Entry {
  matches(type: string): boolean;
  patch: Patch;
}

const entries = new Set<Entry>();

/** `message.received`, or all that begin alike: `message.*`. */
const matcherOf = (patterns: readonly string[]) => (type: string) =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
  );

/**
 * Registers a patch for types of events. A screen calls it beside its queries, when its code is loaded: before that,
 * nothing that the patch could change has been read. Returns a function that removes it.
 */
export function addPatch(types: readonly string[], patch: Patch): () => void {
  const entry = { matches: matcherOf(types), patch };
  entries.add(entry);
  return () => entries.delete(entry);
}

/** Applies all patches for an event. One that fails must not keep the others from working. */
export function applyPatches(event: Event, cache: QueryClient): void {
  for (const { matches, patch } of [...entries])
    if (matches(event.type))
      try {
        patch(event, cache);
      } catch (error) {
        reportError(error);
      }
}

/** Calls a function for events while a component is shown. */
export function useEvents(types: readonly string[], onEvent: (event: Event) => void): void {
  const call = useEffectEvent(onEvent);
  const key = types.join();
  useEffect(() => addPatch(key.split(','), (event) => call(event)), [key]);
}
