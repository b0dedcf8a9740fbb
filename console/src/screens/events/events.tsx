import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { useLiveState } from '../../live/live-provider.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Split } from '../../ui/split.tsx';
import type { VirtualTableHandle } from '../../ui/virtual-table.tsx';
import { EventDrawer } from './drawer.tsx';
import { EventList } from './event-list.tsx';
import styles from './events.module.css';
import { eventFilters } from './filter.ts';
import { useEventFields } from './filter-fields.ts';
import { MAX_KEPT, useTail } from './tail.ts';

/** Everything that happens, as it happens: a list that grows above, and one event beside it. */
export function Events() {
  const { t, formatDate } = useTranslator();
  const navigate = useNavigate();
  const { eventId } = useParams({ strict: false }) as { eventId?: string };
  const address = useSearch({ strict: false }) as Record<string, unknown>;
  // The address may be anything.
  const filter = String(address.filter ?? '');
  const [isPaused, setIsPaused] = useState(false);
  const [isScrolled, setIsScrolled] = useState(false);
  const list = useRef<VirtualTableHandle>(null);
  const fields = useEventFields(filter);
  const tail = useTail(filter, isPaused || isScrolled);
  const rows = tail.rows ?? [];

  const go = (id: string | undefined, next = filter, replace = false): void =>
    void navigate({
      to: id === undefined ? '/events' : `/events/${id}`,
      search: (next === '' ? {} : { filter: next }) as never,
      replace,
    });
  const release = (): void => {
    list.current?.showFirst();
    setIsPaused(false);
    setIsScrolled(false);
    tail.release();
  };
  const toggle = (): void => (isPaused ? release() : setIsPaused(true));
  const step = (by: number): void => {
    const next = rows[Math.max(0, rows.findIndex(({ id }) => id === eventId) + by)];
    if (next) go(next.id, filter, eventId !== undefined);
  };
  useKeys([
    { keys: 'j', label: t('events.keys.next'), run: () => step(1) },
    { keys: 'k', label: t('events.keys.previous'), run: () => step(-1) },
    { keys: 'p', label: t('events.keys.pause'), run: toggle },
    ...(eventId === undefined
      ? []
      : [{ keys: 'Escape', label: t('events.close'), run: () => go(undefined) }]),
  ]);
  return (
    <Split
      className={classes(styles.events, eventId !== undefined && styles.beside)}
      header={
        <>
          <h1>{t('events.title')}</h1>
          {tail.isFollowed ? (
            <>
              <LiveSign isPaused={isPaused} />
              <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={toggle}>
                {t(isPaused ? 'events.resume' : 'events.pause')}
              </Button>
            </>
          ) : (
            <>
              <span className={styles.byHand}>{t('events.byHand')}</span>
              <Button onClick={tail.readAgain}>{t('events.readAgain')}</Button>
            </>
          )}
        </>
      }
      tools={
        <FilterBar
          texts={eventFilters}
          fields={fields}
          filter={filter}
          error={tail.error}
          example={'and(startsWith(type,"message."),contains(text,"order"))'}
          onChange={(next) => go(eventId, next)}
        />
      }
      drawer={
        eventId === undefined ? undefined : (
          <EventDrawer
            key={eventId}
            eventId={eventId}
            known={rows.find(({ id }) => id === eventId)}
            onFilter={(next) => go(eventId, next)}
            onClose={() => go(undefined)}
          />
        )
      }
    >
      {tail.waiting > 0 && (
        <button type="button" className={styles.waiting} onClick={release}>
          {tail.waiting > MAX_KEPT
            ? t('events.manyNew', { count: MAX_KEPT })
            : t('events.new', { count: tail.waiting })}
        </button>
      )}
      <Loaded query={{ data: tail.rows, error: tail.error, refetch: tail.refetch }} lines={8}>
        {(found) =>
          found.length > 0 ? (
            <EventList
              ref={list}
              list={{ ...tail, rows: found }}
              openedId={eventId}
              filter={filter}
              onScrolled={setIsScrolled}
            />
          ) : filter === '' ? (
            <EmptyState icon="event" title={t('events.empty')}>
              {t('events.emptyText')}
            </EmptyState>
          ) : (
            <EmptyState
              icon="search"
              title={t('events.nothing')}
              action={<Button onClick={() => go(eventId, '')}>{t('events.clear')}</Button>}
            >
              {t('events.nothingText')}
            </EmptyState>
          )
        }
      </Loaded>
      {tail.searchedTo !== undefined && tail.hasMore && (
        <p className={styles.stopped} role="status">
          {t('events.stopped', { at: formatDate(new Date(tail.searchedTo), 'full') })}
          <Button onClick={tail.readMore} isBusy={tail.isReadingMore}>
            {t('events.older')}
          </Button>
        </p>
      )}
    </Split>
  );
}

/** Whether the list grows at the moment. */
function LiveSign({ isPaused }: { isPaused: boolean }) {
  const { t } = useTranslator();
  const isLive = useLiveState() === 'live' && !isPaused;
  return (
    <span className={classes(styles.sign, isLive && styles.live)} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {t(isLive ? 'events.live' : isPaused ? 'events.paused' : 'state.loading')}
    </span>
  );
}
