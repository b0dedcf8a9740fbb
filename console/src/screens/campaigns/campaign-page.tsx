import type { CampaignWithCounts } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { basePath } from '../../api/client.ts';
import { useCanExport, useWorkspace } from '../../api/session.tsx';
import { useApprovedTemplates } from '../../api/templates.ts';
import { useAddress } from '../../app/address.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Warning } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { useCampaignActions } from './actions.tsx';
import { useAudienceText } from './audience-text.ts';
import styles from './campaigns.module.css';
import { type RecipientStatus, useActiveAutomations, useChannels } from './data.ts';
import { doneOf, ProgressBar, Results, STATUSES, totalOf } from './progress.tsx';
import { Recipients } from './recipients.tsx';
import { StatusBadge } from './status.tsx';
import { useRuleText } from './wizard/rule-text.ts';
import { formatInZone } from './wizard/times.ts';

/** The main action stands beside the menu. */
const MAIN_ACTIONS = ['pause', 'resume', 'edit'];

/** A campaign that runs, has run or waits for its time: its progress, and what became of each recipient. */
export function CampaignPage({ campaign }: { campaign: CampaignWithCounts }) {
  const { t, translate, formatDate } = useTranslator();
  const navigate = useNavigate();
  const { tenantId } = useWorkspace().membership;
  const [address, setAddress] = useAddress('status');
  const chosen = STATUSES.find((one) => one === address.status);
  const setChosen = (status: RecipientStatus | undefined): void => setAddress({ status: status ?? '' });
  const { itemsOf, dialogs } = useCampaignActions();
  const { id, name, status, recipientCounts: counts, error, waiting } = campaign;
  const items = itemsOf(campaign);
  useKeys([{ keys: 'Escape', label: t('campaigns.toList'), run: () => void navigate({ to: '/campaigns' }) }]);
  const total = totalOf(counts);
  const canExport = useCanExport();
  const results = `${basePath}/v3/campaigns/${id}/results.csv?${new URLSearchParams({ tenantId })}`;
  return (
    <Page
      title={name}
      actions={
        <div className={styles.actions}>
          {items
            .filter((item) => MAIN_ACTIONS.includes(item.id))
            .map((item) => (
              <Button key={item.id} {...(item.icon ? { icon: item.icon } : {})} onClick={item.run}>
                {item.label}
              </Button>
            ))}
          {canExport && (
            <LinkButton
              icon="download"
              href={results}
              download
              aria-label={t('campaigns.csv')}
              title={t('campaigns.csvHelp')}
            >
              <span className={styles.wideOnly}>{t('campaigns.csv')}</span>
            </LinkButton>
          )}
          {items.length > 0 && (
            <Menu
              label={t('campaigns.moreActions')}
              items={items.filter((item) => !MAIN_ACTIONS.includes(item.id))}
            >
              <Icon name="more" />
            </Menu>
          )}
        </div>
      }
    >
      <div className={styles.overview}>
        <div className={styles.head}>
          <Link to="/campaigns">{t('campaigns.toList')}</Link>
          <StatusBadge status={status} />
          <span role="status" className={styles.meta}>
            {t('campaigns.progress', { done: doneOf(counts), total })}
          </span>
        </div>
        {error && <Warning>{translate(error.message)}</Warning>}
        {waiting && (
          <Warning>
            {t('campaigns.waiting', {
              count: waiting.recipients,
              until: formatDate(new Date(waiting.until), 'dateTime'),
            })}
          </Warning>
        )}
        <ProgressBar counts={counts} label={t('campaigns.progressOf', { name })} />
        <Results counts={counts} chosen={chosen} onChoose={setChosen} />
        <CampaignFacts campaign={campaign} />
      </div>
      <Recipients campaignId={id} status={chosen} hasAny={total > 0} onClear={() => setChosen(undefined)} />
      {dialogs}
    </Page>
  );
}

function CampaignFacts({ campaign }: { campaign: CampaignWithCounts }) {
  const { t, language } = useTranslator();
  const describeAudience = useAudienceText();
  const describeRule = useRuleText();
  const channel = useChannels().data?.find(({ id }) => id === campaign.channelId);
  const content = useContentText(campaign);
  const shown = (at: string | null): string =>
    at === null ? '–' : formatInZone(at, campaign.timezone, language);
  return (
    <Facts
      facts={[
        [t('campaigns.audience'), describeAudience(campaign)],
        [t('campaigns.channel'), channel?.name ?? '–'],
        [t('campaigns.content'), content],
        [t('campaigns.started'), shown(campaign.startedAt)],
        ...(campaign.nextOccurrenceAt === null
          ? []
          : [[t('campaigns.nextTime'), shown(campaign.nextOccurrenceAt)] as const]),
        ...(campaign.recurrenceRules.length === 0
          ? []
          : [[t('campaigns.recurrence'), describeRule(campaign.recurrenceRules)] as const]),
      ]}
    />
  );
}

/** What is sent, in a few words. */
function useContentText({ message, automationId, channelId }: CampaignWithCounts): string {
  const t = useText();
  const templates = useApprovedTemplates(channelId).data ?? [];
  const automations = useActiveAutomations();
  if (message === null)
    return automations.find(({ id }) => id === automationId)?.name ?? t('campaigns.kind.automation');
  if (message.template) {
    const { templateId } = message.template;
    return templates.find(({ id }) => id === templateId)?.name ?? t('campaigns.kind.template');
  }
  return message.text ?? t('campaigns.kind.text');
}
