import { type SavedReply, uploadFile } from '@parley/sdk';
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
  return (
    <>
      <Field label={t('replies.files')} help={upload.isPending ? t('state.loading') : t('replies.filesHelp')}>
        {(control) => (
          <input
            {...control}
            type="file"
            multiple
            disabled={upload.isPending || files.length >= MAX_FILES}
            onChange={({ target }) => {
              upload.mutate([...(target.files ?? [])].slice(0, MAX_FILES - files.length));
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
                onClick={() => onRemove(fileId)}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
