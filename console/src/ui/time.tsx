import { useSyncExternalStore } from 'react';
import { useTranslator } from '../i18n/i18n.tsx';

const TICK_MS = 30_000;
let now = new Date();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times on the page. */
function subscribe(listener: () => void): () => void {
  // While nothing showed a time, the clock stood still.
  if (timer === undefined) now = new Date();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = new Date();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, to half a minute. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

/** How long ago something was, with the exact time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const { formatAge, formatDate } = useTranslator();
  const date = new Date(at);
  const since = useNow();
  // The clock of the page is up to half a minute late; nothing is in the future because of that.
  const shown = formatAge(date, new Date(Math.max(since.getTime(), Math.min(Date.now(), date.getTime()))));
  return (
    <time dateTime={at} title={formatDate(date, 'full')}>
      {shown}
    </time>
  );
}
