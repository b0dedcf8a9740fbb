import type { Contact } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import type { List } from '../../api/lists.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { LabelTag } from '../../ui/label-tag.tsx';
import type { ListSelection } from '../../ui/list-selection.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { rowLink, type VirtualColumn, VirtualTable } from '../../ui/virtual-table.tsx';
import styles from './contacts.module.css';

const ROW_PX = 48;
const SHOWN_LABELS = 3;

interface ContactListProps {
  list: List<Contact> & { rows: readonly Contact[] };
  openedId: string | undefined;
  /** The rest of the address, which stays. */
  address: object;
  /** Undefined for those who may change nothing. */
  chosen: ListSelection | undefined;
}

export function ContactList({ list, openedId, address, chosen }: ContactListProps) {
  const t = useText();
  const columns: VirtualColumn<Contact>[] = [
    {
      id: 'name',
      title: t('contacts.name'),
      className: styles.name,
      cell: ({ id, displayName }) => (
        <>
          <Avatar name={displayName} id={id} />
          <Link
            to={`/contacts/${id}`}
            search={address as never}
            className={rowLink}
            aria-current={id === openedId ? 'true' : undefined}
          >
            {displayName}
          </Link>
        </>
      ),
    },
    {
      id: 'handles',
      title: t('contacts.handles'),
      className: styles.handles,
      cell: ({ handles, displayName }) =>
        handles
          .map(({ value }) => value)
          .filter((value) => value !== displayName)
          .join(' · '),
    },
    {
      id: 'labels',
      title: t('contacts.labels'),
      className: styles.labels,
      cell: ({ labels }) => (
        <>
          {labels.slice(0, SHOWN_LABELS).map((label) => (
            <LabelTag key={label.id} name={label.name} color={label.color} />
          ))}
          {labels.length > SHOWN_LABELS && `+${labels.length - SHOWN_LABELS}`}
        </>
      ),
    },
    {
      id: 'changed',
      title: t('contacts.changed'),
      className: styles.changed,
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
  return (
    <VirtualTable<Contact>
      label={t('contacts.title')}
      className={chosen && styles.choosable}
      rowClass={styles.row}
      rowPx={ROW_PX}
      columns={chosen ? [choiceColumn(chosen, t), ...columns] : columns}
      list={list}
      openedId={openedId}
    />
  );
}

const choiceColumn = (chosen: ListSelection, t: ReturnType<typeof useText>): VirtualColumn<Contact> => ({
  id: 'choice',
  className: styles.choice,
  title: (
    <input
      type="checkbox"
      checked={chosen.hasAll}
      onChange={chosen.toggleAll}
      aria-label={t('contactBulk.chooseAll')}
    />
  ),
  cell: ({ id, displayName }) => (
    <input
      type="checkbox"
      checked={chosen.has(id)}
      onChange={() => chosen.toggle(id)}
      aria-label={t('contactBulk.choose', { name: displayName })}
    />
  ),
});
