import { uploadFile } from '@parley/sdk';
import { useRef } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './wizard.module.css';

interface ChosenFile {
  fileId: string;
  filename: string;
}

interface FileFieldProps {
  label: string;
  /** Such as `image/*`. */
  accept?: string | undefined;
  file: { fileId?: string | undefined; url?: string | undefined; filename?: string | undefined } | undefined;
  onChange: (file: ChosenFile | undefined) => void;
  error?: string | undefined;
}

/** A file that goes with the message. It is uploaded once, for everybody. */
export function FileField({ label, accept, file, onChange, error }: FileFieldProps) {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  const upload = useWrite((chosen: File) => uploadFile(client, { body: { file: chosen } }), {
    onSuccess: ({ id, filename }) => onChange({ fileId: id, filename }),
  });
  return (
    <div className={styles.file}>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) upload.mutate(chosen);
          event.target.value = '';
        }}
      />
      {file === undefined ? (
        <Button icon="attach" isBusy={upload.isPending} onClick={() => input.current?.click()}>
          {label}
        </Button>
      ) : (
        <span className={styles.chosenFile}>
          <Icon name="attach" />
          <span className={styles.fileName} dir="auto">
            {file.filename ?? file.url ?? label}
          </span>
          <IconButton icon="close" label={t('campaigns.removeFile')} onClick={() => onChange(undefined)} />
        </span>
      )}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
