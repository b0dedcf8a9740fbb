import { useEffect, useMemo, useRef } from 'react';
import { textIn } from '../../../api/content.ts';
import { AddressLink } from '../../../explain/address-link.tsx';
import { formatDuration } from '../../../explain/duration.ts';
import { chatAddress } from '../../../explain/links.ts';
import type { FlowDefinition } from '../../../flow/definition.ts';
import { createDescriber, type Describer } from '../../../flow/describe.ts';
import { useFlowNames } from '../../../flow/names.ts';
import { stepIcons } from '../../../flow/step-icons.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { Icon } from '../../../ui/icon.tsx';
import { describeEntry, type Entry } from './describe-entry.ts';
import styles from './runs.module.css';
import { RUN_LOOKS } from './status.tsx';

/** Says steps in words. */
export function useDescriber(): Describer {
  const translator = useTranslator();
  const names = useFlowNames();
  return useMemo(() => createDescriber(translator, names), [translator, names]);
}

interface TraceStepsProps {
  definition: FlowDefinition;
  trace: readonly Entry[];
  selected: string | undefined;
  onSelect: (stepId: string) => void;
  /** Where messages can be looked at; none for a try. */
  chatId?: string | null;
}

/** The executed steps in their order, with what was sent as bubbles. */
export function TraceSteps({ definition, trace, selected, onSelect, chatId = null }: TraceStepsProps) {
  const { t } = useTranslator();
  const describer = useDescriber();
  if (trace.length === 0) return <p className={styles.muted}>{t('runs.noSteps')}</p>;
  return (
    <ol className={styles.steps} aria-label={t('runs.steps')}>
      {trace.map((entry) => (
        <StepEntry
          key={entry.number}
          entry={entry}
          definition={definition}
          describer={describer}
          isSelected={entry.step === selected}
          onSelect={() => onSelect(entry.step)}
          chatId={chatId}
        />
      ))}
    </ol>
  );
}

interface StepEntryProps {
  entry: Entry;
  definition: FlowDefinition;
  describer: Describer;
  isSelected: boolean;
  onSelect: () => void;
  chatId: string | null;
}

function StepEntry({ entry, definition, describer, isSelected, onSelect, chatId }: StepEntryProps) {
  const translator = useTranslator();
  const { t, language, formatDate } = translator;
  const { step: stepId, type, status, error, startedAt, endedAt, detail } = entry;
  const step = definition.steps.find(({ id }) => id === stepId);
  const { sent, received, lines } = describeEntry(entry, step, describer, translator);
  const messageId = textIn(detail, 'messageId');
  const element = useRef<HTMLLIElement>(null);
  // Somebody has chosen it in the picture.
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const took = endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <li
      ref={element}
      className={classes(styles.step, isSelected && styles.chosen, status === 'failed' && styles.bad)}
    >
      <span className={styles.stepIcon}>
        <Icon name={stepIcons[type] ?? 'warning'} />
      </span>
      <div className={styles.stepMain}>
        <p className={styles.stepHead}>
          <button type="button" className={styles.stepTitle} aria-pressed={isSelected} onClick={onSelect}>
            {describer.stepTitle({ type })}
          </button>
          {status !== 'completed' && <Badge look={RUN_LOOKS[status]}>{t(`runs.status.${status}`)}</Badge>}
          <time dateTime={startedAt} title={formatDate(new Date(startedAt), 'full')} className={styles.time}>
            {formatDate(new Date(startedAt), 'clock')}
            {took >= 1_000 && ` · ${formatDuration(took, language)}`}
          </time>
        </p>
        {lines.map((line) => (
          <p key={line} className={styles.line} dir="auto">
            {line}
          </p>
        ))}
        {sent && (
          <div className={styles.sent}>
            {sent.text !== '' && <p dir="auto">{sent.text}</p>}
            {sent.choices.length > 0 && (
              <ul className={styles.choices}>
                {sent.choices.map((choice, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two may be equal
                  <li key={index} dir="auto">
                    {choice}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        {received !== undefined && (
          <p className={styles.received} dir="auto">
            {received}
          </p>
        )}
        {error && <p className={styles.error}>{error.message}</p>}
        {chatId !== null && messageId !== undefined && (
          <AddressLink address={chatAddress(chatId, messageId)} className={styles.messageLink}>
            {t('runs.openMessage')}
          </AddressLink>
        )}
      </div>
    </li>
  );
}
