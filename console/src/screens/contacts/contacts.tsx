import { searchContacts } from '@parley/sdk';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { ContactForm } from './contact-form.tsx';
import { ContactList } from './contact-list.tsx';
import styles from './contacts.module.css';
import { ContactDrawer } from './drawer.tsx';
import { contactFilters } from './filter.ts';
import { useContactFields } from './filter-fields.ts';
import { CONTACTS_KEY } from './live.ts';

const TYPING_MS = 250;

/** What the address says besides the contact: a reload and Back keep it. */
interface Address {
  filter?: string | undefined;
  search?: string | undefined;
}

/** Everybody who has written, or who was added: a list, and one of them beside it. */
export function Contacts() {
  const { t, formatNumber } = useTranslator();
  const navigate = useNavigate();
  const canWrite = useScope('contacts:write');
  const { contactId } = useParams({ strict: false }) as { contactId?: string };
  const address = useSearch({ strict: false }) as Record<string, unknown>;
  // The address may be anything.
  const filter = String(address.filter ?? '');
  const search = String(address.search ?? '');
  const [isCreating, setIsCreating] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const fields = useContactFields();

  const go = (id: string | undefined, next: Address = { filter, search }, replace = false): void =>
    void navigate({
      to: id === undefined ? '/contacts' : `/contacts/${id}`,
      search: { filter: next.filter || undefined, search: next.search || undefined } as never,
      replace,
    });
  const list = useList(CONTACTS_KEY, searchContacts, {
    ...(filter === '' ? {} : { query: filter }),
    ...(search.trim() === '' ? {} : { search: search.trim().slice(0, 200) }),
  });
  const rows = list.rows ?? [];
  const step = (by: number): void => {
    const next = rows[Math.max(0, rows.findIndex(({ id }) => id === contactId) + by)];
    if (next) go(next.id, undefined, contactId !== undefined);
  };
  useKeys([
    { keys: 'j', label: t('contacts.keys.next'), run: () => step(1) },
    { keys: 'k', label: t('contacts.keys.previous'), run: () => step(-1) },
    { keys: '/', label: t('contacts.keys.search'), run: () => field.current?.focus() },
    ...(contactId === undefined
      ? []
      : [{ keys: 'Escape', label: t('contacts.close'), run: () => go(undefined) }]),
  ]);
  const isFiltered = filter !== '' || search.trim() !== '';
  const clear = (): void => go(contactId, {});
  return (
    <div className={classes(styles.contacts, contactId !== undefined && styles.hasDrawer)}>
      <div className={styles.main}>
        <header className={styles.header}>
          <h1 className={styles.title}>{t('contacts.title')}</h1>
          <span className={styles.total} role="status">
            {list.total &&
              t('contacts.count', {
                total: `${formatNumber(list.total.count)}${list.total.isCapped ? '+' : ''}`,
              })}
          </span>
          {canWrite && (
            <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
              {t('contacts.new')}
            </Button>
          )}
        </header>
        <div className={styles.tools}>
          <SearchField
            ref={field}
            value={search}
            onChange={(text) => go(contactId, { filter, search: text }, true)}
          />
          <FilterBar
            texts={contactFilters}
            fields={fields}
            filter={filter}
            error={list.error}
            example="eq(isSubscribed,true)"
            onChange={(next) => go(contactId, { filter: next, search })}
          />
        </div>
        <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }} lines={8}>
          {(found) =>
            found.length > 0 ? (
              <ContactList
                list={{ ...list, rows: found }}
                openedId={contactId}
                address={{ filter: filter || undefined, search: search || undefined }}
              />
            ) : isFiltered ? (
              <EmptyState
                icon="search"
                title={t('contacts.nothing')}
                action={<Button onClick={clear}>{t('contacts.clear')}</Button>}
              >
                {t('contacts.nothingText')}
              </EmptyState>
            ) : (
              <EmptyState icon="contacts" title={t('contacts.empty')}>
                {t('contacts.emptyText')}
              </EmptyState>
            )
          }
        </Loaded>
      </div>
      {contactId !== undefined && (
        <ContactDrawer key={contactId} contactId={contactId} onClose={() => go(undefined)} />
      )}
      {isCreating && (
        <ContactForm
          onClose={() => setIsCreating(false)}
          onDone={({ id }) => {
            setIsCreating(false);
            go(id);
          }}
        />
      )}
    </div>
  );
}

interface SearchFieldProps {
  ref: React.Ref<HTMLInputElement>;
  value: string;
  onChange: (text: string) => void;
}

/** Searches when somebody pauses typing. */
function SearchField({ ref, value, onChange }: SearchFieldProps) {
  const t = useText();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The address changed by other means, such as Back.
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  const change = useRef(onChange);
  useEffect(() => {
    change.current = onChange;
  });
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => change.current(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <input
      ref={ref}
      type="search"
      className={styles.search}
      aria-label={t('contacts.search')}
      placeholder={t('contacts.search')}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
