import { useTranslator } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { copySpans, type HoursDraft, WEEKDAYS, type Weekday } from './draft.ts';
import styles from './hours.module.css';
import { Spans } from './spans.tsx';

interface WeekTableProps {
  week: HoursDraft['week'];
  errorAt: (path: string) => string | undefined;
  onChange: (week: HoursDraft['week']) => void;
}

/** 2024-01-01 was a Monday. */
const dateOf = (day: Weekday): Date => new Date(Date.UTC(2024, 0, 1 + WEEKDAYS.indexOf(day)));
const OFFICE_DAYS: readonly Weekday[] = ['tue', 'wed', 'thu', 'fri'];

/** The hours of each day of the week. */
export function WeekTable({ week, errorAt, onChange }: WeekTableProps) {
  const { t, language } = useTranslator();
  const names = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const copyMonday = (): void =>
    onChange({ ...week, ...Object.fromEntries(OFFICE_DAYS.map((day) => [day, copySpans(week.mon)])) });
  return (
    <div className={styles.week}>
      {WEEKDAYS.map((day) => {
        const name = names.format(dateOf(day));
        return (
          <fieldset key={day} aria-label={name} className={styles.day}>
            <span className={styles.name}>{name}</span>
            <Spans
              label={name}
              spans={week[day]}
              errorAt={(index) => errorAt(`businessHours.${day}.${index}`)}
              onChange={(spans) => onChange({ ...week, [day]: spans })}
            />
          </fieldset>
        );
      })}
      <Button look="quiet" icon="copy" onClick={copyMonday}>
        {t('hours.copyMonday')}
      </Button>
    </div>
  );
}
