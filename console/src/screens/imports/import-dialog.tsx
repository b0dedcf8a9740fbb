import { type CreateImportBody, createImport, examineImport, type Import } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useUnusedFiles } from '../../api/unused-files.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice, Warning } from '../../ui/notices.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ChooseFile } from './choose-file.tsx';
import { ColumnTable, FirstRows } from './column-table.tsx';
import { type Field, findLocalNumber, firstFields, IMPORTS_KEY } from './data.ts';
import { JobStep } from './job-step.tsx';
import { type Delimiter, type Encoding, FormatFields, SettingFields, type Settings } from './settings.tsx';
import { type UploadedTable, uploadTable } from './upload.ts';

interface ImportDialogProps {
  /** Called once, when all rows have been imported. The window stays open and shows what came of it. */
  onDone?: (done: Import) => void;
  onClose: () => void;
  /** Labels that are chosen at first. */
  labelIds?: readonly string[];
}

const FIRST_SETTINGS: Settings = {
  country: '',
  onExisting: 'update',
  triggerAutomations: false,
  labelIds: [],
};

/**
 * Imports contacts from a file: choose it, say what its columns are, check the rows, import them. Closing the window does
 * not end an import.
 */
export function ImportDialog({ onDone, onClose, labelIds = [] }: ImportDialogProps) {
  const t = useText();
  const toast = useToast();
  const navigate = useNavigate();
  const [table, setTable] = useState<UploadedTable>();
  const [fields, setFields] = useState<Field[]>([]);
  const [settings, setSettings] = useState<Settings>({ ...FIRST_SETTINGS, labelIds: [...labelIds] });
  /** The check or the import that is shown. */
  const [job, setJob] = useState<Import>();
  /** The file is full of personal data: what is not used is not kept. */
  const unused = useUnusedFiles();

  const take = (next: UploadedTable): void => {
    unused.add(next.fileId);
    setTable(next);
    setFields(firstFields(next.examined.columns));
  };
  const upload = useWrite(uploadTable, { showsError: true, onSuccess: take });
  const examine = useWrite(
    (format: { encoding: Encoding; delimiter: Delimiter }) =>
      examineImport(client, { body: { fileId: table?.fileId as string, ...format } }),
    {
      showsError: true,
      onSuccess: (examined) => {
        if (!table) return;
        setTable({ ...table, examined });
        setFields(firstFields(examined.columns));
      },
    },
  );
  const start = useWrite(
    (dryRun: boolean) => unused.keepFor(() => createImport(client, { body: bodyOf(dryRun) })),
    { invalidates: [IMPORTS_KEY], showsError: true, onSuccess: setJob },
  );

  function bodyOf(dryRun: boolean): CreateImportBody {
    const { fileId, examined } = table as UploadedTable;
    return {
      fileId,
      dryRun,
      mapping: Object.fromEntries(
        examined.columns.flatMap(({ name }, index) =>
          fields[index] ? [[name, fields[index]] as const] : [],
        ),
      ),
      onExisting: settings.onExisting,
      triggerAutomations: settings.triggerAutomations,
      labelIds: settings.labelIds,
      encoding: examined.encoding,
      delimiter: examined.delimiter,
      ...(settings.country !== '' && fields.includes('phoneNumber') && { defaultCountry: settings.country }),
    };
  }
  const dropTable = (): void => {
    if (table) unused.discard(table.fileId);
    setTable(undefined);
    start.reset();
    examine.reset();
  };
  const close = (isStillRunning = false): void => {
    dropTable();
    onClose();
    if (job && isStillRunning)
      toast({
        text: t('imports.closedRunning'),
        action: { label: t('imports.show'), run: () => void navigate({ to: `/imports/${job.id}` }) },
      });
  };

  if (job)
    return (
      <JobStep
        key={job.id}
        importId={job.id}
        onBack={() => {
          setJob(undefined);
          start.reset();
        }}
        onStart={() => start.mutate(false)}
        isStarting={start.isPending}
        error={start.error}
        onDone={onDone}
        onClose={close}
      />
    );
  if (!table)
    return (
      <Dialog title={t('imports.new')} onClose={() => close()} isWide>
        <ChooseFile
          busyWith={upload.isPending ? upload.variables.name : undefined}
          error={upload.error}
          onChoose={(file) => upload.mutate(file)}
        />
      </Dialog>
    );

  const { examined, name } = table;
  const hasHandle = fields.includes('phoneNumber') || fields.includes('email');
  const local = settings.country === '' ? findLocalNumber(examined.columns, fields) : undefined;
  const isBusy = start.isPending || examine.isPending;
  return (
    <Dialog
      title={name}
      onClose={() => close()}
      isWide
      actions={
        <>
          <Button look="quiet" onClick={dropTable}>
            {t('imports.otherFile')}
          </Button>
          <Button disabled={!hasHandle || isBusy} onClick={() => start.mutate(false)}>
            {t('imports.withoutCheck')}
          </Button>
          <Button
            look="primary"
            isBusy={isBusy}
            disabled={!hasHandle}
            onClick={() => start.mutate(true)}
            autoFocus
          >
            {t('imports.check')}
          </Button>
        </>
      }
    >
      {!hasHandle && <Warning>{t('imports.needsHandle')}</Warning>}
      {local !== undefined && <Warning>{t('imports.needsCountry', { sample: local })}</Warning>}
      <ColumnTable columns={examined.columns} fields={fields} onChange={setFields} />
      <FirstRows columns={examined.columns} rows={examined.rows} />
      <FormatFields
        encoding={examined.encoding}
        delimiter={examined.delimiter}
        onChange={(format) => examine.mutate(format)}
      />
      {examine.error ? <ErrorNotice error={examine.error} /> : null}
      <SettingFields settings={settings} hasNumbers={fields.includes('phoneNumber')} onChange={setSettings} />
      {start.error ? <ErrorNotice error={start.error} /> : null}
    </Dialog>
  );
}
