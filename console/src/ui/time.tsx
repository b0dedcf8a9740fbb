import { useSyncExternalStore } from 'react';
import { useTranslator } from '../i18n/i18n.tsx';
import { createClock } from './clock.ts';

/** One timer for all times on the page. */
const clock = createClock(30_000);

/** The time, to half a minute. */
export function useNow(): Date {
  return useSyncExternalStore(clock.subscribe, clock.read);
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
