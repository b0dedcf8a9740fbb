import { deleteTenant, getAnyJob, listTenants, type PersonLink, type Tenant, type User } from '@parley/sdk';
import { useState } from 'react';
import { client, SESSION_KEY, useRead, useWrite } from '../../api/api.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { JobDialog } from '../../ui/job-dialog.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { useFilter } from './filter.tsx';
import { LinkDialog } from './people-dialogs.tsx';
import styles from './settings.module.css';
import { OwnerDialog, TENANTS_KEY, TenantDialog } from './tenant-dialogs.tsx';

type Opened =
  | { kind: 'new' }
  | { kind: 'edit' | 'owner' | 'delete'; tenant: Tenant }
  | { kind: 'link'; user: User; link: PersonLink }
  | { kind: 'deleting'; name: string; jobId: string };

/** Every tenant of the installation. */
export function Tenants() {
  const t = useText();
  const tenants = useRead(TENANTS_KEY, (signal) => listTenants(client, { signal }), { freshMs: 0 });
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  return (
    <Section
      title={t('system.tenants')}
      text={
        <Button icon="plus" onClick={() => setOpened({ kind: 'new' })}>
          {t('tenants.new')}
        </Button>
      }
    >
      <div className={styles.wide}>
        <Loaded query={tenants}>{(rows) => <TenantsTable tenants={rows} onOpen={setOpened} />}</Loaded>
      </div>
      {opened?.kind === 'new' && (
        <TenantDialog onClose={close} onDone={(tenant) => setOpened({ kind: 'owner', tenant })} />
      )}
      {opened?.kind === 'edit' && <TenantDialog tenant={opened.tenant} onClose={close} onDone={close} />}
      {opened?.kind === 'owner' && (
        <OwnerDialog
          tenant={opened.tenant}
          onClose={close}
          onDone={(user, link) => setOpened({ kind: 'link', user, link })}
        />
      )}
      {opened?.kind === 'link' && <LinkDialog {...opened} onClose={close} />}
      {opened?.kind === 'delete' && (
        <DeleteDialog
          tenant={opened.tenant}
          onClose={close}
          onDone={(jobId) =>
            jobId === null ? close() : setOpened({ kind: 'deleting', name: opened.tenant.name, jobId })
          }
        />
      )}
      {opened?.kind === 'deleting' && (
        <JobDialog
          title={t('tenants.deleting', { name: opened.name })}
          jobId={opened.jobId}
          read={getAnyJob}
          onEnd={() => {}}
          onClose={close}
        />
      )}
    </Section>
  );
}

interface TenantsTableProps {
  tenants: readonly Tenant[];
  onOpen: (opened: Opened) => void;
}

function TenantsTable({ tenants, onOpen }: TenantsTableProps) {
  const { t, formatDate } = useTranslator();
  const { found, field } = useFilter(tenants, ({ name }) => name);
  const actions = useRowActions<Tenant>(true, {
    nameOf: ({ name }) => name,
    itemsOf: (tenant) => [
      { id: 'edit', label: t('tenants.edit'), icon: 'edit', run: () => onOpen({ kind: 'edit', tenant }) },
      {
        id: 'owner',
        label: t('tenants.inviteOwner'),
        icon: 'people',
        run: () => onOpen({ kind: 'owner', tenant }),
      },
      {
        id: 'delete',
        label: t('action.delete'),
        icon: 'trash',
        isDanger: true,
        startsGroup: true,
        run: () => onOpen({ kind: 'delete', tenant }),
      },
    ],
  });
  return (
    <>
      {field}
      <Table<Tenant>
        label={t('system.tenants')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('tenant.name'),
            cell: ({ name, isTest }) => (
              <span className={styles.name}>
                {name} {isTest && <Badge>{t('tenants.test')}</Badge>}
              </span>
            ),
          },
          {
            id: 'plan',
            title: t('tenant.planName'),
            cell: ({ plan, rateLimit, limits }) => (
              <>
                {t(`plan.${plan}`)}
                {(rateLimit !== null || Object.keys(limits).length > 0) && (
                  <div className={styles.muted}>{t('tenants.ownLimits')}</div>
                )}
              </>
            ),
          },
          {
            id: 'created',
            title: t('labels.created'),
            isExtra: true,
            cell: ({ createdAt }) => formatDate(new Date(createdAt)),
          },
          ...actions,
        ]}
      />
    </>
  );
}

interface DeleteDialogProps {
  tenant: Tenant;
  onClose: () => void;
  onDone: (jobId: string | null) => void;
}

/** The session is read again: the person may have been a member. */
function DeleteDialog({ tenant, onClose, onDone }: DeleteDialogProps) {
  const t = useText();
  const { name } = tenant;
  const remove = useWrite(() => deleteTenant(client, { path: { tenantId: tenant.id } }), {
    invalidates: [TENANTS_KEY, SESSION_KEY],
    done: 'deleted',
    showsError: true,
    onSuccess: ({ jobId }) => onDone(jobId),
  });
  return (
    <ConfirmDialog
      title={t('tenants.deleteTitle', { name })}
      text={t('tenants.deleteText', { name })}
      action={t('action.delete')}
      typed={name}
      write={remove}
      onClose={onClose}
    />
  );
}
