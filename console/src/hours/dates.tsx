import { useTranslator } from '../i18n/i18n.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { type DateDraft, newDate, pathOfDate } from './draft.ts';
import styles from './hours.module.css';
import { Spans } from './spans.tsx';

interface DateListProps {
  dates: readonly DateDraft[];
  errorAt: (path: string) => string | undefined;
  onChange: (dates: DateDraft[]) => void;
}

/** Dates on which it is closed, or open at other hours. */
export function DateList({ dates, errorAt, onChange }: DateListProps) {
  const { t, formatDate } = useTranslator();
  const replace = (id: number, part: Partial<DateDraft>): void =>
    onChange(dates.map((date) => (date.id === id ? { ...date, ...part } : date)));
  return (
    <fieldset aria-label={t('hours.dates')} className={styles.dates}>
      <p className={styles.name}>{t('hours.dates')}</p>
      <p className={styles.help}>{t('hours.datesText')}</p>
      {dates.map(({ id, date, spans }, index) => {
        const path = pathOfDate(dates, index);
        const dateError = errorAt(spans.length === 0 ? path : `${path}.date`);
        const label = date === '' ? t('hours.date') : formatDate(new Date(`${date}T12:00:00`));
        return (
          <fieldset key={id} aria-label={label} className={styles.day}>
            <div className={styles.date}>
              <input
                type="date"
                className={styles.time}
                aria-label={t('hours.date')}
                aria-invalid={dateError === undefined ? undefined : true}
                value={date}
                onChange={(event) => replace(id, { date: event.target.value })}
                required
              />
              {dateError !== undefined && (
                <p className={styles.error} role="alert">
                  {dateError}
                </p>
              )}
            </div>
            <Spans
              label={label}
              spans={spans}
              errorAt={(position) => errorAt(`${path}.hours.${position}`)}
              onChange={(changed) => replace(id, { spans: changed })}
            />
            <IconButton
              icon="trash"
              label={t('hours.removeDate', { date: label })}
              onClick={() => onChange(dates.filter((other) => other.id !== id))}
            />
          </fieldset>
        );
      })}
      <Button look="quiet" icon="plus" onClick={() => onChange([...dates, newDate('')])}>
        {t('hours.addDate')}
      </Button>
    </fieldset>
  );
}
