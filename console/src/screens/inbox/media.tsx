import type { Message } from '@parley/sdk';
import { useState } from 'react';
import { isPicture, useFilePath } from '../../api/files.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './thread.module.css';

type Media = Message['media'][number];

/** A file of a message: a picture, something to play, or a link. */
export function MediaItem({ media }: { media: Media }) {
  const { t, formatBytes } = useTranslator();
  const pathOf = useFilePath();
  const [isBroken, setIsBroken] = useState(false);
  const { fileId, mimeType, filename, size, error } = media;
  const name = filename ?? t('message.type.document');
  if (error) return <MissingFile name={name} text={error.message} />;
  if (fileId === null) return <MissingFile name={name} text={t('message.fetching')} />;
  const path = pathOf(fileId);
  if (!isBroken && isPicture(mimeType))
    return (
      <a href={path} target="_blank" rel="noreferrer" className={styles.picture}>
        <img src={path} alt={name} loading="lazy" onError={() => setIsBroken(true)} />
      </a>
    );
  if (mimeType?.startsWith('audio/'))
    // biome-ignore lint/a11y/useMediaCaption: customers send no captions
    return <audio className={styles.player} controls preload="metadata" src={path} aria-label={name} />;
  if (mimeType?.startsWith('video/'))
    // biome-ignore lint/a11y/useMediaCaption: customers send no captions
    return <video className={styles.player} controls preload="metadata" src={path} aria-label={name} />;
  return (
    <a className={styles.file} href={path} download={name}>
      <Icon name="attach" />
      <span className={styles.filename} dir="auto">
        {name}
      </span>
      {size !== null && <span className={styles.meta}>{formatBytes(size)}</span>}
    </a>
  );
}

const MissingFile = ({ name, text }: { name: string; text: string }) => (
  <span className={styles.file}>
    <Icon name="warning" />
    <span className={styles.filename} dir="auto">
      {name}
    </span>
    <span className={styles.meta}>{text}</span>
  </span>
);
