import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useTitle } from '../../app/title.ts';
import { useText } from '../../i18n/i18n.tsx';
import { useIsDeleted } from '../../live/deleted.ts';
import { Button } from '../../ui/button.tsx';
import { DeletedPage } from '../../ui/deleted.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { CampaignPage } from './campaign-page.tsx';
import { useCampaign } from './data.ts';
import { CampaignList } from './list.tsx';
import { Segments } from './segments.tsx';
import { Wizard } from './wizard/wizard.tsx';

/** Messages to many people: the list, the segments, and one campaign, which is prepared or looked at. */
export function Campaigns() {
  const { campaignId } = useParams({ strict: false }) as { campaignId?: string };
  const { tab } = useSearch({ strict: false }) as { tab?: unknown };
  if (campaignId !== undefined) return <OneCampaign key={campaignId} campaignId={campaignId} />;
  return tab === 'segments' ? <Segments /> : <CampaignList />;
}

/** A draft is continued; one that waits for its time is changed by those who ask for it. */
function OneCampaign({ campaignId }: { campaignId: string }) {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('campaigns:write');
  const { step } = useSearch({ strict: false }) as { step?: unknown };
  const campaign = useCampaign(campaignId);
  useTitle(campaign.data?.name);
  const list = { to: '/campaigns', label: t('campaigns.toList') };
  if (useIsDeleted(campaignId, campaign.data?.channelId))
    return <DeletedPage name={campaign.data?.name ?? t('campaigns.title')} icon="campaign" list={list} />;
  if ([400, 404].includes(statusOf(campaign.error) ?? 0))
    return (
      <Page title={t('campaigns.title')}>
        <EmptyState
          icon="campaign"
          title={t('campaigns.gone')}
          action={<Button onClick={() => void navigate({ to: list.to })}>{list.label}</Button>}
        >
          {t('error.notFound')}
        </EmptyState>
      </Page>
    );
  return (
    <Loaded query={campaign} lines={8}>
      {(data) => {
        const isEdited = data.status === 'draft' || (data.status === 'scheduled' && step !== undefined);
        return canWrite && isEdited ? <Wizard campaign={data} /> : <CampaignPage campaign={data} />;
      }}
    </Loaded>
  );
}
