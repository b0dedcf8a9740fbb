import { type Channel, type MessageTemplate, searchMessageTemplates } from '@parley/sdk';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { describeReason, STATUS_LOOKS, TEMPLATES_KEY, useChannels } from './data.ts';
import { TemplateDetails } from './details.tsx';
import { templateFilters, useTemplateFields } from './filter.ts';
import { SyncButton } from './sync.tsx';
import { TemplateForm } from './template-form.tsx';
import styles from './templates.module.css';

/** Texts that the vendor has approved: a list, or one of them. */
export function Templates() {
  const { templateId } = useParams({ strict: false }) as { templateId?: string };
  return templateId === undefined ? (
    <TemplateList />
  ) : (
    <TemplateDetails key={templateId} templateId={templateId} />
  );
}

function TemplateList() {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('templates:write');
  const channels = useChannels();
  const fields = useTemplateFields(channels);
  const address = useSearch({ strict: false }) as Record<string, unknown>;
  const filter = String(address.filter ?? '');
  const [isCreating, setIsCreating] = useState(false);
  const list = useList(TEMPLATES_KEY, searchMessageTemplates, {
    sortBy: 'asc(name)',
    ...(filter === '' ? {} : { query: filter }),
  });
  const setFilter = (next: string): void =>
    void navigate({ to: '/templates', search: { filter: next || undefined } as never });
  const create = (): void => setIsCreating(true);
  const canCreate = canWrite && channels.length > 0;
  const newButton = canCreate && (
    <Button look="primary" icon="plus" onClick={create}>
      {t('templates.new')}
    </Button>
  );
  useKeys(canCreate ? [{ keys: 'n', label: t('templates.new'), run: create }] : []);
  return (
    <Page
      title={t('templates.title')}
      actions={
        canWrite && (
          <span className={styles.actions}>
            <SyncButton channels={channels} />
            {newButton}
          </span>
        )
      }
    >
      <p className={styles.intro}>{t('templates.intro')}</p>
      <div className={styles.tools}>
        <FilterBar
          texts={templateFilters}
          fields={fields}
          filter={filter}
          error={list.error}
          example={'eq(status,"approved")'}
          onChange={setFilter}
        />
      </div>
      <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }}>
        {(rows) =>
          rows.length > 0 ? (
            <TemplatesTable rows={rows} channels={channels} />
          ) : filter === '' ? (
            <EmptyState icon="template" title={t('templates.empty')} action={newButton}>
              {channels.length > 0 ? t('templates.emptyText') : t('templates.noChannels')}
            </EmptyState>
          ) : (
            <EmptyState
              icon="search"
              title={t('templates.nothing')}
              action={<Button onClick={() => setFilter('')}>{t('templates.clear')}</Button>}
            >
              {t('templates.nothingText')}
            </EmptyState>
          )
        }
      </Loaded>
      {list.hasMore && (
        <Button onClick={list.readMore} isBusy={list.isReadingMore}>
          {t('action.showMore')}
        </Button>
      )}
      {isCreating && (
        <TemplateForm
          channels={channels}
          onClose={() => setIsCreating(false)}
          onDone={({ id }) => void navigate({ to: `/templates/${id}` })}
        />
      )}
    </Page>
  );
}

interface TemplatesTableProps {
  rows: readonly MessageTemplate[];
  channels: readonly Channel[];
}

function TemplatesTable({ rows, channels }: TemplatesTableProps) {
  const t = useText();
  return (
    <Table<MessageTemplate>
      label={t('templates.title')}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: t('templates.name'),
          cell: ({ id, name, body }) => (
            <>
              <Link to={`/templates/${id}`} className={styles.link}>
                {name}
              </Link>
              <div className={styles.excerpt} dir="auto">
                {body}
              </div>
            </>
          ),
        },
        { id: 'language', title: t('templates.language'), cell: ({ language }) => language },
        {
          id: 'status',
          title: t('templates.status'),
          cell: ({ status, rejectionReason }) => (
            <>
              <Badge look={STATUS_LOOKS[status]}>{t(`templates.status.${status}`)}</Badge>
              {rejectionReason !== null && (
                <div className={styles.excerpt}>{describeReason(rejectionReason, t)}</div>
              )}
            </>
          ),
        },
        {
          id: 'channel',
          title: t('templates.channel'),
          isExtra: true,
          cell: ({ channelId }) => {
            const channel = channels.find(({ id }) => id === channelId);
            return (
              channel && (
                <>
                  <div className={styles.channel}>{channel.name}</div>
                  <div className={styles.muted}>
                    <ChannelKindLabel kind={channel.kind} />
                  </div>
                </>
              )
            );
          },
        },
        {
          id: 'category',
          title: t('templates.category'),
          isExtra: true,
          cell: ({ category }) => <span className={styles.word}>{t(`templates.category.${category}`)}</span>,
        },
      ]}
    />
  );
}
