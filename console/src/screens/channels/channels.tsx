import { type Channel, type ChannelKind, searchChannels } from '@parley/sdk';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAll } from '../../api/lists.ts';
import { useCreateSandbox } from '../../api/sandbox.ts';
import { useScope } from '../../api/session.tsx';
import { NotFound } from '../../app/not-found.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useIsDeleted } from '../../live/deleted.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { DeletedDialog } from '../../ui/deleted.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { ChannelForm } from './channel-form.tsx';
import styles from './channels.module.css';
import { CHANNELS_KEY, kindOf, useChannelKinds } from './data.ts';
import { CheckDialog, DeleteDialog } from './dialogs.tsx';
import { HealthBadge } from './health.tsx';
import { Setup } from './setup.tsx';

type Opened = { kind: 'create'; info: ChannelKind } | { kind: 'edit' | 'check' | 'delete'; channel: Channel };

/** What customers write to: a list, or how one of them is connected. */
export function Channels() {
  const canWrite = useScope('channels:write');
  const { channelId } = useParams({ strict: false }) as { channelId?: string };
  if (channelId === undefined) return <ChannelList />;
  return canWrite ? <Setup key={channelId} channelId={channelId} /> : <NotFound />;
}

function ChannelList() {
  const { t, translate } = useTranslator();
  const navigate = useNavigate();
  const canWrite = useScope('channels:write');
  const channels = useAll(CHANNELS_KEY, searchChannels);
  const kinds = useChannelKinds().data ?? [];
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const addSandbox = useCreateSandbox();
  const shown = opened?.kind === 'edit' || opened?.kind === 'check' ? opened.channel : undefined;
  const isDeleted = useIsDeleted(shown?.id);
  const editedInfo = opened?.kind === 'edit' ? kindOf(kinds, opened.channel) : undefined;
  const sandboxes = kinds.filter(({ provider }) => provider === 'sandbox');
  const vendors = kinds.filter(({ provider }) => provider !== 'sandbox');
  return (
    <Page
      title={t('channels.title')}
      actions={
        canWrite &&
        kinds.length > 0 && (
          <Menu
            label={t('channels.new')}
            className={styles.new}
            items={[
              ...sandboxes.map(({ kind }) => ({
                id: `sandbox-${kind}`,
                label: t('channels.sandbox', { kind: t(`kind.${kind}`) }),
                icon: 'phone' as const,
                run: () => addSandbox.mutate(kind),
              })),
              ...vendors.map((info, index) => ({
                id: `${info.provider}-${info.kind}`,
                label: t('channels.ofProvider', {
                  kind: t(`kind.${info.kind}`),
                  provider: translate(info.label),
                }),
                icon: info.kind,
                startsGroup: index === 0,
                run: () => setOpened({ kind: 'create', info }),
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
          info={opened.info}
          onClose={close}
          onDone={({ id }) => void navigate({ to: `/channels/${id}` })}
        />
      )}
      {shown && isDeleted && <DeletedDialog name={shown.name} onClose={close} />}
      {opened?.kind === 'edit' && editedInfo && !isDeleted && (
        <ChannelForm info={editedInfo} channel={opened.channel} onClose={close} onDone={close} />
      )}
      {opened?.kind === 'check' && !isDeleted && <CheckDialog channel={opened.channel} onClose={close} />}
      {opened?.kind === 'delete' && <DeleteDialog channel={opened.channel} onClose={close} />}
    </Page>
  );
}

interface ChannelsTableProps {
  channels: readonly Channel[];
  onOpen: (opened: Opened) => void;
}

function ChannelsTable({ channels, onOpen }: ChannelsTableProps) {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('channels:write');
  const actions = useRowActions<Channel>(canWrite, {
    nameOf: ({ name }) => name,
    itemsOf: (channel) => [
      {
        id: 'setup',
        label: t('channels.setup'),
        icon: 'webhook',
        run: () => void navigate({ to: `/channels/${channel.id}` }),
      },
      {
        id: 'check',
        label: t('channels.check'),
        icon: 'check',
        run: () => onOpen({ kind: 'check', channel }),
      },
      { id: 'edit', label: t('channels.edit'), icon: 'edit', run: () => onOpen({ kind: 'edit', channel }) },
      {
        id: 'delete',
        label: t('channels.delete'),
        icon: 'trash',
        isDanger: true,
        startsGroup: true,
        run: () => onOpen({ kind: 'delete', channel }),
      },
    ],
  });
  return (
    <Table<Channel>
      label={t('channels.title')}
      rows={channels}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: t('channels.name'),
          cell: ({ id, kind, name, address }) => (
            <>
              <div className={styles.name}>
                {canWrite ? (
                  <Link to={`/channels/${id}`} className={styles.link}>
                    {name}
                  </Link>
                ) : (
                  name
                )}
              </div>
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
          cell: (channel) => <HealthBadge of={channel} />,
        },
        ...actions,
      ]}
    />
  );
}
