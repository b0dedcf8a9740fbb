import { createLabel, deleteLabel, type Label, searchImports } from '@parley/sdk';
import { lazy, Suspense, useRef } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Draft } from './use-draft.ts';

const ImportDialog = lazy(async () => ({
  default: (await import('../../imports/import-dialog.tsx')).ImportDialog,
}));

/** So much of the campaign's name is in that of the label. */
const MAX_NAME = 40;

/** The people of a file: it is imported, everybody in it gets a label, and those with the label are the audience. */
export function ByFile({ draft: { campaign, change }, onDone }: { draft: Draft; onDone: () => void }) {
  const { t, formatDate } = useTranslator();
  const isImported = useRef(false);
  const begin = useWrite(
    () => {
      const now = new Date();
      const name = [...campaign.name].slice(0, MAX_NAME).join('');
      const time = formatDate(now, 'dateTime');
      return createLabel(client, { body: { name: t('campaigns.fileLabel', { name, time }) } });
    },
    { invalidates: [['labels']] },
  );
  const use = (labelId: string): void => {
    isImported.current = true;
    change({ audience: `in(labelIds,"${labelId}")`, segmentId: null });
  };
  const settle = useWrite(
    async (label: Label) => {
      const { items } = await searchImports(client, { body: { pagination: { limit: 10 } } });
      // One that goes on in the background needs its label, and who it brings belongs to the audience as well.
      if (items.some(({ labelIds, dryRun }) => !dryRun && labelIds.includes(label.id))) use(label.id);
      else await deleteLabel(client, { path: { labelId: label.id } });
    },
    { invalidates: [['labels']], onSuccess: () => isImported.current && onDone() },
  );
  const label = begin.data;
  const close = (): void => {
    if (isImported.current) onDone();
    // A label that nobody has would only be in the way.
    else if (label) settle.mutate(label);
    begin.reset();
  };
  return (
    <>
      <div>
        <Button icon="upload" isBusy={begin.isPending} onClick={() => begin.mutate()}>
          {t('campaigns.chooseFile')}
        </Button>
      </div>
      {label && (
        <Suspense fallback={null}>
          <ImportDialog
            labelIds={[label.id]}
            onDone={({ labelIds }) => use(labelIds[0] ?? label.id)}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
