import { searchContacts } from '@parley/sdk';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { basePath } from '../../api/client.ts';
import { CONTACTS_KEY } from '../../api/contacts.ts';
import { useList } from '../../api/lists.ts';
import { useCanExport, useScope, useWorkspace } from '../../api/session.tsx';
import { contactFilters, EVERYBODY } from '../../contact-filter/contact-filters.ts';
import { useContactFields } from '../../contact-filter/use-contact-fields.ts';
import { ContactForm } from '../../contact-form/contact-form.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useListSelection } from '../../ui/list-selection.ts';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Split } from '../../ui/split.tsx';
import { BulkBar } from './bulk.tsx';
import { ContactList } from './contact-list.tsx';
import styles from './contacts.module.css';
import { ContactDrawer, type ContactTab, contactTabs } from './drawer.tsx';
import './live.ts';

/** What the address says besides the contact: a reload and Back keep it. */
interface Address {
  filter?: string | undefined;
  search?: string | undefined;
  tab?: ContactTab | undefined;
}

const ImportDialog = lazy(async () => ({
  default: (await import('../imports/import-dialog.tsx')).ImportDialog,
}));

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
  const tab = contactTabs.find((one) => one === address.tab) ?? 'details';
  const { tenantId } = useWorkspace().membership;
  const [isCreating, setIsCreating] = useState(false);
  const [isImporting, setIsImporting] = useState(false);
  const canImport = useScope('files:write') && canWrite;
  const field = useRef<HTMLInputElement>(null);
  const fields = useContactFields();

  const searchOf = (next: Address): Address => ({
    filter: next.filter || undefined,
    search: next.search || undefined,
    tab: (next.tab ?? tab) === 'details' ? undefined : (next.tab ?? tab),
  });
  const go = (id: string | undefined, next: Address = { filter, search }, replace = false): void => {
    void navigate({
      to: id === undefined ? '/contacts' : `/contacts/${id}`,
      search: searchOf(next) as never,
      replace,
    });
  };
  const list = useList(
    CONTACTS_KEY,
    searchContacts,
    {
      ...(filter === '' ? {} : { query: filter }),
      ...(search.trim() === '' ? {} : { search: search.trim().slice(0, 200) }),
    },
    { withTotal: true },
  );
  const rows = list.rows ?? [];
  const step = (by: number): void => {
    const next = rows[Math.max(0, rows.findIndex(({ id }) => id === contactId) + by)];
    if (next) go(next.id, undefined, contactId !== undefined);
  };
  // Back and links change what is shown, too.
  const selection = useListSelection(JSON.stringify([filter, search]), rows);
  useKeys([
    ...(canWrite && contactId !== undefined
      ? [{ keys: 'x', label: t('contactBulk.keys.choose'), run: () => selection.toggle(contactId) }]
      : []),
    { keys: 'j', label: t('contacts.keys.next'), run: () => step(1) },
    { keys: 'k', label: t('contacts.keys.previous'), run: () => step(-1) },
    { keys: '/', label: t('contacts.keys.search'), run: () => field.current?.focus() },
    ...(canImport ? [{ keys: 'i', label: t('imports.keys.new'), run: () => setIsImporting(true) }] : []),
    ...(contactId === undefined
      ? []
      : [{ keys: 'Escape', label: t('contacts.close'), run: () => go(undefined) }]),
  ]);
  const isFiltered = filter !== '' || search.trim() !== '';
  const clear = (): void => go(contactId, {});
  const total = list.total
    ? `${formatNumber(list.total.count)}${list.total.isCapped ? '+' : ''}`
    : formatNumber(rows.length);
  const canExport = useCanExport();
  const exportUrl = `${basePath}/v3/contacts/export.csv?${new URLSearchParams({
    tenantId,
    ...(filter === '' ? {} : { query: filter }),
    ...(search.trim() === '' ? {} : { search: search.trim().slice(0, 200) }),
  })}`;
  return (
    <>
      <Split
        className={contactId === undefined ? undefined : styles.beside}
        header={
          <>
            <h1 className={styles.title}>{t('contacts.title')}</h1>
            <span className={styles.total} role="status">
              {list.total && t('contacts.count', { total })}
            </span>
            {canExport && (
              <LinkButton
                icon="download"
                href={exportUrl}
                download
                aria-label={t('contacts.export')}
                title={t('contacts.exportHelp')}
              >
                <span className={styles.wideOnly}>{t('contacts.export')}</span>
              </LinkButton>
            )}
            {canImport && (
              <Button
                icon="upload"
                aria-label={t('imports.new')}
                title={t('imports.new')}
                onClick={() => setIsImporting(true)}
              >
                <span className={styles.wideOnly}>{t('imports.short')}</span>
              </Button>
            )}
            {canWrite && (
              <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
                {t('contacts.new')}
              </Button>
            )}
          </>
        }
        tools={
          <>
            <div className={styles.search}>
              <SearchField
                ref={field}
                label={t('contacts.search')}
                text={search}
                onSearch={(text) => go(contactId, { filter, search: text }, true)}
              />
            </div>
            <FilterBar
              texts={contactFilters}
              fields={fields}
              filter={filter}
              error={list.error}
              example="eq(isSubscribed,true)"
              onChange={(next) => go(contactId, { filter: next, search })}
            />
          </>
        }
        drawer={
          contactId === undefined ? undefined : (
            <ContactDrawer
              key={contactId}
              contactId={contactId}
              tab={tab}
              onTab={(next) => go(contactId, { filter, search, tab: next }, true)}
              onClose={() => go(undefined)}
            />
          )
        }
      >
        <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }} lines={8}>
          {(found) =>
            found.length > 0 ? (
              <ContactList
                list={{ ...list, rows: found }}
                openedId={contactId}
                address={searchOf({ filter, search })}
                chosen={canWrite ? selection : undefined}
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
              <EmptyState
                icon="contacts"
                title={t('contacts.empty')}
                action={
                  canImport && (
                    <Button icon="upload" onClick={() => setIsImporting(true)}>
                      {t('imports.new')}
                    </Button>
                  )
                }
              >
                {t('contacts.emptyText')}
              </EmptyState>
            )
          }
        </Loaded>
        {selection.ids && (
          <BulkBar
            selection={
              selection.ids === 'all'
                ? { query: filter || EVERYBODY, total: list.total?.count ?? 0 }
                : { ids: selection.ids }
            }
            total={total}
            // The API takes a filter, and no words to look for.
            onSelectAll={
              selection.ids !== 'all' && selection.hasAll && list.hasMore && search.trim() === ''
                ? selection.selectAll
                : undefined
            }
            onClear={selection.clear}
          />
        )}
      </Split>
      {isImporting && (
        <Suspense fallback={null}>
          <ImportDialog onClose={() => setIsImporting(false)} />
        </Suspense>
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
    </>
  );
}
