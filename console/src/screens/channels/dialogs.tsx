import { type Channel, checkChannel, deleteChannel } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { statusOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import styles from './channels.module.css';
import { CHANNELS_KEY } from './key.ts';
import { providerOf } from './providers.ts';

interface ChannelDialogProps {
  channel: Channel;
  onClose: () => void;
}

/** Asks the vendor at once, and shows everything that keeps the channel from working. */
export function CheckDialog({ channel, onClose }: ChannelDialogProps) {
  const t = useText();
  const check = useWrite(() => checkChannel(client, { path: { channelId: channel.id } }), {
    invalidates: [CHANNELS_KEY],
    showsError: true,
  });
  const { mutate } = check;
  useEffect(() => mutate(), [mutate]);
  return (
    <Dialog
      title={t('channels.checkTitle', { name: channel.name })}
      onClose={onClose}
      actions={
        <>
          <Button isBusy={check.isPending} onClick={() => check.mutate()}>
            {t('error.again')}
          </Button>
          <Button onClick={onClose}>{t('action.close')}</Button>
        </>
      }
    >
      {check.isPending && <Skeleton lines={2} />}
      {check.error ? <ErrorNotice error={check.error} /> : null}
      {check.data?.ok === true && (
        <p>
          <Badge look="good">{t('channels.health.healthy')}</Badge> {t('channels.checkOk')}
        </p>
      )}
      {check.data?.ok === false && (
        <>
          <p>{t('channels.checkBad')}</p>
          <ul className={styles.problems}>
            {check.data.problems.map(({ path, message }) => (
              <li key={`${path} ${message}`} className={styles.problem}>
                {path !== undefined && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

interface WebhookDialogProps extends ChannelDialogProps {
  isNew: boolean;
  onCheck: () => void;
}

/** The address that the vendor must know. */
export function WebhookDialog({ channel, isNew, onClose, onCheck }: WebhookDialogProps) {
  const t = useText();
  const webhook = providerOf(channel)?.webhook;
  return (
    <Dialog
      title={isNew ? t('channels.ready', { name: channel.name }) : t('channels.webhook')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('action.close')}</Button>
          <Button look="primary" onClick={onCheck}>
            {t('channels.check')}
          </Button>
        </>
      }
    >
      {webhook && (
        <>
          <p>{t('channels.webhookText')}</p>
          <CopyText text={`${location.origin}${basePath}${webhook(channel.id)}`} />
        </>
      )}
    </Dialog>
  );
}

/** A channel that a campaign uses is deleted only by those who insist. */
export function DeleteDialog({ channel, onClose }: ChannelDialogProps) {
  const t = useText();
  const [isUsed, setIsUsed] = useState(false);
  const remove = useWrite(
    () =>
      deleteChannel(client, {
        path: { channelId: channel.id },
        ...(isUsed ? { query: { force: true } } : {}),
      }).catch((error) => {
        setIsUsed(statusOf(error) === 409);
        throw error;
      }),
    { invalidates: [CHANNELS_KEY, ['teams']], done: 'deleted', showsError: true, onSuccess: onClose },
  );
  return (
    <ConfirmDialog
      title={t('channels.deleteTitle', { name: channel.name })}
      text={t('channels.deleteText', { name: channel.name, address: channel.address })}
      action={t(isUsed ? 'action.deleteAnyway' : 'action.delete')}
      typed={channel.name}
      write={remove}
      onClose={onClose}
    />
  );
}
