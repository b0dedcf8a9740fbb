import type { Event } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { List } from '../../api/lists.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { iconOf, titleOf } from './describe-event.ts';
import { aboutOf } from './event-line.ts';
import styles from './events.module.css';

const ROW_PX = 40;
/** The next page is read when less than this is left to scroll. */
const AHEAD_PX = 2_000;

export interface EventListHandle {
  showFirst(): void;
}

interface EventListProps {
  ref: Ref<EventListHandle>;
  list: List<Event> & { rows: readonly Event[] };
  openedId: string | undefined;
  filter: string;
  /** Whether somebody reads further below, where rows must not move. */
  onScrolled: (isScrolled: boolean) => void;
}

/** Only the rows in sight are rendered, and older events are read as they come into sight. */
export function EventList({ ref, list, openedId, filter, onScrolled }: EventListProps) {
  const { t } = useTranslator();
  const scroll = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { rows, hasMore, isReadingMore, readMore, searchedTo } = list;
  useImperativeHandle(ref, () => ({ showFirst: () => handle.current?.scrollToIndex(0) }), []);
  const onScroll = (): void => {
    const virtual = handle.current;
    if (!virtual) return;
    onScrolled(virtual.scrollOffset > ROW_PX);
    // A search that stopped goes on when somebody asks for it.
    if (!hasMore || isReadingMore || searchedTo !== undefined) return;
    if (virtual.scrollSize - virtual.scrollOffset - virtual.viewportSize < AHEAD_PX) readMore();
  };
  const opened = rows.findIndex(({ id }) => id === openedId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is opened, not when rows come
  useEffect(() => {
    if (opened >= 0) handle.current?.scrollToIndex(opened, { align: 'nearest' });
  }, [openedId]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not rendered, which a table element cannot do
    <div
      role="table"
      aria-label={t('events.title')}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      className={styles.table}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: a row of titles */}
      <div role="row" className={classes(styles.row, styles.titles)} aria-rowindex={1}>
        {(['when', 'what', 'about', 'number'] as const).map((id) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: a title
          <div key={id} role="columnheader" className={styles[id]}>
            {t(`events.${id}`)}
          </div>
        ))}
      </div>
      <div ref={scroll} className={styles.scroll}>
        <Virtualizer ref={handle} scrollRef={scroll} data={rows} itemSize={ROW_PX} onScroll={onScroll}>
          {(event, index) => (
            <Row
              key={event.id}
              event={event}
              index={index}
              isOpened={event.id === openedId}
              filter={filter}
            />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

interface RowProps {
  event: Event;
  index: number;
  isOpened: boolean;
  filter: string;
}

function Row({ event, index, isOpened, filter }: RowProps) {
  const translator = useTranslator();
  const { t, formatDate, formatNumber } = translator;
  const { id, type, createdAt, sequence } = event;
  const date = new Date(createdAt);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a table that is not one element
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it has the focus
    <div role="row" aria-rowindex={index + 2} className={classes(styles.row, isOpened && styles.opened)}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.when}>
        <time dateTime={createdAt} title={formatDate(date, 'full')}>
          {formatDate(date, 'clock')}
        </time>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.what}>
        <Icon name={iconOf(event)} />
        <Link
          to={`/events/${id}`}
          search={(filter === '' ? {} : { filter }) as never}
          className={styles.link}
          aria-current={isOpened ? 'true' : undefined}
        >
          {titleOf(event, t)}
        </Link>
        <code className={styles.code}>{type}</code>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.about} dir="auto">
        {aboutOf(event, translator)}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.number}>
        {formatNumber(sequence)}
      </div>
    </div>
  );
}
