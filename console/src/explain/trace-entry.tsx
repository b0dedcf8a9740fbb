import type { CSSProperties } from 'react';
import { useScope } from '../api/session.tsx';
import { useTranslator } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { AddressLink } from './address-link.tsx';
import { useDescribeNode, useDescribeStatus } from './describe-node.ts';
import { formatDuration } from './duration.ts';
import {
  chatAddress,
  contactAddress,
  eventAddress,
  runAddress,
  traceAddress,
  useHasScreen,
} from './links.ts';
import styles from './trace-tree.module.css';
import type { TraceRow } from './tree.ts';

interface TraceEntryProps {
  row: TraceRow;
  isOpen: boolean;
  isAsked: boolean;
  isCurrent: boolean;
  onFocus: () => void;
  onToggle: () => void;
}

/** One thing that happened: what, how it ended, how long after its cause, and where to look at it. */
export function TraceEntry({ row, isOpen, isAsked, isCurrent, onFocus, onToggle }: TraceEntryProps) {
  const { t, language } = useTranslator();
  const describe = useDescribeNode();
  const describeStatus = useDescribeStatus();
  const { node, sinceCause, hasChildren, position, siblings } = row;
  const { icon, title } = describe(node);
  const status = node.status === null ? undefined : describeStatus(node.status);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    <div
      role="treeitem"
      aria-level={node.depth + 1}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-current={isAsked ? 'true' : undefined}
      tabIndex={isCurrent ? 0 : -1}
      className={classes(styles.entry, isAsked && styles.asked)}
      style={{ '--depth': node.depth } as CSSProperties}
      onFocus={onFocus}
      onClick={(event) => {
        if (hasChildren && !(event.target as HTMLElement).closest('a')) onToggle();
      }}
    >
      <span className={classes(styles.arrow, isOpen && styles.open)}>
        {hasChildren && <Icon name="next" />}
      </span>
      <span className={classes(styles.icon, styles[node.type])}>
        <Icon name={icon} />
      </span>
      <div className={styles.main}>
        <p className={styles.head}>
          <span className={styles.title} dir="auto">
            {title}
          </span>
          {status && <Badge look={status.look}>{status.text}</Badge>}
          {node.type === 'event' && <code className={styles.code}>{node.summary}</code>}
        </p>
        {node.type === 'message' && (
          <p className={styles.text} dir="auto">
            {node.text ?? <span className={styles.muted}>{t('trace.noText')}</span>}
          </p>
        )}
        {node.error && <p className={styles.error}>{node.error.message}</p>}
        <p className={styles.links}>
          <NodeLinks row={row} isAsked={isAsked} isCurrent={isCurrent} />
          {node.vendorId !== null && (
            <code className={styles.code} title={t('trace.vendorId')}>
              {node.vendorId}
            </code>
          )}
        </p>
      </div>
      <p className={styles.when}>
        <RelativeTime at={node.at} />
        {sinceCause !== undefined && (
          <span
            className={styles.since}
            title={t('trace.after', { duration: formatDuration(sinceCause, language) })}
          >
            +{formatDuration(sinceCause, language)}
          </span>
        )}
      </p>
    </div>
  );
}

interface NodeLinksProps {
  row: TraceRow;
  isAsked: boolean;
  isCurrent: boolean;
}

/** Where a thing can be looked at. What is the same as for its cause is not said again. */
function NodeLinks({ row, isAsked, isCurrent }: NodeLinksProps) {
  const { t } = useTranslator();
  const hasScreen = useHasScreen();
  const may = {
    chats: useScope('chats:read'),
    contacts: useScope('contacts:read'),
    events: useScope('events:read'),
    automations: useScope('automations:read'),
    webhooks: useScope('webhooks:read'),
    campaigns: useScope('campaigns:read'),
  };
  const { node, cause, hasChildren } = row;
  const { type, id, chatId, contactId, automationId, campaignId, webhookId } = node;
  const links = [
    type === 'run' &&
      automationId !== null &&
      may.automations &&
      hasScreen('/automations') && { address: runAddress(automationId, id), label: t('trace.openRun') },
    campaignId !== null &&
      may.campaigns &&
      hasScreen('/campaigns') && { address: { to: `/campaigns/${campaignId}` }, label: t('trace.campaign') },
    type === 'delivery' &&
      webhookId !== null &&
      may.webhooks &&
      hasScreen('/webhooks') && { address: { to: `/webhooks/${webhookId}` }, label: t('trace.webhook') },
    type === 'event' && may.events && { address: eventAddress(id), label: t('trace.event') },
    chatId !== null &&
      (type === 'message' || cause?.chatId !== chatId) &&
      may.chats && {
        address: chatAddress(chatId, type === 'message' ? id : undefined),
        label: t('trace.chat'),
      },
    contactId !== null &&
      cause?.contactId !== contactId &&
      may.contacts && { address: contactAddress(contactId), label: t('trace.contact') },
    !isAsked && type !== 'delivery' && hasChildren && { address: traceAddress(id), label: t('trace.from') },
  ].filter((link) => link !== false);
  return links.map(({ address, label }) => (
    <AddressLink key={label} address={address} tabIndex={isCurrent ? 0 : -1} className={styles.link}>
      {label}
    </AddressLink>
  ));
}
