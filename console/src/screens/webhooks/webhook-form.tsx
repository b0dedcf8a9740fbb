import {
  type ApiWebhook,
  type CreatedApiWebhook,
  createApiWebhook,
  searchChannels,
  updateApiWebhook,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { CHANNEL_KINDS } from '../../api/channel-kinds.ts';
import { issueOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Choices } from '../../ui/choices.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LostAnswer } from '../../ui/lost-answer.tsx';
import { WEBHOOKS_KEY } from './data.ts';
import {
  eventGroups,
  kindScope,
  readSubscription,
  type Subscription,
  writeSubscription,
} from './subscription.ts';
import styles from './webhooks.module.css';

const FIRST: Subscription = { isAll: true, types: [], scopes: [] };

interface WebhookFormProps {
  /** The one to change; without it a new one is created. */
  webhook?: ApiWebhook | undefined;
  onClose: () => void;
  /** With the secret of a new one, which is shown once. */
  onDone: (webhook: ApiWebhook | CreatedApiWebhook) => void;
}

/** Where events are sent, and which. */
export function WebhookForm({ webhook, onClose, onDone }: WebhookFormProps) {
  const t = useText();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const stored = webhook ? readSubscription(webhook.events) : FIRST;
  const [chosen, setChosen] = useState<Subscription>();
  const subscription = chosen ?? stored;
  const save = useWrite<ApiWebhook | CreatedApiWebhook>(
    () => {
      const given = { url: url.trim(), ...(chosen && { events: writeSubscription(chosen) }) };
      return webhook
        ? updateApiWebhook(client, { path: { webhookId: webhook.id }, body: given })
        : createApiWebhook(client, { body: { events: writeSubscription(FIRST), ...given } });
    },
    {
      invalidates: [WEBHOOKS_KEY],
      showsError: true,
      onSuccess: onDone,
      ...(webhook && { done: 'saved' as const }),
    },
  );
  return (
    <FormDialog
      title={t(webhook ? 'webhooks.edit' : 'webhooks.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['url']}
      isDisabled={subscription?.isAll === false && subscription.types.length === 0}
      isWide
    >
      <TextField
        label={t('webhooks.url')}
        help={t('webhooks.urlHelp')}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={issueOf(save.error, 'url')}
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hook"
        autoFocus
        required
      />
      {webhook?.v2Type !== undefined && <p className={styles.muted}>{t('webhooks.v2Kept')}</p>}
      {subscription ? (
        <SubscriptionFields subscription={subscription} onChange={setChosen} />
      ) : (
        <p className={styles.muted}>{t('webhooks.mixed')}</p>
      )}
      {!webhook && <LostAnswer error={save.error} text={t('webhooks.lost')} />}
    </FormDialog>
  );
}

interface SubscriptionFieldsProps {
  subscription: Subscription;
  onChange: (subscription: Subscription) => void;
}

function SubscriptionFields({ subscription, onChange }: SubscriptionFieldsProps) {
  const t = useText();
  const { isAll, types, scopes } = subscription;
  const channels = useAll(['channels'], searchChannels, { enabled: useScope('channels:read') }).data ?? [];
  const kinds = CHANNEL_KINDS.filter((kind) => channels.some((channel) => channel.kind === kind));
  const known = eventGroups.flatMap(({ name, types: own }) => [`${name}.*`, ...own]);
  // What the form does not know is kept, and can be removed.
  const others = types.filter((type) => !known.includes(type));
  return (
    <>
      <SelectField
        label={t('webhooks.which')}
        value={isAll ? 'all' : 'some'}
        options={(['all', 'some'] as const).map((value) => ({ value, label: t(`webhooks.which.${value}`) }))}
        onChange={(which) => onChange({ ...subscription, isAll: which === 'all' })}
      />
      {!isAll &&
        [...eventGroups, ...(others.length > 0 ? [{ name: '', types: others }] : [])].map((group) => (
          <Choices
            key={group.name}
            label={group.name}
            options={[
              ...(group.name === ''
                ? []
                : [{ value: `${group.name}.*`, label: t('webhooks.group', { name: `${group.name}.*` }) }]),
              ...group.types.map((type) => ({ value: type, label: type })),
            ]}
            chosen={types}
            onChange={(next) => onChange({ ...subscription, types: next })}
          />
        ))}
      {channels.length > 0 && (
        <div>
          <Choices
            label={t('webhooks.channels')}
            options={[
              ...kinds.map((kind) => ({
                value: kindScope(kind),
                label: t('webhooks.allOfKind', { kind: t(`kind.${kind}`) }),
              })),
              ...channels.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            chosen={scopes}
            onChange={(next) => onChange({ ...subscription, scopes: next })}
          />
          <p className={styles.muted}>{t('webhooks.channelsHelp')}</p>
        </div>
      )}
    </>
  );
}
