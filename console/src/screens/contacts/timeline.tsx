import { getContactTimeline, type SearchBody, type TimelineItem } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useList } from '../../api/lists.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useDescriptions } from '../../timeline/use-descriptions.ts';
import { Button } from '../../ui/button.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { timelineKey } from './live.ts';
import styles from './timeline.module.css';

const ICONS: Record<TimelineItem['type'], IconName> = {
  'message.received': 'reply',
  'message.sent': 'send',
  'message.failed': 'warning',
  'message.echo': 'send',
  'message.deleted': 'trash',
  'chat.created': 'channel',
  'chat.status_changed': 'inbox',
  'chat.assigned': 'assign',
  'chat.deleted': 'trash',
  'note.created': 'note',
  'note.updated': 'note',
  'note.deleted': 'trash',
  'contact.created': 'contacts',
  'contact.updated': 'edit',
  'contact.merged': 'merge',
  'contact.labels_added': 'label',
  'contact.labels_removed': 'label',
  'contact.unsubscribed': 'close',
  'contact.subscribed': 'check',
  'automation.run_started': 'automation',
  'automation.run_completed': 'automation',
  'automation.run_failed': 'warning',
  'automation.run_cancelled': 'automation',
};

/** Everything that happened to a contact, the newest first. */
export function Timeline({ contactId }: { contactId: string }) {
  const { t, formatDate } = useTranslator();
  const items = useList(
    timelineKey(contactId),
    (client, { body, signal }) => {
      const { limit, cursor } = (body as SearchBody).pagination ?? {};
      const query = { limit, ...(cursor === undefined ? {} : { cursor: Number(cursor) }) };
      return getContactTimeline(client, { path: { contactId }, query, signal });
    },
    {},
  );
  const dayOf = ({ createdAt }: TimelineItem): string => formatDate(new Date(createdAt));
  return (
    <Loaded query={{ data: items.rows, error: items.error, refetch: items.refetch }} lines={8}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState icon="clock" title={t('timeline.empty')}>
            {t('timeline.emptyText')}
          </EmptyState>
        ) : (
          <div className={styles.timeline}>
            <ol>
              {rows.map((item, index) => {
                const before = rows[index - 1];
                const isNewDay = before === undefined || dayOf(before) !== dayOf(item);
                return (
                  <li key={item.id}>
                    {isNewDay && <h3 className={styles.day}>{dayOf(item)}</h3>}
                    <Item item={item} />
                  </li>
                );
              })}
            </ol>
            {items.hasMore && (
              <Button onClick={items.readMore} isBusy={items.isReadingMore}>
                {t('timeline.older')}
              </Button>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

function Item({ item }: { item: TimelineItem }) {
  const { describe, describeChange } = useDescriptions();
  const { type, chatId, text, changes, createdAt } = item;
  const title = describe(item);
  const hasChat = chatId !== null && type !== 'chat.deleted';
  return (
    <div className={styles.item}>
      <span className={styles.icon}>
        <Icon name={ICONS[type]} />
      </span>
      <div className={styles.what}>
        {hasChat ? (
          <Link to={`/inbox/${chatId}`} className={styles.link}>
            {title}
          </Link>
        ) : (
          title
        )}
      </div>
      <span className={styles.time}>
        <RelativeTime at={createdAt} />
      </span>
      {text !== null && <p className={styles.text}>{text}</p>}
      {changes.length > 0 && (
        <ul className={styles.changes}>
          {changes.map((change) => (
            <li key={change.field}>{describeChange(change)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
