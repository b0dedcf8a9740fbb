import { type AutomationExplanation, explainAutomations } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../api/api.ts';
import { statusOf } from '../api/errors.ts';
import { useText, useTranslator } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { EmptyState, Loaded, Warning } from '../ui/notices.tsx';
import { AddressLink } from './address-link.tsx';
import type { Cause } from './causes.ts';
import { type Address, runAddress, traceAddress, useHasScreen } from './links.ts';
import { sortByRelevance } from './reasons.ts';
import { type CausesOf, useCauses } from './use-causes.ts';
import styles from './why-dialog.module.css';

/** What is explained: a message or an event. */
type Explained = { messageId: string } | { eventId: string };

interface WhyDialogProps {
  /** What is explained, or whose latest messages and events are. */
  about: Explained | CausesOf;
  onClose: () => void;
}

/** Says of every automation whether it started, and if not, why, and what to do about it. */
export function WhyDialog({ about, onClose }: WhyDialogProps) {
  const t = useText();
  return (
    <Dialog title={t('why.title')} onClose={onClose}>
      {'contactId' in about ? <LatestCauses of={about} /> : <Explanation about={about} />}
    </Dialog>
  );
}

const EXCERPT = 60;

function LatestCauses({ of }: { of: CausesOf }) {
  const { t, formatDate } = useTranslator();
  const [chosen, setChosen] = useState<string>();
  const causes = useCauses(of);
  const titleOf = (cause: Cause): string =>
    cause.type === undefined
      ? (cause.text?.slice(0, EXCERPT) ?? t('trace.noText'))
      : t(`eventType.${cause.type}`);
  return (
    <Loaded query={causes}>
      {(items) => {
        const cause = items.find(({ id }) => id === chosen) ?? items[0];
        return cause === undefined ? (
          <EmptyState icon="question" title={t('why.noCauses')}>
            {t('why.noCausesText')}
          </EmptyState>
        ) : (
          <>
            <SelectField
              label={t('why.cause')}
              value={cause.id}
              options={items.map((item) => ({
                value: item.id,
                label: `${formatDate(new Date(item.createdAt), 'time')} · ${titleOf(item)}`,
              }))}
              onChange={setChosen}
            />
            <Explanation
              key={cause.id}
              about={cause.type === undefined ? { messageId: cause.id } : { eventId: cause.id }}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function Explanation({ about }: { about: Explained }) {
  const t = useText();
  const [id] = Object.values(about) as [string];
  const explained = useRead(
    ['explain', id],
    (signal) => explainAutomations(client, { body: about, signal }),
    {
      // A run may have gone on with the message since then.
      freshMs: 0,
    },
  );
  if (statusOf(explained.error) === 404) return <Warning>{t('why.gone')}</Warning>;
  return (
    <Loaded query={explained} lines={6}>
      {(automations) => <ExplainedList id={id} automations={automations} />}
    </Loaded>
  );
}

/** The API explains so many. */
const MAX_AUTOMATIONS = 1_000;

interface ExplainedListProps {
  /** Of what is explained. */
  id: string;
  automations: readonly AutomationExplanation[];
}

function ExplainedList({ id, automations }: ExplainedListProps) {
  const t = useText();
  const startedCount = automations.filter(({ started }) => started).length;
  const continuedCount = automations.filter(
    ({ started, continuedRunId }) => !started && continuedRunId !== null,
  ).length;
  if (automations.length === 0)
    return (
      <EmptyState icon="automation" title={t('why.none')}>
        {t('why.noneText')}
      </EmptyState>
    );
  return (
    <>
      <p className={styles.summary} role="status">
        <span>
          {t('why.startedCount', { count: startedCount })}
          {' · '}
          {continuedCount > 0 && `${t('why.continuedCount', { count: continuedCount })} · `}
          {t('why.notStartedCount', { count: automations.length - startedCount - continuedCount })}
        </span>
        <AddressLink address={traceAddress(id)}>{t('trace.show')}</AddressLink>
      </p>
      {automations.length >= MAX_AUTOMATIONS && <Warning>{t('why.incomplete')}</Warning>}
      <ul className={styles.list}>
        {sortByRelevance(automations).map((automation) => (
          <ExplainedRow key={automation.automationId} automation={automation} />
        ))}
      </ul>
    </>
  );
}

/** What became of an automation: of its badge, and of the run that proves it. */
function outcomeOf({ started, runId, continuedRunId }: AutomationExplanation) {
  if (started) return { look: 'good', title: 'why.started', runId } as const;
  return continuedRunId === null
    ? ({ look: 'plain', title: 'why.notStarted', runId } as const)
    : ({ look: 'good', title: 'why.continued', runId: continuedRunId } as const);
}

function ExplainedRow({ automation }: { automation: AutomationExplanation }) {
  const t = useText();
  const hasScreen = useHasScreen();
  const { automationId, name, continuedRunId, reasons } = automation;
  const { look, title, runId } = outcomeOf(automation);
  const isLinked = hasScreen('/automations');
  const linkTo = (id: string): Address => (isLinked ? runAddress(automationId, id) : traceAddress(id));
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span className={styles.name} dir="auto">
          {isLinked ? (
            <AddressLink address={{ to: `/automations/${automationId}` }}>{name}</AddressLink>
          ) : (
            name
          )}
        </span>
        <Badge look={look}>{t(title)}</Badge>
      </div>
      {continuedRunId !== null ? (
        <p>{t('why.continuedText')}</p>
      ) : (
        reasons.map(({ code }) => (
          <p key={code}>
            {t(`why.reason.${code}`)} <span className={styles.todo}>{t(`why.todo.${code}`)}</span>
          </p>
        ))
      )}
      {runId !== null && <AddressLink address={linkTo(runId)}>{t('why.openRun')}</AddressLink>}
      {continuedRunId !== null && runId !== continuedRunId && (
        <AddressLink address={linkTo(continuedRunId)}>{t('why.openContinued')}</AddressLink>
      )}
    </li>
  );
}
