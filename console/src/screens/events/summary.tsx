import { type Event, searchChannels } from '@parley/sdk';
import { type ReactNode, useState } from 'react';
import { textIn } from '../../api/content.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { AddressLink } from '../../explain/address-link.tsx';
import { useTrace } from '../../explain/data.ts';
import { useDescribeNode, useDescribeStatus } from '../../explain/describe-node.ts';
import { chatIdOf, contactIdOf } from '../../explain/event-about.ts';
import { chatAddress, contactAddress, runAddress, traceAddress, useHasScreen } from '../../explain/links.ts';
import { WhyDialog } from '../../explain/why-dialog.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './events.module.css';
import { eventFilters } from './filter.ts';

interface SummaryProps {
  event: Event;
  onFilter: (filter: string) => void;
}

/** What an event says, in words, and who reacted to it. */
export function Summary({ event, onFilter }: SummaryProps) {
  const { t, formatNumber } = useTranslator();
  const channels = useAll(['channels'], searchChannels, { enabled: useScope('channels:read') }).data;
  const contactId = contactIdOf(event);
  const chatId = chatIdOf(event);
  const text = textIn(event.data, 'text');
  const error = textIn(event.data, 'error', 'message');
  const contactName = textIn(event.data, 'contact', 'displayName') ?? textIn(event.data, 'displayName');
  const messageId = event.type.startsWith('message.') ? textIn(event.data, 'id') : undefined;
  const only = (field: string, value: string) => () => onFilter(eventFilters[field]?.write(value) ?? '');
  const facts: (readonly [string, ReactNode])[] = [
    [t('events.when'), <RelativeTime key="at" at={event.createdAt} />],
    [
      t('events.type'),
      <Fact key="type" label={t('events.onlyType')} onOnly={only('type', event.type)}>
        <code>{event.type}</code>
      </Fact>,
    ],
    [t('events.number'), formatNumber(event.sequence)],
    [t('events.id'), <code key="id">{event.id}</code>],
    ...(event.channelId === null
      ? []
      : [
          [
            t('events.channel'),
            channels?.find(({ id }) => id === event.channelId)?.name ?? event.channelId,
          ] as const,
        ]),
    ...(contactId === undefined
      ? []
      : [
          [
            t('events.contact'),
            <Fact key="contact" label={t('events.onlyContact')} onOnly={only('contact', contactId)}>
              <AddressLink address={contactAddress(contactId)}>{contactName ?? contactId}</AddressLink>
            </Fact>,
          ] as const,
        ]),
    ...(chatId === undefined
      ? []
      : [
          [
            t('events.chat'),
            <Fact key="chat" label={t('events.onlyChat')} onOnly={only('chat', chatId)}>
              <AddressLink address={chatAddress(chatId, messageId)}>{t('trace.chat')}</AddressLink>
            </Fact>,
          ] as const,
        ]),
  ];
  return (
    <>
      {(text ?? error) !== undefined && (
        <div className={styles.part}>
          {text !== undefined && (
            <p className={styles.quote} dir="auto">
              {text.slice(0, MAX_TEXT)}
            </p>
          )}
          {error !== undefined && <p className={styles.error}>{error}</p>}
        </div>
      )}
      <div className={styles.part}>
        <Facts facts={facts} />
      </div>
      <Reactions event={event} />
    </>
  );
}

const MAX_TEXT = 5_000;

interface FactProps {
  label: string;
  onOnly: () => void;
  children: ReactNode;
}

/** A value, and a button that shows only events with the same. */
const Fact = ({ label, onOnly, children }: FactProps) => (
  <span className={styles.fact}>
    {children}
    <IconButton icon="filter" className={styles.only} label={label} onClick={onOnly} />
  </span>
);

/** Webhooks that got the event and automations that it started, and why others did not. */
function Reactions({ event }: { event: Event }) {
  const { t } = useTranslator();
  const trace = useTrace(event.id);
  const describe = useDescribeNode();
  const describeStatus = useDescribeStatus();
  const hasScreen = useHasScreen();
  const canExplain = useScope('automations:read');
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section className={styles.part} aria-label={t('events.reacted')}>
      <h3>{t('events.reacted')}</h3>
      <Loaded query={trace}>
        {({ nodes }) => {
          const reactions = nodes.filter(
            ({ causedBy, type }) => causedBy === event.id && (type === 'delivery' || type === 'run'),
          );
          return reactions.length === 0 ? (
            <p className={styles.muted}>{t('events.nobodyReacted')}</p>
          ) : (
            <ul className={styles.reactions}>
              {reactions.map((node) => {
                const { icon, title } = describe(node);
                const { text, look } = describeStatus(node.status ?? '');
                const address =
                  node.type === 'run' && node.automationId !== null && hasScreen('/automations')
                    ? runAddress(node.automationId, node.id)
                    : node.webhookId !== null && hasScreen('/webhooks')
                      ? { to: `/webhooks/${node.webhookId}` }
                      : undefined;
                return (
                  <li key={node.id} className={styles.reaction}>
                    <Icon name={icon} />
                    <span className={styles.reactionName} dir="auto">
                      {address ? <AddressLink address={address}>{title}</AddressLink> : title}
                    </span>
                    <Badge look={look}>{text}</Badge>
                  </li>
                );
              })}
            </ul>
          );
        }}
      </Loaded>
      <div className={styles.asking}>
        {canExplain && (
          <Button icon="question" onClick={() => setIsAsking(true)}>
            {t('why.short')}
          </Button>
        )}
        <AddressLink address={traceAddress(event.id)}>{t('trace.show')}</AddressLink>
      </div>
      {isAsking && <WhyDialog about={{ eventId: event.id }} onClose={() => setIsAsking(false)} />}
    </section>
  );
}
