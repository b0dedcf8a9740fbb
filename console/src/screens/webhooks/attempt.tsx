import type { WebhookDeliveryWithAttempts } from '@parley/sdk';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { curlOf } from './curl.ts';
import styles from './webhooks.module.css';

type Attempt = WebhookDeliveryWithAttempts['attempts'][number];
const PHASES = ['lookupMs', 'connectMs', 'tlsMs', 'waitMs', 'readMs'] as const;

interface AttemptDetailsProps {
  attempt: Attempt;
  /** The same for every attempt. */
  body: string | null;
  isOpen: boolean;
}

/** One attempt: what was sent, what came back, and how long each part took. */
export function AttemptDetails({ attempt, body, isOpen }: AttemptDetailsProps) {
  const t = useText();
  const { number, startedAt, request, response, error } = attempt;
  const isSuccess = error === null;
  return (
    <details className={styles.attempt} open={isOpen}>
      <summary className={styles.attemptTitle}>
        <Icon name="down" />
        <span>{t('webhooks.attempt', { number })}</span>
        <Badge look={isSuccess ? 'good' : 'bad'}>{response?.status ?? t('webhooks.noAnswer')}</Badge>
        <span className={styles.muted}>
          <RelativeTime at={startedAt} />
        </span>
      </summary>
      <div className={styles.attemptBody}>
        {error !== null && <p className={styles.bad}>{error}</p>}
        <Timings timings={attempt.timings} />
        <h3>{t('webhooks.request')}</h3>
        <p className={styles.url}>
          <code>POST {request.url}</code>
        </p>
        <Headers headers={request.headers} />
        {body === null ? (
          <p className={styles.muted}>{t('webhooks.noBody')}</p>
        ) : (
          <Code label={t('webhooks.body')} text={pretty(body)} />
        )}
        <div>
          <CopyButton text={curlOf(request, body)} label={t('webhooks.curl')} />
        </div>
        {response && (
          <>
            <h3>{t('webhooks.response')}</h3>
            <Headers headers={response.headers ?? {}} />
            {response.body && <Code label={t('webhooks.body')} text={response.body} />}
          </>
        )}
      </div>
    </details>
  );
}

/** JSON with line breaks; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const Code = ({ label, text }: { label: string; text: string }) => (
  // A scrolling area must be reachable by keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
  <section className={styles.code} aria-label={label} tabIndex={0}>
    <pre>{text}</pre>
  </section>
);

function Headers({ headers }: { headers: Record<string, unknown> }) {
  const t = useText();
  const text = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return (
    <details>
      <summary className={styles.summary}>{t('webhooks.headers')}</summary>
      <Code label={t('webhooks.headers')} text={text} />
    </details>
  );
}

/** How long each part took, as a bar and in numbers. */
function Timings({ timings }: { timings: Attempt['timings'] }) {
  const { t, formatNumber } = useTranslator();
  if (timings.totalMs === null) return null;
  const known = PHASES.flatMap((phase) => {
    const ms = timings[phase];
    return ms === null ? [] : [{ phase, ms }];
  });
  const sum = known.reduce((all, { ms }) => all + ms, 0) || 1;
  const shown = (ms: number): string => t('webhooks.ms', { ms: formatNumber(Math.round(ms * 10) / 10) });
  let position = 0;
  return (
    <section aria-label={t('webhooks.timings')}>
      <svg className={styles.timings} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {known.map(({ phase, ms }) => {
          const x = position;
          position += (ms / sum) * 100;
          return (
            <rect key={phase} className={styles[phase]} x={x} y={0} width={(ms / sum) * 100} height={6} />
          );
        })}
      </svg>
      <dl className={styles.phases}>
        {[...known, { phase: 'totalMs' as const, ms: timings.totalMs }].map(({ phase, ms }) => (
          <div key={phase}>
            <dt>{t(`webhooks.timing.${phase}`)}</dt>
            <dd>{shown(ms)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
