import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { basePath } from '../../api/client.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAddress } from './address.ts';
import { useWebhooks } from './data.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { WebhookDetails } from './details.tsx';
import { SecretDialog } from './dialogs.tsx';
import { Endpoints } from './endpoints.tsx';
import { WebhookForm } from './webhook-form.tsx';
import styles from './webhooks.module.css';

/** What other systems are told: a list of them, or one. */
export function Webhooks() {
  const { webhookId } = useParams({ strict: false }) as { webhookId?: string };
  return webhookId === undefined ? <WebhookList /> : <WebhookDetails key={webhookId} webhookId={webhookId} />;
}

const TABS = ['endpoints', 'deliveries'] as const;
/** Without an end, deliveries of weeks would be counted. */
const FIRST_FILTER = 'ge(createdAt,now("-P1D"))';

function WebhookList() {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('webhooks:write');
  const webhooks = useWebhooks();
  const address = useAddress('/webhooks');
  const tab = TABS.find((one) => one === address.tab) ?? 'endpoints';
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  const create = (): void => setIsCreating(true);
  useKeys(canWrite ? [{ keys: 'n', label: t('webhooks.new'), run: create }] : []);
  const newButton = canWrite && (
    <Button look="primary" icon="plus" onClick={create}>
      {t('webhooks.new')}
    </Button>
  );
  return (
    <Page title={t('webhooks.title')} actions={newButton}>
      <Loaded query={webhooks}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="webhook" title={t('webhooks.empty')} action={newButton}>
              {t('webhooks.emptyText')}{' '}
              <a href={`${basePath}/docs/guides/webhooks`} target="_blank" rel="noreferrer">
                {t('webhooks.guide')}
              </a>
            </EmptyState>
          ) : (
            <>
              <div className={styles.tabs}>
                <Tabs
                  label={t('webhooks.title')}
                  tabs={TABS.map((id) => ({ id, label: t(`webhooks.tab.${id}`) }))}
                  chosen={tab}
                  onChoose={(next) =>
                    address.go({ tab: next, ...(next === 'deliveries' && { filter: FIRST_FILTER }) })
                  }
                />
              </div>
              {tab === 'endpoints' ? (
                <>
                  <p className={styles.intro}>
                    {t('webhooks.intro')}{' '}
                    <a href={`${basePath}/docs/guides/webhooks`} target="_blank" rel="noreferrer">
                      {t('webhooks.guide')}
                    </a>
                  </p>
                  <Endpoints webhooks={rows} />
                </>
              ) : (
                <DeliveryLog
                  webhooks={rows}
                  filter={address.filter}
                  openedId={address.delivery}
                  onChange={address.go}
                />
              )}
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <WebhookForm
          onClose={() => setIsCreating(false)}
          onDone={(webhook) => {
            setIsCreating(false);
            if ('secret' in webhook) setCreated({ id: webhook.id, secret: webhook.secret });
          }}
        />
      )}
      {created && (
        <SecretDialog
          secret={created.secret}
          onClose={() => {
            setCreated(undefined);
            void navigate({ to: `/webhooks/${created.id}` });
          }}
        />
      )}
    </Page>
  );
}
