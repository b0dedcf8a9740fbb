import type { Message } from '@parley/sdk';
import type { RefObject } from 'react';
import { describeError } from '../../api/errors.ts';
import { MessageMenu } from '../../explain/message-menu.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import type { ComposerHandle } from './composer.tsx';
import { useMessageActions } from './message-actions.ts';
import { Choices, MessageContent, PlainText } from './message-content.tsx';
import { discardOutgoing, retryOutgoing } from './outgoing.ts';
import { entryId } from './target.ts';
import styles from './thread.module.css';
import type { Outgoing } from './thread-items.ts';

/** The time of day, with everything on hover. */
export function Clock({ at }: { at: string }) {
  const { formatDate } = useTranslator();
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatDate(date, 'full')}>
      {formatDate(date, 'time')}
    </time>
  );
}

/** How far an outgoing message got, as signs and as a word. */
function Status({ status, scheduledAt }: Pick<Message, 'status' | 'scheduledAt'>) {
  const { t, formatDate } = useTranslator();
  if (status === 'failed') return null;
  const word =
    status === 'queued' && scheduledAt
      ? t('message.scheduled', { at: formatDate(new Date(scheduledAt), 'dateTime') })
      : t(`message.status.${status}`);
  const signs = { queued: '○', sent: '✓', delivered: '✓✓', read: '✓✓' }[status];
  return (
    <span className={classes(styles.status, status === 'read' && styles.read)} title={word}>
      <span aria-hidden="true">{signs}</span> {word}
    </span>
  );
}

interface MessageEntryProps {
  message: Message;
  /** The message that it answers, in one line. */
  replied: string | undefined;
  isTarget: boolean;
  composer: RefObject<ComposerHandle | null>;
}

export function MessageEntry({ message, replied, isTarget, composer }: MessageEntryProps) {
  const { t, translate } = useTranslator();
  const actions = useMessageActions(message, composer);
  const { sender, status, error, editedAt, deletedAt, isAutomatic, scheduledAt, timestamp } = message;
  return (
    <div
      id={entryId(message.id)}
      className={classes(styles.bubble, status === 'failed' && styles.bad, isTarget && styles.target)}
    >
      {replied !== undefined && (
        <p className={styles.replied} dir="auto">
          {replied}
        </p>
      )}
      <MessageContent message={message} />
      {status === 'failed' && (
        <p className={styles.reason}>
          <Icon name="warning" />
          <span>
            {t('message.failed')}
            {error && `: ${translate(error.message)}`}
          </span>
        </p>
      )}
      {/* The spaces are not seen: they keep a number at the end of the text and the time apart where a bubble is read as a text. */}{' '}
      <p className={styles.foot}>
        {isAutomatic && <span>{t('message.automatic')}</span>}{' '}
        {editedAt && !deletedAt && <span>{t('message.edited')}</span>} <Clock at={timestamp} />{' '}
        {sender === 'outbound' && !deletedAt && <Status status={status} scheduledAt={scheduledAt} />}
      </p>
      <MessageMenu
        messageId={message.id}
        isInbound={sender === 'inbound'}
        more={actions}
        className={styles.ask}
      />
    </div>
  );
}

export function OutgoingEntry({ outgoing }: { outgoing: Outgoing }) {
  const t = useText();
  const { key, text, files, body, error } = outgoing;
  return (
    <div className={classes(styles.bubble, error ? styles.bad : styles.sending)}>
      {files.map(({ name }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
        <p key={index} className={styles.file} dir="auto">
          <Icon name="attach" />
          {name}
        </p>
      ))}
      {text !== '' && <PlainText text={text} />}
      <Choices content={body.interactive} />
      {error ? (
        <>
          <p className={styles.reason} role="alert">
            <Icon name="warning" />
            <span>
              {t('message.notSent')}: {describeError(error, t)}
            </span>
          </p>
          <div className={styles.retry}>
            <Button onClick={() => retryOutgoing(key)}>{t('error.again')}</Button>
            <Button look="quiet" onClick={() => discardOutgoing(key)}>
              {t('message.discard')}
            </Button>
          </div>
        </>
      ) : (
        <p className={styles.foot}>
          <span className={styles.status}>
            <span aria-hidden="true">○</span> {t('message.sending')}
          </span>
        </p>
      )}
    </div>
  );
}
