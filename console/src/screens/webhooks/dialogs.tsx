import {
  type ApiWebhook,
  deleteApiWebhook,
  recoverApiWebhook,
  retryWebhookDeliveries,
  rotateApiWebhookSecret,
  type StartedJob,
} from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { JobDialog } from '../../ui/job-dialog.tsx';
import { LostAnswer } from '../../ui/lost-answer.tsx';
import { WEBHOOKS_KEY } from './data.ts';

interface WebhookDialogProps {
  webhook: ApiWebhook;
  onClose: () => void;
}

interface SecretDialogProps {
  secret: string;
  /** After a replacement: how long the one before is valid. */
  oldUntil?: string | undefined;
  onClose: () => void;
}

/** The secret, which is shown this once. */
export function SecretDialog({ secret, oldUntil, onClose }: SecretDialogProps) {
  const { t, formatDate } = useTranslator();
  return (
    <Dialog
      title={t('webhooks.secret')}
      isShownOnce
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('webhooks.copied')}
        </Button>
      }
    >
      <p>{t('webhooks.secretOnce')}</p>
      <CopyText text={secret} />
      {oldUntil !== undefined && (
        <p>{t('webhooks.oldUntil', { time: formatDate(new Date(oldUntil), 'full') })}</p>
      )}
    </Dialog>
  );
}

export function RotateDialog({ webhook, onClose }: WebhookDialogProps) {
  const t = useText();
  const rotate = useWrite(() => rotateApiWebhookSecret(client, { path: { webhookId: webhook.id } }), {
    showsError: true,
  });
  if (rotate.data)
    return (
      <SecretDialog secret={rotate.data.secret} oldUntil={rotate.data.oldSecretUntil} onClose={onClose} />
    );
  return (
    <FormDialog
      title={t('webhooks.rotate')}
      submit={t('webhooks.rotate')}
      onSubmit={() => rotate.mutate()}
      // The answer has the new secret.
      onClose={() => rotate.isPending || onClose()}
      isBusy={rotate.isPending}
      error={rotate.error}
    >
      <p>{t('webhooks.rotateText')}</p>
      <LostAnswer error={rotate.error} text={t('webhooks.rotateLost')} />
    </FormDialog>
  );
}

const DAY_MS = 86_400_000;

/** A time as `<input type="datetime-local">` has it: that of the person. */
function localTime(date: Date): string {
  const minutes = date.getTime() - date.getTimezoneOffset() * 60_000;
  return new Date(minutes).toISOString().slice(0, 16);
}

/** One call takes 10,000 events; the server says where to go on. */
async function recoverAll(webhookId: string, since: string, until: string | undefined): Promise<number> {
  let count = 0;
  for (let next: string | null = since; next !== null; ) {
    const body: { since: string; until?: string } = { since: next, ...(until !== undefined && { until }) };
    const result = await recoverApiWebhook(client, { path: { webhookId }, body });
    count += result.count;
    next = result.nextSince;
  }
  return count;
}

export function RecoverDialog({ webhook, onClose }: WebhookDialogProps) {
  const t = useText();
  const [since, setSince] = useState(() => localTime(new Date(webhook.failingSince ?? Date.now() - DAY_MS)));
  const [until, setUntil] = useState('');
  const recover = useWrite(
    () =>
      recoverAll(
        webhook.id,
        new Date(since).toISOString(),
        until === '' ? undefined : new Date(until).toISOString(),
      ),
    { invalidates: [WEBHOOKS_KEY], showsError: true },
  );
  if (recover.data !== undefined)
    return (
      <Dialog
        title={t('webhooks.recover')}
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            {t('action.close')}
          </Button>
        }
      >
        <p role="status">{t('webhooks.recovered', { count: recover.data })}</p>
      </Dialog>
    );
  return (
    <FormDialog
      title={t('webhooks.recover')}
      submit={t('webhooks.recover')}
      onSubmit={() => recover.mutate()}
      onClose={onClose}
      isBusy={recover.isPending}
      error={recover.error}
      fields={['since', 'until']}
      isDisabled={since === ''}
    >
      <p>{t('webhooks.recoverText')}</p>
      <TextField
        label={t('webhooks.since')}
        type="datetime-local"
        value={since}
        onChange={(event) => setSince(event.target.value)}
        error={issueOf(recover.error, 'since')}
        required
      />
      <TextField
        label={t('webhooks.until')}
        help={t('webhooks.untilHelp')}
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.target.value)}
        error={issueOf(recover.error, 'until')}
      />
    </FormDialog>
  );
}

export function DeleteDialog({ webhook, onClose, onDone }: WebhookDialogProps & { onDone: () => void }) {
  const t = useText();
  const remove = useWrite(() => deleteApiWebhook(client, { path: { webhookId: webhook.id } }), {
    invalidates: [WEBHOOKS_KEY],
    done: 'deleted',
    showsError: true,
    onSuccess: onDone,
  });
  return (
    <ConfirmDialog
      title={t('webhooks.removeTitle')}
      text={t('webhooks.removeText', { url: webhook.url })}
      action={t('action.delete')}
      typed={webhook.url}
      write={remove}
      onClose={onClose}
    />
  );
}

interface RetryManyDialogProps {
  webhookId: string;
  query: string;
  count: number;
  onClose: () => void;
}

/** Sends everything again that a filter matches, as a job. */
export function RetryManyDialog({ webhookId, query, count, onClose }: RetryManyDialogProps) {
  const t = useText();
  const cache = useQueryClient();
  const [job, setJob] = useState<StartedJob>();
  const retry = useWrite(() => retryWebhookDeliveries(client, { path: { webhookId }, body: { query } }), {
    showsError: true,
    onSuccess: setJob,
  });
  if (job)
    return (
      <JobDialog
        title={t('webhooks.retryMany')}
        jobId={job.jobId}
        onEnd={() => void cache.invalidateQueries({ queryKey: WEBHOOKS_KEY })}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={t('webhooks.retryMany')}
      submit={t('webhooks.retryAll')}
      onSubmit={() => retry.mutate()}
      onClose={onClose}
      isBusy={retry.isPending}
      error={retry.error}
    >
      <p>{t('webhooks.retryManyText', { count })}</p>
    </FormDialog>
  );
}
