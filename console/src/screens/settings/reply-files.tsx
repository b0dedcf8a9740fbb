import { type SavedReply, uploadFile } from '@parley/sdk';
import { useRef, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './settings.module.css';

type ReplyFile = SavedReply['media'][number];

const MAX_FILES = 10;

interface ReplyFilesProps {
  files: readonly ReplyFile[];
  onAdd: (file: ReplyFile) => void;
  onRemove: (fileId: string) => void;
  /** While files are uploaded, the reply cannot be saved without them. */
  onBusy: (isBusy: boolean) => void;
}

/** The files that are sent with a saved reply. */
export function ReplyFiles({ files, onAdd, onRemove, onBusy }: ReplyFilesProps) {
  const { t, formatBytes } = useTranslator();
  const input = useRef<HTMLInputElement>(null);
  const [leftOut, setLeftOut] = useState<readonly File[]>([]);
  const upload = useWrite(async (chosen: readonly File[]) => {
    onBusy(true);
    try {
      for (const file of chosen) {
        const { id, filename, mimeType, size } = await uploadFile(client, {
          body: { file, isPrivate: true },
        });
        onAdd({ fileId: id, filename, mimeType, size });
      }
    } finally {
      onBusy(false);
    }
  });
  function add(chosen: readonly File[]): void {
    const free = MAX_FILES - files.length;
    setLeftOut(chosen.slice(free));
    if (free > 0) upload.mutate(chosen.slice(0, free));
  }
  return (
    <>
      <Field
        label={t('replies.files')}
        help={upload.isPending ? t('state.loading') : t('replies.filesHelp')}
        error={
          leftOut.length === 0
            ? undefined
            : t('replies.filesLeftOut', { names: leftOut.map(({ name }) => name).join(', ') })
        }
      >
        {(control) => (
          <input
            {...control}
            ref={input}
            type="file"
            multiple
            // If it were disabled, it would lose the focus.
            aria-disabled={upload.isPending || undefined}
            onClick={(event) => upload.isPending && event.preventDefault()}
            onChange={({ target }) => {
              if (!upload.isPending) add([...(target.files ?? [])]);
              target.value = '';
            }}
          />
        )}
      </Field>
      {files.length > 0 && (
        <ul className={styles.files} aria-label={t('replies.files')}>
          {files.map(({ fileId, filename, size }) => (
            <li key={fileId} className={styles.file}>
              <Icon name="attach" />
              <span dir="auto">{filename}</span>
              <span className={styles.size}>{formatBytes(size)}</span>
              <IconButton
                icon="close"
                label={t('composer.removeFile', { name: filename })}
                onClick={() => {
                  setLeftOut([]);
                  onRemove(fileId);
                  // The button is gone with its row.
                  input.current?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
