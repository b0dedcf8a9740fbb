import { type AutomationExplanation, explainAutomations, type Message, searchMessages } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../api/api.ts';
import { statusOf } from '../api/errors.ts';
import { useText, useTranslator } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { EmptyState, Loaded, Warning } from '../ui/notices.tsx';
import { AddressLink } from './address-link.tsx';
import { type Address, runAddress, traceAddress, useHasScreen } from './links.ts';
import { type ExplainedAutomation, sortByRelevance } from './reasons.ts';
import styles from './why-dialog.module.css';

/** What is explained: a message, an event, or the latest messages of a chat or a contact. */
type WhyAbout = { messageId: string } | { eventId: string } | { chatId: string } | { contactId: string };

interface WhyDialogProps {
  about: WhyAbout;
  onClose: () => void;
}

/** Says of every automation whether it started, and if not, why, and what to do about it. */
export function WhyDialog({ about, onClose }: WhyDialogProps) {
  const t = useText();
  return (
    <Dialog title={t('why.title')} onClose={onClose}>
      {'chatId' in about || 'contactId' in about ? (
        <LatestMessages about={about} />
      ) : (
        <Explanation about={about} />
      )}
    </Dialog>
  );
}

const LATEST = 20;
const EXCERPT = 60;

function LatestMessages({ about }: { about: { chatId: string } | { contactId: string } }) {
  const { t, formatDate } = useTranslator();
  const [chosen, setChosen] = useState<string>();
  const [[field, id]] = Object.entries(about) as [[string, string]];
  const messages = useRead(['messages', 'why', field, id], (signal) =>
    searchMessages(client, {
      body: { query: `and(eq(${field},"${id}"),eq(sender,"inbound"))`, pagination: { limit: LATEST } },
      signal,
    }),
  );
  const labelOf = ({ text, timestamp }: Message): string =>
    `${formatDate(new Date(timestamp), 'time')} · ${text?.slice(0, EXCERPT) ?? t('trace.noText')}`;
  return (
    <Loaded query={messages}>
      {({ items }) => {
        const messageId = chosen ?? items[0]?.id;
        return messageId === undefined ? (
          <EmptyState icon="question" title={t('why.noMessages')}>
            {t('why.noMessagesText')}
          </EmptyState>
        ) : (
          <>
            <SelectField
              label={t('why.message')}
              value={messageId}
              options={items.map((message) => ({ value: message.id, label: labelOf(message) }))}
              onChange={setChosen}
            />
            <Explanation key={messageId} about={{ messageId }} />
          </>
        );
      }}
    </Loaded>
  );
}

function Explanation({ about }: { about: { messageId: string } | { eventId: string } }) {
  const t = useText();
  const explained = useRead(['explain', ...Object.values(about)], (signal) =>
    explainAutomations(client, { body: about, signal }),
  );
  if (statusOf(explained.error) === 404) return <Warning>{t('why.gone')}</Warning>;
  return (
    <Loaded query={explained} lines={6}>
      {(explanation) => <Explained explanation={explanation} />}
    </Loaded>
  );
}

function Explained({ explanation }: { explanation: AutomationExplanation }) {
  const t = useText();
  const { automations, event, isComplete } = explanation;
  const started = automations.filter(({ hasStarted }) => hasStarted).length;
  const continued = automations.filter(
    ({ hasStarted, continuedRunId }) => !hasStarted && continuedRunId !== null,
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
          {t('why.startedCount', { count: started })}
          {' · '}
          {continued > 0 && `${t('why.continuedCount', { count: continued })} · `}
          {t('why.notStartedCount', { count: automations.length - started - continued })}
        </span>
        <AddressLink address={traceAddress(event.id)}>{t('trace.show')}</AddressLink>
      </p>
      {!isComplete && <Warning>{t('why.incomplete')}</Warning>}
      <ul className={styles.list}>
        {sortByRelevance(automations).map((automation) => (
          <ExplainedRow key={automation.automationId} automation={automation} />
        ))}
      </ul>
    </>
  );
}

/** What became of an automation: of its badge, and of the run that proves it. */
function outcomeOf({ hasStarted, runId, continuedRunId }: ExplainedAutomation) {
  if (hasStarted) return { look: 'good', title: 'why.started', runId } as const;
  return continuedRunId === null
    ? ({ look: 'plain', title: 'why.notStarted', runId } as const)
    : ({ look: 'good', title: 'why.continued', runId: continuedRunId } as const);
}

function ExplainedRow({ automation }: { automation: ExplainedAutomation }) {
  const t = useText();
  const hasScreen = useHasScreen();
  const { automationId, name, continuedRunId, reason } = automation;
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
        reason !== null && (
          <p>
            {t(`why.reason.${reason}`)} <span className={styles.todo}>{t(`why.todo.${reason}`)}</span>
          </p>
        )
      )}
      {runId !== null && <AddressLink address={linkTo(runId)}>{t('why.openRun')}</AddressLink>}
      {continuedRunId !== null && runId !== continuedRunId && (
        <AddressLink address={linkTo(continuedRunId)}>{t('why.openContinued')}</AddressLink>
      )}
    </li>
  );
}
