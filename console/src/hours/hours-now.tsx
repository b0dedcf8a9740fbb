import { describeHours, type HoursState } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { client, useRead } from '../api/api.ts';
import { useTranslator } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import type { Hours } from './draft.ts';
import styles from './hours.module.css';

const PAUSE_MS = 300;
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

/** The value, once it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Asks the server what hours mean now: it has the time zones and the clock. */
export function useHoursNow(hours: Hours, channelId: string | undefined, isComplete: boolean) {
  const settled = useSettled(hours);
  const body = { ...settled, ...(channelId === undefined ? {} : { channelId }) };
  return useRead(['hours', body], (signal) => describeHours(client, { body, signal }), {
    enabled: isComplete,
    keepsPrevious: true,
    everyMs: MINUTE_MS,
  });
}

interface HoursNowProps {
  state: HoursState | undefined;
  part: 'business' | 'quiet';
}

/** Such as "Open now · closes Friday at 17:00". */
export function HoursNow({ state, part }: HoursNowProps) {
  const { t, language } = useTranslator();
  if (!state) return <p className={styles.now} />;
  const { at, timezone, isOpen, opensAt, closesAt, isQuiet, quietUntil } = state;
  const when = (time: string, zone?: string): string => {
    const isFar = new Date(time).getTime() - new Date(at).getTime() > WEEK_MS;
    return new Intl.DateTimeFormat(language, {
      weekday: 'long',
      ...(isFar ? { day: 'numeric', month: 'long', year: 'numeric' } : {}),
      hour: '2-digit',
      minute: '2-digit',
      ...(zone === undefined ? {} : { timeZone: zone }),
    }).format(new Date(time));
  };
  const details =
    part === 'quiet'
      ? quietUntil && t('hours.quietUntil', { when: when(quietUntil, timezone) })
      : isOpen
        ? closesAt && t('hours.closesAt', { when: when(closesAt, timezone) })
        : opensAt
          ? t('hours.opensAt', { when: when(opensAt, timezone) })
          : t('hours.neverOpens');
  if (part === 'quiet' && !isQuiet) return null;
  const badge =
    part === 'quiet' ? (
      <Badge look="warn">{t('hours.quietNow')}</Badge>
    ) : (
      <Badge look={isOpen ? 'good' : opensAt ? 'plain' : 'bad'}>
        {t(isOpen ? 'hours.openNow' : 'hours.closedNow')}
      </Badge>
    );
  return (
    <p className={styles.now} role="status">
      {badge} {details}
    </p>
  );
}
