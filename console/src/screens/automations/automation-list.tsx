import { type Automation, searchAutomations } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useAddress } from '../../app/address.ts';
import { createDescriber } from '../../flow/describe.ts';
import { useFlowNames } from '../../flow/names.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { StatusBadge, useAutomationActions } from './actions.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { AUTOMATIONS_KEY } from './data.ts';
import styles from './list.module.css';

/** All automations, those that changed last first. */
export function AutomationList() {
  const t = useText();
  const canWrite = useScope('automations:write');
  const automations = useAll(AUTOMATIONS_KEY, searchAutomations);
  const [isCreating, setIsCreating] = useState(false);
  const [address, setAddress] = useAddress('shown');
  const shown = address.shown === 'archived' ? 'archived' : 'current';
  const create = (): void => setIsCreating(true);
  useKeys(canWrite ? [{ keys: 'n', label: t('automations.new'), run: create }] : []);
  const newButton = canWrite && (
    <Button look="primary" icon="plus" onClick={create}>
      {t('automations.new')}
    </Button>
  );
  return (
    <Page title={t('automations.title')} actions={newButton}>
      <Loaded query={automations}>
        {(all) => {
          const archived = all.filter(({ status }) => status === 'archived');
          const rows = shown === 'archived' ? archived : all.filter(({ status }) => status !== 'archived');
          return all.length === 0 ? (
            <EmptyState icon="automation" title={t('automations.empty')} action={newButton}>
              {t('automations.emptyText')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('automations.intro')}</p>
              {archived.length > 0 && (
                <Tabs
                  label={t('automations.title')}
                  tabs={[
                    { id: 'current', label: t('automations.current') },
                    { id: 'archived', label: t('automations.status.archived') },
                  ]}
                  chosen={shown}
                  onChoose={(next) => setAddress({ shown: next === 'archived' ? next : '' })}
                />
              )}
              <AutomationTable automations={rows.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))} />
            </>
          );
        }}
      </Loaded>
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function AutomationTable({ automations }: { automations: readonly Automation[] }) {
  const translator = useTranslator();
  const { t } = translator;
  const describer = createDescriber(translator, useFlowNames());
  const { itemsOf, dialog } = useAutomationActions();
  const actions = useRowActions<Automation>(useScope('automations:write'), {
    nameOf: ({ name }) => name,
    itemsOf,
  });
  const versionText = ({ activeVersion, latestVersion }: Automation): string =>
    activeVersion
      ? t('automations.versionLive', { number: activeVersion.number })
      : t('automations.versionDraft', { number: latestVersion.number });
  return (
    <>
      <Table<Automation>
        label={t('automations.title')}
        rows={automations}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('automations.name'),
            cell: ({ id, name, activeVersion, latestVersion }) => {
              const { trigger } = activeVersion ?? latestVersion;
              return (
                <>
                  <Link to={`/automations/${id}`} className={styles.name}>
                    <bdi>{name}</bdi>
                  </Link>
                  <div className={styles.muted}>
                    {describer.triggerTitle(trigger)} · {describer.triggerSummary(trigger)}
                  </div>
                </>
              );
            },
          },
          {
            id: 'status',
            title: t('automations.status'),
            cell: ({ status }) => <StatusBadge status={status} />,
          },
          {
            id: 'version',
            title: t('automations.versions'),
            isExtra: true,
            cell: (automation) => (
              <>
                {versionText(automation)}
                {automation.activeVersion && automation.activeVersionId !== automation.latestVersionId && (
                  <div className={styles.muted}>
                    {t('automations.newerDraft', { number: automation.latestVersion.number })}
                  </div>
                )}
              </>
            ),
          },
          {
            id: 'changed',
            title: t('automations.changed'),
            isExtra: true,
            align: 'end',
            cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
          },
          ...actions,
        ]}
      />
      {dialog}
    </>
  );
}
