import { type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './phone.module.css';

const MAX_LINES = 5;

interface WriterProps {
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (text: string, files: readonly File[]) => void;
}

/** Where the customer writes. */
export function Writer({ field, onSend }: WriterProps) {
  const t = useText();
  const id = useId();
  const chooser = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const isEmpty = text.trim() === '' && files.length === 0;

  function send(): void {
    if (isEmpty) return;
    onSend(text.trim(), files);
    setText('');
    setFiles([]);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    // With Ctrl as well: the answer that stands beside the phone is not sent by this.
    event.preventDefault();
    send();
  }
  return (
    <div className={styles.writer}>
      {files.length > 0 && (
        <ul className={styles.files} aria-label={t('composer.files')}>
          {files.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
            <li key={index} className={styles.file}>
              <Icon name="attach" />
              <span className={styles.filename} dir="auto">
                {file.name}
              </span>
              <IconButton
                icon="close"
                label={t('composer.removeFile', { name: file.name })}
                onClick={() => setFiles(files.filter((_, other) => other !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <div className={styles.bar}>
        <IconButton icon="attach" label={t('phone.attach')} onClick={() => chooser.current?.click()} />
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          data-phone-files=""
          onChange={(event) => {
            setFiles([...files, ...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <label htmlFor={id} className="visually-hidden">
          {t('phone.write')}
        </label>
        <textarea
          ref={field}
          id={id}
          className={styles.field}
          rows={Math.min(MAX_LINES, text.split('\n').length)}
          dir="auto"
          placeholder={t('phone.write')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton
          icon="send"
          label={t('phone.send')}
          disabled={isEmpty}
          onClick={send}
          className={styles.send}
        />
      </div>
    </div>
  );
}
