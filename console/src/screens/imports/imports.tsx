import { deleteFile, type Import, searchImports } from '@parley/sdk';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { IMPORTS_KEY, isRunning, useImport } from './data.ts';
import { ImportDialog } from './import-dialog.tsx';
import styles from './imports.module.css';
import { JobStep } from './job-step.tsx';

/** Imports end after 30 days, so a page holds them. */
const SHOWN = 100;
const EVERY_MS = 2_000;
const LOOKS = {
  queued: 'plain',
  running: 'plain',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
} as const;

/** The imports of the last weeks: a list, and one of them in a window. `/imports/new` begins another. */
export function Imports() {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('contacts:write');
  const { page } = useParams({ strict: false }) as { page?: string };
  const list = useRead(
    [...IMPORTS_KEY, 'list'],
    async (signal) => {
      const body = { sortBy: 'desc(createdAt)', pagination: { limit: SHOWN } };
      return (await searchImports(client, { body, signal })).items;
    },
    { everyMs: (rows) => ((rows as Import[] | undefined)?.some(isRunning) ? EVERY_MS : false) },
  );
  const close = (): void => void navigate({ to: '/imports' });
  const create = (): void => void navigate({ to: '/imports/new' });
  const button = canWrite && (
    <Button look="primary" icon="upload" onClick={create}>
      {t('imports.new')}
    </Button>
  );
  useKeys(canWrite ? [{ keys: 'n', label: t('imports.keys.new'), run: create }] : []);
  return (
    <Page title={t('imports.title')} actions={button}>
      <Loaded query={list}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="upload" title={t('imports.empty')} action={button}>
              {t('imports.emptyText')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('imports.intro')}</p>
              <ImportsTable rows={rows} />
            </>
          )
        }
      </Loaded>
      {page === 'new' && canWrite && <ImportDialog onClose={close} />}
      {page !== undefined && page !== 'new' && <Shown importId={page} onClose={close} />}
    </Page>
  );
}

function Shown({ importId, onClose }: { importId: string; onClose: () => void }) {
  const t = useText();
  const isGone = statusOf(useImport(importId).error) === 404;
  if (!isGone) return <JobStep key={importId} importId={importId} onClose={onClose} />;
  return (
    <Dialog title={t('imports.gone')} onClose={onClose}>
      <p>{t('imports.goneText')}</p>
    </Dialog>
  );
}

function ImportsTable({ rows }: { rows: readonly Import[] }) {
  const { t, formatNumber } = useTranslator();
  const [deleted, setDeleted] = useState<Import>();
  const actions = useRowActions<Import>(useScope('files:write'), {
    nameOf: ({ filename }) => filename,
    itemsOf: (row) =>
      isRunning(row)
        ? []
        : [
            {
              id: 'deleteFile',
              label: t('imports.deleteFile'),
              icon: 'trash',
              isDanger: true,
              run: () => setDeleted(row),
            },
          ],
  });
  return (
    <>
      <Table<Import>
        label={t('imports.title')}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'file',
            title: t('imports.file'),
            cell: ({ id, filename, author }) => (
              <>
                <Link to={`/imports/${id}`} className={styles.link}>
                  <span className={styles.name}>{filename}</span>
                </Link>
                <div className={styles.muted}>{t('imports.by', { name: author.name ?? '' })}</div>
              </>
            ),
          },
          { id: 'state', title: t('imports.state'), cell: (row) => <State of={row} /> },
          ...(['created', 'updated', 'failed'] as const).map((name) => ({
            id: name,
            title: t(name === 'failed' ? 'imports.issues' : `imports.${name}`),
            align: 'end' as const,
            isExtra: true,
            cell: (row: Import) => formatNumber(row[name]),
          })),
          {
            id: 'when',
            title: t('imports.when'),
            align: 'end',
            isExtra: true,
            cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
          },
          ...actions,
        ]}
      />
      {deleted && <DeleteFileDialog of={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

function State({ of }: { of: Import }) {
  const { t, formatNumber } = useTranslator();
  const { status, total, created, updated, skipped, failed, dryRun } = of;
  return (
    <>
      <Badge look={LOOKS[status]}>{t(`imports.status.${status}`)}</Badge>{' '}
      {dryRun && <Badge>{t('imports.dryRun')}</Badge>}
      {status === 'running' && total !== null && (
        <div className={styles.numbers}>
          {t('imports.progress', {
            done: formatNumber(created + updated + skipped + failed),
            total: formatNumber(total),
          })}
        </div>
      )}
    </>
  );
}

/** A file that an import needs is deleted only by those who insist. */
function DeleteFileDialog({ of: { fileId, filename }, onClose }: { of: Import; onClose: () => void }) {
  const t = useText();
  const [isUsed, setIsUsed] = useState(false);
  const remove = useWrite(
    () =>
      deleteFile(client, { path: { fileId }, ...(isUsed ? { query: { force: true } } : {}) }).catch(
        (error) => {
          setIsUsed(statusOf(error) === 409);
          throw error;
        },
      ),
    { showsError: true, done: 'imports.fileDeleted', onSuccess: onClose },
  );
  return (
    <ConfirmDialog
      title={t('imports.deleteFile')}
      text={t('imports.deleteFileText', { name: filename })}
      action={t(isUsed ? 'action.deleteAnyway' : 'action.delete')}
      write={remove}
      onClose={onClose}
    />
  );
}
