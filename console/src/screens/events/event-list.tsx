import type { Event } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import type { List } from '../../api/lists.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import { rowLink, VirtualTable, type VirtualTableHandle } from '../../ui/virtual-table.tsx';
import { iconOf, titleOf } from './describe-event.ts';
import { aboutOf } from './event-line.ts';
import styles from './events.module.css';

const ROW_PX = 40;

interface EventListProps {
  ref: Ref<VirtualTableHandle>;
  list: List<Event> & { rows: readonly Event[] };
  openedId: string | undefined;
  filter: string;
  /** Whether somebody reads further below, where rows must not move. */
  onScrolled: (isScrolled: boolean) => void;
}

export function EventList({ ref, list, openedId, filter, onScrolled }: EventListProps) {
  const translator = useTranslator();
  const { t, formatDate, formatNumber } = translator;
  return (
    <VirtualTable<Event>
      ref={ref}
      label={t('events.title')}
      rowClass={styles.row}
      titlesClass={styles.titles}
      rowPx={ROW_PX}
      list={list}
      openedId={openedId}
      onScroll={(offsetPx) => onScrolled(offsetPx > ROW_PX)}
      columns={[
        {
          id: 'when',
          title: t('events.when'),
          className: styles.when,
          cell: ({ createdAt }) => (
            <time dateTime={createdAt} title={formatDate(new Date(createdAt), 'full')}>
              {formatDate(new Date(createdAt), 'clock')}
            </time>
          ),
        },
        {
          id: 'what',
          title: t('events.what'),
          className: styles.what,
          cell: (event) => (
            <>
              <Icon name={iconOf(event)} />
              <Link
                to={`/events/${event.id}`}
                search={(filter === '' ? {} : { filter }) as never}
                className={rowLink}
                aria-current={event.id === openedId ? 'true' : undefined}
              >
                {titleOf(event, t)}
              </Link>
              <code className={styles.code}>{event.type}</code>
            </>
          ),
        },
        {
          id: 'about',
          title: t('events.about'),
          className: styles.about,
          dir: 'auto',
          cell: (event) => aboutOf(event, translator),
        },
        {
          id: 'number',
          title: t('events.number'),
          className: styles.number,
          cell: ({ sequence }) => formatNumber(sequence),
        },
      ]}
    />
  );
}
