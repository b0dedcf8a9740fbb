import { type ApiWebhook, getApiWebhook, searchAllWebhookDeliveries } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useRead } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { NotFound } from '../../app/not-found.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { useIsDeleted } from '../../live/deleted.ts';
import { Button } from '../../ui/button.tsx';
import { DeletedPage } from '../../ui/deleted.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Loaded, Warning } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useSetStatus, useTest } from './actions.ts';
import { useAddress } from './address.ts';
import { DELIVERIES_KEY, rateOf, sumOf, useStats, WEBHOOKS_KEY } from './data.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { DeleteDialog, RecoverDialog, RotateDialog } from './dialogs.tsx';
import { EventNames, StatusBadge } from './endpoints.tsx';
import { Stats, useRate } from './stats.tsx';
import { WebhookForm } from './webhook-form.tsx';
import styles from './webhooks.module.css';

type Opened = 'edit' | 'rotate' | 'recover' | 'delete';

/** One webhook: how it does, what was sent, and what can be done about it. */
export function WebhookDetails({ webhookId }: { webhookId: string }) {
  const t = useText();
  const navigate = useNavigate();
  const { filter, delivery, go } = useAddress(`/webhooks/${webhookId}`);
  const webhook = useRead([...WEBHOOKS_KEY, 'one', webhookId], (signal) =>
    getApiWebhook(client, { path: { webhookId }, signal }),
  );
  useKeys([{ keys: 'Escape', label: t('webhooks.all'), run: () => void navigate({ to: '/webhooks' }) }]);
  if (useIsDeleted(webhookId) && webhook.data) {
    const list = { to: '/webhooks', label: t('webhooks.all') };
    return <DeletedPage name={webhook.data.url} icon="webhook" list={list} />;
  }
  if ([400, 404].includes(statusOf(webhook.error) ?? 0)) return <NotFound />;
  return (
    <Page
      title={webhook.data?.url ?? t('webhooks.title')}
      actions={
        <span className={styles.actions}>
          <Link to="/webhooks">{t('webhooks.all')}</Link>
          {webhook.data && <Actions webhook={webhook.data} onTested={(id) => go({ filter, delivery: id })} />}
        </span>
      }
    >
      <Loaded query={webhook} lines={8}>
        {(shown) => (
          <>
            <Section title={t('webhooks.health')}>
              <State webhook={shown} />
            </Section>
            <Section title={t('webhooks.stats')}>
              <Stats webhookId={shown.id} />
            </Section>
            <section className={styles.logSection}>
              <h2>{t('webhooks.log')}</h2>
              <DeliveryLog webhook={shown} filter={filter} openedId={delivery} onChange={go} />
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface ActionsProps {
  webhook: ApiWebhook;
  onTested: (deliveryId: string) => void;
}

function Actions({ webhook, onTested }: ActionsProps) {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('webhooks:write');
  const [opened, setOpened] = useState<Opened>();
  const test = useTest(onTested);
  const setStatus = useSetStatus();
  const close = (): void => setOpened(undefined);
  if (!canWrite) return null;
  const isActive = webhook.status === 'active';
  return (
    <>
      {isActive && (
        <Button icon="send" isBusy={test.isPending} onClick={() => test.mutate(webhook)}>
          {t('webhooks.test')}
        </Button>
      )}
      <Menu
        label={t('action.more')}
        items={[
          { id: 'edit', label: t('webhooks.edit'), icon: 'edit', run: () => setOpened('edit') },
          {
            id: 'status',
            label: t(isActive ? 'webhooks.pause' : 'webhooks.enable'),
            icon: isActive ? 'clock' : 'check',
            run: () => setStatus.mutate({ webhook, status: isActive ? 'inactive' : 'active' }),
          },
          ...(isActive
            ? [
                {
                  id: 'recover',
                  label: t('webhooks.recover'),
                  icon: 'reply' as const,
                  run: () => setOpened('recover'),
                },
              ]
            : []),
          { id: 'rotate', label: t('webhooks.rotate'), icon: 'key', run: () => setOpened('rotate') },
          {
            id: 'delete',
            label: t('action.delete'),
            icon: 'trash',
            isDanger: true,
            startsGroup: true,
            run: () => setOpened('delete'),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {opened === 'edit' && <WebhookForm webhook={webhook} onClose={close} onDone={close} />}
      {opened === 'rotate' && <RotateDialog webhook={webhook} onClose={close} />}
      {opened === 'recover' && <RecoverDialog webhook={webhook} onClose={close} />}
      {opened === 'delete' && (
        <DeleteDialog webhook={webhook} onClose={close} onDone={() => void navigate({ to: '/webhooks' })} />
      )}
    </>
  );
}

/** The newest delivery that was given up. */
const useLastFailure = (webhookId: string) =>
  useRead([...DELIVERIES_KEY, 'lastFailure', webhookId], async (signal) => {
    const query = `and(eq(webhookId,"${webhookId}"),in(status,"failed","cancelled"))`;
    const body = { query, sortBy: 'desc(updatedAt)', pagination: { limit: 1 } };
    return (await searchAllWebhookDeliveries(client, { body, signal })).items[0] ?? null;
  });

function State({ webhook }: { webhook: ApiWebhook }) {
  const { t, formatDate, formatNumber } = useTranslator();
  const { id, status, failingSince } = webhook;
  const canWrite = useScope('webhooks:write');
  const setStatus = useSetStatus();
  const rate = useRate();
  const stats = useStats(id).data;
  const last = useLastFailure(id).data;
  const sum = stats && sumOf(stats);
  return (
    <>
      {status !== 'active' && (
        <Warning
          action={
            canWrite && (
              <Button
                isBusy={setStatus.isPending}
                onClick={() => setStatus.mutate({ webhook, status: 'active' })}
              >
                {t('webhooks.enable')}
              </Button>
            )
          }
        >
          {t(status === 'disabled' ? 'webhooks.disabledText' : 'webhooks.pausedText')}
        </Warning>
      )}
      {status === 'active' && failingSince !== null && (
        <Warning>{t('webhooks.failingSince', { time: formatDate(new Date(failingSince), 'full') })}</Warning>
      )}
      <Facts
        facts={[
          [t('webhooks.url'), webhook.url],
          [t('webhooks.state'), <StatusBadge key="state" webhook={webhook} />],
          [t('webhooks.events'), <EventNames key="events" webhook={webhook} />],
          [
            t('webhooks.successRate'),
            sum && rateOf(sum) !== undefined ? `${rate(sum)} (${t('webhooks.last24')})` : '–',
          ],
          [t('webhooks.pending'), sum ? formatNumber(sum.pending) : '–'],
          [
            t('webhooks.lastFailure'),
            last ? <RelativeTime key="last" at={last.updatedAt} /> : t('webhooks.noFailure'),
          ],
        ]}
      />
    </>
  );
}
