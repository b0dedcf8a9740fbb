import { listTenantV2Usage, type TenantV2Usage } from '@parley/sdk';
import { client, useRead } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './settings.module.css';

/** Which tokens of the tenant still call the version that ends, and how they move on. */
export function V2Usage() {
  const { t, formatNumber } = useTranslator();
  const usage = useRead(['v2Usage'], (signal) => listTenantV2Usage(client, { signal }), { freshMs: 0 });
  const guide = (
    <a href={`${basePath}/docs/guides/from-v2-to-v3`} target="_blank" rel="noreferrer">
      {t('v2.guide')}
    </a>
  );
  return (
    <Page title={t('v2.title')}>
      <Loaded query={usage}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="check" title={t('v2.empty')} action={guide}>
              {t('v2.emptyText')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>
                {t('v2.intro')} {guide}
              </p>
              <Table<TenantV2Usage>
                label={t('v2.title')}
                rows={rows}
                keyOf={({ tokenId, operation }) => `${tokenId} ${operation}`}
                columns={[
                  {
                    id: 'token',
                    title: t('v2.token'),
                    cell: ({ tokenName }) => tokenName ?? t('v2.deleted'),
                  },
                  {
                    id: 'operation',
                    title: t('v2.operation'),
                    cell: ({ operation }) => <code>{operation}</code>,
                  },
                  {
                    id: 'calls',
                    title: t('v2.calls'),
                    align: 'end',
                    isExtra: true,
                    cell: ({ calls }) => formatNumber(calls),
                  },
                  {
                    id: 'last',
                    title: t('v2.last'),
                    align: 'end',
                    cell: ({ lastCalledAt }) => <RelativeTime at={lastCalledAt} />,
                  },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
