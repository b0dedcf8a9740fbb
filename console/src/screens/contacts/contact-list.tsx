import type { Contact } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { List } from '../../api/lists.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { classes } from '../../ui/classes.ts';
import { LabelTag } from '../../ui/label-tag.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './contacts.module.css';

const ROW_PX = 48;
/** The next page is read when less than this is left to scroll. */
const AHEAD_PX = 2_000;
const SHOWN_LABELS = 3;

/** The contacts that something is to be done to. */
export interface Chosen {
  has(id: string): boolean;
  toggle(id: string): void;
  /** Whether all rows that were read are chosen. */
  hasAll: boolean;
  toggleAll(): void;
}

interface ContactListProps {
  list: List<Contact> & { rows: readonly Contact[] };
  openedId: string | undefined;
  /** The rest of the address, which stays. */
  address: object;
  /** Undefined for those who may change nothing. */
  chosen: Chosen | undefined;
}

/** Only the rows in sight are rendered, and pages are read as they come into sight. */
export function ContactList({ list, openedId, address, chosen }: ContactListProps) {
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { rows, hasMore, isReadingMore, readMore } = list;
  const readAhead = (): void => {
    const virtual = handle.current;
    if (!virtual || !hasMore || isReadingMore) return;
    if (virtual.scrollSize - virtual.scrollOffset - virtual.viewportSize < AHEAD_PX) readMore();
  };
  const opened = rows.findIndex(({ id }) => id === openedId);
  useEffect(() => {
    if (opened >= 0) handle.current?.scrollToIndex(opened, { align: 'nearest' });
  }, [opened]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not rendered, which a table element cannot do
    <div
      role="table"
      aria-label={t('contacts.title')}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      className={classes(styles.table, chosen && styles.choosable)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: a row of titles */}
      <div role="row" className={classes(styles.row, styles.titles)} aria-rowindex={1}>
        {chosen && (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the box in it has the focus
          <div role="columnheader" className={styles.choice}>
            <input
              type="checkbox"
              checked={chosen.hasAll}
              onChange={chosen.toggleAll}
              aria-label={t('contactBulk.chooseAll')}
            />
          </div>
        )}
        {(['name', 'handles', 'labels', 'changed'] as const).map((id) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: a title
          <div key={id} role="columnheader" className={styles[id]}>
            {t(`contacts.${id}`)}
          </div>
        ))}
      </div>
      <div ref={scroll} className={styles.scroll}>
        <Virtualizer ref={handle} scrollRef={scroll} data={rows} itemSize={ROW_PX} onScroll={readAhead}>
          {(contact, index) => (
            <Row
              key={contact.id}
              contact={contact}
              index={index}
              isOpened={contact.id === openedId}
              address={address}
              chosen={chosen}
            />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

interface RowProps {
  contact: Contact;
  index: number;
  isOpened: boolean;
  address: object;
  chosen: Chosen | undefined;
}

function Row({ contact, index, isOpened, address, chosen }: RowProps) {
  const t = useText();
  const { id, displayName, handles, labels, updatedAt } = contact;
  const others = handles.map(({ value }) => value).filter((value) => value !== displayName);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a table that is not one element
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it has the focus
    <div role="row" aria-rowindex={index + 2} className={classes(styles.row, isOpened && styles.opened)}>
      {chosen && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div role="cell" className={styles.choice}>
          <input
            type="checkbox"
            checked={chosen.has(id)}
            onChange={() => chosen.toggle(id)}
            aria-label={t('contactBulk.choose', { name: displayName })}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.name}>
        <Avatar name={displayName} id={id} />
        <Link
          to={`/contacts/${id}`}
          search={address as never}
          className={styles.link}
          aria-current={isOpened ? 'true' : undefined}
        >
          {displayName}
        </Link>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.handles}>
        {others.join(' · ')}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.labels}>
        {labels.slice(0, SHOWN_LABELS).map((label) => (
          <LabelTag key={label.id} name={label.name} color={label.color} />
        ))}
        {labels.length > SHOWN_LABELS && `+${labels.length - SHOWN_LABELS}`}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={styles.changed}>
        <RelativeTime at={updatedAt} />
      </div>
    </div>
  );
}
