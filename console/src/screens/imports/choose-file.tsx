import { type DragEvent, useState } from 'react';
import { basePath } from '../../api/client.ts';
import { useText } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import styles from './imports.module.css';

const ACCEPTED = '.csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values,text/plain';

interface ChooseFileProps {
  /** The file that is being read. */
  busyWith: string | undefined;
  error: unknown;
  onChoose: (file: File) => void;
}

/** A place to drop a file, and a button to choose one. */
export function ChooseFile({ busyWith, error, onChoose }: ChooseFileProps) {
  const t = useText();
  const [isOver, setIsOver] = useState(false);
  const [hasSeveral, setHasSeveral] = useState(false);
  const take = (files: FileList | null): void => {
    setHasSeveral((files?.length ?? 0) > 1);
    const file = files?.length === 1 ? files[0] : undefined;
    if (file && busyWith === undefined) onChoose(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <>
      <label
        className={classes(styles.drop, isOver && styles.dropOver)}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <input
          type="file"
          className="visually-hidden"
          data-autofocus
          accept={ACCEPTED}
          disabled={busyWith !== undefined}
          // The same file may be chosen again, after it was corrected.
          onClick={(event) => {
            event.currentTarget.value = '';
          }}
          onChange={(event) => take(event.target.files)}
        />
        <span className={styles.dropIcon}>
          <Icon name="upload" />
        </span>
        <span className={styles.dropTitle}>{t('imports.drop')}</span>
      </label>
      <p className={styles.muted}>
        {t('imports.dropHelp')}{' '}
        <a href={`${basePath}/docs/guides/import-contacts`} target="_blank" rel="noreferrer">
          {t('imports.guide')}
        </a>{' '}
        <a href={`${basePath}/console/imports`} target="_blank" rel="noreferrer">
          {t('imports.earlier')}
        </a>
      </p>
      {hasSeveral && (
        <p className={styles.bad} role="alert">
          {t('imports.oneFile')}
        </p>
      )}
      {busyWith !== undefined && (
        <div role="status">
          <ProgressBar label={t('imports.reading', { name: busyWith })} share={undefined} />
          <p className={styles.muted}>{t('imports.reading', { name: busyWith })}</p>
        </div>
      )}
      {error ? <ErrorNotice error={error} /> : null}
    </>
  );
}
