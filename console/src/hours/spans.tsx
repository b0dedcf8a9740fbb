import { useText } from '../i18n/i18n.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { newSpan, type SpanDraft } from './draft.ts';
import styles from './hours.module.css';

interface SpansProps {
  /** Whose hours these are, such as "Monday". Read aloud with each field. */
  label: string;
  spans: readonly SpanDraft[];
  /** What is wrong with one of them. */
  errorAt: (index: number) => string | undefined;
  onChange: (spans: SpanDraft[]) => void;
}

/** From when until when, any number of times a day. */
export function Spans({ label, spans, errorAt, onChange }: SpansProps) {
  const t = useText();
  const replace = (id: number, part: Partial<SpanDraft>): void =>
    onChange(spans.map((span) => (span.id === id ? { ...span, ...part } : span)));
  return (
    <div className={styles.spans}>
      {spans.map(({ id, from, to }, index) => {
        const error = errorAt(index);
        const errorId = `hours-${id}`;
        const shared = {
          type: 'time',
          className: styles.time,
          required: true,
          'aria-invalid': error === undefined ? undefined : (true as const),
          'aria-describedby': error === undefined ? undefined : errorId,
        };
        return (
          <div key={id} className={styles.span}>
            <input
              {...shared}
              aria-label={t('hours.fromOf', { day: label })}
              value={from}
              onChange={(event) => replace(id, { from: event.target.value })}
            />
            <span aria-hidden="true">–</span>
            <input
              {...shared}
              aria-label={t('hours.toOf', { day: label })}
              value={to}
              onChange={(event) => replace(id, { to: event.target.value })}
            />
            <IconButton
              icon="close"
              label={t('hours.remove', { day: label, from, to })}
              onClick={() => onChange(spans.filter((span) => span.id !== id))}
            />
            {error !== undefined && (
              <p id={errorId} className={styles.error} role="alert">
                {error}
              </p>
            )}
          </div>
        );
      })}
      {spans.length === 0 && <span className={styles.closed}>{t('hours.closed')}</span>}
      <Button
        look="quiet"
        icon="plus"
        aria-label={t('hours.addTo', { day: label })}
        onClick={() => onChange([...spans, newSpan(spans)])}
      >
        {t('hours.add')}
      </Button>
    </div>
  );
}
