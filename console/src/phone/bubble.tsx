import type { Message } from '@parley/sdk';
import { type ReactNode, useState } from 'react';
import { textIn } from '../api/content.ts';
import { describeError } from '../api/errors.ts';
import { isPicture, useFilePath } from '../api/files.ts';
import { useText, useTranslator } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './bubble.module.css';
import { Choices } from './choice-buttons.tsx';
import { type Content, discardWritten, retryWritten, type Written } from './written.ts';

/** A message as the customer sees it. What did not arrive is shown too, because nobody else is looking. */
export function MessageBubble({ message, onTap }: { message: Message; onTap: (content: Content) => void }) {
  const t = useText();
  const { sender, status, error, deletedAt } = message;
  const isOwn = sender === 'inbound';
  const isMissing = status === 'queued' || status === 'failed';
  return (
    <div className={classes(styles.row, isOwn && styles.own)}>
      <div
        className={classes(styles.bubble, isMissing && styles.missing, status === 'failed' && styles.bad)}
        data-message={message.id}
      >
        {deletedAt ? <p className={styles.muted}>{t('message.deleted')}</p> : <Body message={message} />}
        {status === 'failed' && (
          <p className={styles.reason}>
            <Icon name="warning" />
            <span>
              {t('phone.notArrived')}
              {error && `: ${error.message}`}
            </span>
          </p>
        )}
        <Foot at={message.timestamp}>{stateOf(message, t)}</Foot>
      </div>
      {!isOwn && !isMissing && !deletedAt && <Choices message={message} onTap={onTap} />}
    </div>
  );
}

/** How far it got: what the business wrote by its status, and what the customer wrote has arrived. */
function stateOf({ sender, status }: Message, t: ReturnType<typeof useText>): string | undefined {
  if (sender === 'inbound') return `✓✓ ${t('phone.arrived')}`;
  if (status === 'failed') return undefined;
  return status === 'queued' ? t('phone.onItsWay') : t(`message.status.${status}`);
}

function Foot({ at, children }: { at: string; children: ReactNode }) {
  const { formatDate } = useTranslator();
  const date = new Date(at);
  return (
    <p className={styles.foot}>
      <time dateTime={at} title={formatDate(date, 'full')}>
        {formatDate(date, 'time')}
      </time>
      {children && <span>{children}</span>}
    </p>
  );
}

function Body({ message }: { message: Message }) {
  const t = useText();
  const { text, content, media, type } = message;
  const title = textIn(content, 'subject') ?? textIn(content, 'header', 'text');
  const emoji = textIn(content, 'emoji');
  const shown = text ?? textIn(content, 'title') ?? (emoji && t('message.reacted', { emoji }));
  const footer = textIn(content, 'footer');
  return (
    <>
      {title && (
        <p className={styles.subject} dir="auto">
          {title}
        </p>
      )}
      {media.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message keeps the order of its files
        <Media key={index} media={one} />
      ))}
      {shown ? (
        <p className={styles.text} dir="auto">
          {shown}
        </p>
      ) : (
        media.length === 0 && (
          <p className={styles.muted}>
            {t(type === 'location' ? 'message.type.location' : 'message.type.other')}
          </p>
        )
      )}
      {footer && (
        <p className={styles.muted} dir="auto">
          {footer}
        </p>
      )}
    </>
  );
}

function Media({ media: { fileId, mimeType, filename, error } }: { media: Message['media'][number] }) {
  const t = useText();
  const pathOf = useFilePath();
  const [isBroken, setIsBroken] = useState(false);
  const name = filename ?? t('message.type.document');
  if (fileId === null || error)
    return (
      <p className={styles.file} dir="auto">
        <Icon name={error ? 'warning' : 'attach'} /> {name}
      </p>
    );
  if (!isBroken && isPicture(mimeType))
    return (
      <img className={styles.picture} src={pathOf(fileId)} alt={name} onError={() => setIsBroken(true)} />
    );
  if (mimeType?.startsWith('audio/'))
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody has written captions
      <audio className={styles.player} controls preload="metadata" src={pathOf(fileId)} aria-label={name} />
    );
  return (
    <a className={styles.file} href={pathOf(fileId)} download={name} dir="auto">
      <Icon name="attach" /> {name}
    </a>
  );
}

/** A message that is on its way, or was refused. */
export function WrittenBubble({ written }: { written: Written }) {
  const t = useText();
  const { key, content, files, at, vendorId, error } = written;
  return (
    <div className={classes(styles.row, styles.own)}>
      <div className={classes(styles.bubble, error ? styles.bad : undefined)}>
        {files.map(({ name }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
          <p key={index} className={styles.file} dir="auto">
            <Icon name="attach" /> {name}
          </p>
        ))}
        {content.text && (
          <p className={styles.text} dir="auto">
            {content.text}
          </p>
        )}
        {error ? (
          <>
            <p className={styles.reason} role="alert">
              <Icon name="warning" />
              <span>
                {t('message.notSent')}: {describeError(error, t)}
              </span>
            </p>
            <div className={styles.retry}>
              <Button onClick={() => retryWritten(key)}>{t('error.again')}</Button>
              <Button look="quiet" onClick={() => discardWritten(key)}>
                {t('message.discard')}
              </Button>
            </div>
          </>
        ) : (
          <Foot at={at}>
            {vendorId === undefined ? t('message.sending') : `✓ ${t('message.status.sent')}`}
          </Foot>
        )}
      </div>
    </div>
  );
}
