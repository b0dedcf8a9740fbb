import { type Channel, searchChannels } from '@parley/sdk';
import { useState } from 'react';
import { useAll } from '../../api/lists.ts';
import { CHANNEL_KINDS, useCreateSandbox } from '../../api/sandbox.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { addPatch } from '../../live/patches.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { ChannelForm } from './channel-form.tsx';
import styles from './channels.module.css';
import { CheckDialog, DeleteDialog, WebhookDialog } from './dialogs.tsx';
import { CHANNELS_KEY } from './key.ts';
import { type Provider, providerOf, providers } from './providers.ts';

addPatch(['channel.*'], (_, cache) => void cache.invalidateQueries({ queryKey: CHANNELS_KEY }));

const LOOKS = { unchecked: 'plain', healthy: 'good', degraded: 'warn', failing: 'bad' } as const;

type Opened =
  | { kind: 'create'; provider: Provider }
  | { kind: 'edit' | 'check' | 'webhook' | 'created' | 'delete'; channel: Channel };

/** What customers write to. */
export function Channels() {
  const t = useText();
  const canWrite = useScope('channels:write');
  const channels = useAll(CHANNELS_KEY, searchChannels);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const addSandbox = useCreateSandbox();
  return (
    <Page
      title={t('channels.title')}
      actions={
        canWrite && (
          <Menu
            label={t('channels.new')}
            className={styles.new}
            items={[
              ...CHANNEL_KINDS.map((kind) => ({
                id: `sandbox-${kind}`,
                label: t('channels.sandbox', { kind: t(`kind.${kind}`) }),
                icon: 'phone' as const,
                run: () => addSandbox.mutate(kind),
              })),
              ...providers.map((provider, index) => ({
                id: provider.id,
                label: t(`channels.provider.${provider.id}`),
                icon: provider.kind,
                startsGroup: index === 0,
                run: () => setOpened({ kind: 'create', provider }),
              })),
            ]}
          >
            <Icon name="plus" />
            {t('channels.new')}
          </Menu>
        )
      }
    >
      <Loaded query={channels}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon="channel"
              title={t('channels.empty')}
              action={
                canWrite && (
                  <Button
                    look="primary"
                    isBusy={addSandbox.isPending}
                    onClick={() => addSandbox.mutate('whatsapp')}
                  >
                    {t('channels.trySandbox')}
                  </Button>
                )
              }
            >
              {t('channels.emptyText')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('channels.intro')}</p>
              <ChannelsTable channels={rows} onOpen={setOpened} />
            </>
          )
        }
      </Loaded>
      {opened?.kind === 'create' && (
        <ChannelForm
          provider={opened.provider}
          onClose={close}
          onDone={(channel) => setOpened({ kind: 'created', channel })}
        />
      )}
      {opened?.kind === 'edit' && (
        <ChannelForm
          provider={providerOf(opened.channel)}
          channel={opened.channel}
          onClose={close}
          onDone={close}
        />
      )}
      {(opened?.kind === 'webhook' || opened?.kind === 'created') && (
        <WebhookDialog
          channel={opened.channel}
          isNew={opened.kind === 'created'}
          onClose={close}
          onCheck={() => setOpened({ kind: 'check', channel: opened.channel })}
        />
      )}
      {opened?.kind === 'check' && <CheckDialog channel={opened.channel} onClose={close} />}
      {opened?.kind === 'delete' && <DeleteDialog channel={opened.channel} onClose={close} />}
    </Page>
  );
}

function ChannelsTable({
  channels,
  onOpen,
}: {
  channels: readonly Channel[];
  onOpen: (opened: Opened) => void;
}) {
  const t = useText();
  const canWrite = useScope('channels:write');
  const actionsOf = (channel: Channel) => (
    <Menu
      label={t('settings.actions', { name: channel.name })}
      items={[
        {
          id: 'check',
          label: t('channels.check'),
          icon: 'check',
          run: () => onOpen({ kind: 'check', channel }),
        },
        {
          id: 'edit',
          label: t('channels.edit'),
          icon: 'edit',
          run: () => onOpen({ kind: 'edit', channel }),
        },
        ...(providerOf(channel)?.webhook
          ? [
              {
                id: 'webhook',
                label: t('channels.webhook'),
                icon: 'webhook' as const,
                run: () => onOpen({ kind: 'webhook', channel }),
              },
            ]
          : []),
        {
          id: 'delete',
          label: t('channels.delete'),
          icon: 'trash',
          isDanger: true,
          startsGroup: true,
          run: () => onOpen({ kind: 'delete', channel }),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
  return (
    <Table<Channel>
      label={t('channels.title')}
      rows={channels}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: t('channels.name'),
          cell: ({ kind, name, address }) => (
            <>
              <div className={styles.name}>{name}</div>
              <div className={styles.muted}>{address}</div>
              <div className={styles.small}>
                <ChannelKindLabel kind={kind} />
              </div>
            </>
          ),
        },
        {
          id: 'kind',
          title: t('channels.kind'),
          isExtra: true,
          cell: ({ kind, provider }) => (
            <span className={styles.kind}>
              <ChannelKindLabel kind={kind} />
              {provider === 'sandbox' && <Badge>{t('channels.sandboxBadge')}</Badge>}
            </span>
          ),
        },
        {
          id: 'health',
          title: t('channels.health'),
          cell: ({ health, problem }) => (
            <>
              <Badge look={LOOKS[health]}>{t(`channels.health.${health}`)}</Badge>
              {problem !== null && <div className={styles.muted}>{problem}</div>}
            </>
          ),
        },
        ...(canWrite
          ? [
              {
                id: 'actions',
                title: t('action.more'),
                hidesTitle: true,
                align: 'end' as const,
                cell: actionsOf,
              },
            ]
          : []),
      ]}
    />
  );
}
