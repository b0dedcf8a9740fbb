import { type Channel, type ChannelCheck, checkChannel, deleteChannel } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import styles from './channels.module.css';
import { CHANNELS_KEY } from './data.ts';

interface ChannelDialogProps {
  channel: Channel;
  onClose: () => void;
}

/** Asks the vendor. */
export const useCheck = (channelId: string) =>
  useWrite(() => checkChannel(client, { path: { channelId } }), {
    invalidates: [CHANNELS_KEY],
    showsError: true,
  });

/** Everything that keeps a channel from working. */
export function CheckResult({ check }: { check: { data: ChannelCheck | undefined; error: unknown } }) {
  const t = useText();
  const { data, error } = check;
  if (error) return <ErrorNotice error={error} />;
  if (!data) return null;
  return data.ok ? (
    <p>
      <Badge look="good">{t('channels.health.healthy')}</Badge> {t('channels.checkOk')}
    </p>
  ) : (
    <>
      <p>{t('channels.checkBad')}</p>
      <ul className={styles.problems}>
        {data.problems.map(({ path, message }) => (
          <li key={`${path} ${message}`} className={styles.problem}>
            {path !== undefined && <code>{path}</code>} {message}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Asks the vendor at once, and shows what it says. */
export function CheckDialog({ channel, onClose }: ChannelDialogProps) {
  const t = useText();
  const check = useCheck(channel.id);
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
      {check.isPending ? <Skeleton lines={2} /> : <CheckResult check={check} />}
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
