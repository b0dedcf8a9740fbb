import { type Event, searchEvents } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../../api/api.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Drawer, DrawerTop } from '../../ui/split.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DataTree } from './data-tree.tsx';
import { iconOf, titleOf } from './describe-event.ts';
import styles from './events.module.css';
import { Summary } from './summary.tsx';

interface EventDrawerProps {
  eventId: string;
  /** The event, if the list has it. */
  known: Event | undefined;
  onFilter: (filter: string) => void;
  onClose: () => void;
}

/** One event: what it says, who reacted to it, and everything in it. */
export function EventDrawer({ eventId, known, onFilter, onClose }: EventDrawerProps) {
  const t = useText();
  const query = useRead(
    ['events', 'one', eventId],
    async (signal) => {
      // An id is a text here: the address may be anything.
      const body = { query: `eq(id,${JSON.stringify(eventId)})`, pagination: { limit: 1 } };
      return (await searchEvents(client, { body, signal })).items[0] ?? null;
    },
    { enabled: known === undefined },
  );
  const event = known ?? query.data;
  return (
    <Drawer label={t('trace.event')}>
      {event === null ? (
        <EmptyState
          icon="event"
          title={t('events.gone')}
          action={<Button onClick={onClose}>{t('events.close')}</Button>}
        >
          {t('events.goneText')}
        </EmptyState>
      ) : (
        <Loaded query={{ ...query, data: event }} lines={8}>
          {(one) => <OneEvent event={one} onFilter={onFilter} onClose={onClose} />}
        </Loaded>
      )}
    </Drawer>
  );
}

const TABS = ['summary', 'data', 'json'] as const;
/** Longer ones make the page slow, and nobody reads them. */
const SHOWN_CHARACTERS = 100_000;

interface OneEventProps {
  event: Event;
  onFilter: (filter: string) => void;
  onClose: () => void;
}

function OneEvent({ event, onFilter, onClose }: OneEventProps) {
  const t = useText();
  const [tab, setTab] = useState<(typeof TABS)[number]>('summary');
  const title = titleOf(event, t);
  return (
    <>
      <DrawerTop
        picture={<Icon name={iconOf(event)} />}
        title={title}
        actions={<IconButton icon="close" label={t('events.close')} onClick={onClose} />}
        tabs={
          <Tabs
            label={title}
            tabs={TABS.map((id) => ({ id, label: t(`events.tab.${id}`) }))}
            chosen={tab}
            onChoose={setTab}
          />
        }
      />
      {tab === 'summary' && <Summary event={event} onFilter={onFilter} />}
      {tab === 'data' && (
        <div className={styles.part}>
          <DataTree value={event.data} />
        </div>
      )}
      {tab === 'json' && <Json event={event} />}
    </>
  );
}

function Json({ event }: { event: Event }) {
  const t = useText();
  const text = JSON.stringify(event, null, 2);
  return (
    <div className={styles.part}>
      <div className={styles.jsonTools}>
        <CopyButton text={text} />
      </div>
      {text.length > SHOWN_CHARACTERS && <p className={styles.muted}>{t('events.jsonCut')}</p>}
      <pre className={styles.json}>{text.slice(0, SHOWN_CHARACTERS)}</pre>
    </div>
  );
}
