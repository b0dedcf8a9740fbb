import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react';
import { isPicture, useFilePath } from '../../api/files.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Attachment, isStoredFile } from './attachment.ts';
import styles from './composer.module.css';

const MAX_LINES = 10;

interface ComposerFieldProps {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  placeholder: string;
  text: string;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** Undefined: files cannot be pasted. */
  onFiles: ((files: Iterable<File>) => void) | undefined;
}

/** Grows with its text. */
export function ComposerField({
  field,
  label,
  placeholder,
  text,
  onChange,
  onKeyDown,
  onFiles,
}: ComposerFieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <textarea
        ref={field}
        id={id}
        className={styles.field}
        rows={Math.min(MAX_LINES, Math.max(2, text.split('\n').length))}
        dir="auto"
        placeholder={placeholder}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (!onFiles || event.clipboardData.files.length === 0) return;
          event.preventDefault();
          onFiles(event.clipboardData.files);
        }}
      />
    </>
  );
}

/** The message that the reply answers. */
export function QuotedMessage({ text, onRemove }: { text: string; onRemove: () => void }) {
  const t = useText();
  return (
    <div className={styles.quoted}>
      <span className={styles.quotedText} dir="auto">
        <span className="visually-hidden">{t('composer.answers')} </span>
        {text}
      </span>
      <IconButton icon="close" label={t('composer.answersNone')} onClick={onRemove} />
    </div>
  );
}

/** A picture of the server, or of the person's own device, before anybody else has it. */
function Thumbnail({ file }: { file: Attachment }) {
  const pathOf = useFilePath();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (isStoredFile(file)) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  // The name stands beside it.
  const src = isStoredFile(file) ? pathOf(file.fileId) : url;
  return src === undefined ? null : <img className={styles.thumbnail} src={src} alt="" />;
}

interface AttachedFilesProps {
  files: readonly Attachment[];
  onChange: (files: readonly Attachment[]) => void;
}

export function AttachedFiles({ files, onChange }: AttachedFilesProps) {
  const { t, formatBytes } = useTranslator();
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t('composer.files')}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
        <li key={index} className={styles.file}>
          {isPicture(file.type) ? <Thumbnail file={file} /> : <Icon name="attach" />}
          <span dir="auto">{file.name}</span>
          {file.size !== null && <span className={styles.meta}>{formatBytes(file.size)}</span>}
          <IconButton
            icon="close"
            label={t('composer.removeFile', { name: file.name })}
            onClick={() => onChange(files.filter((_, other) => other !== index))}
          />
        </li>
      ))}
    </ul>
  );
}
