import {
  type Campaign,
  createCampaign,
  deleteCampaign,
  setCampaignStatus,
  updateCampaign,
} from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { forgetCampaign, storeCampaign } from './data.ts';
import { forgetDraft } from './wizard/use-draft.ts';

/** So much of a name is copied: with "Copy of" it must not become too long. Whole characters, so that none is cut in half. */
const MAX_COPIED = 100;

/** The content of a campaign, for another one. It has no audience: with one, it would start. */
function contentOf(campaign: Campaign, name: string) {
  const { channelId, purpose, closeChats, timezone, variables, message, automationId } = campaign;
  const shared = { channelId, name, purpose, closeChats, timezone };
  if (message !== null) return { ...shared, message };
  return {
    ...shared,
    variables,
    ...(automationId === null ? {} : { automationId }),
    ...(campaign.messageTemplateId === null ? {} : { messageTemplateId: campaign.messageTemplateId }),
    ...(campaign.templateHeader === null ? {} : { templateHeader: campaign.templateHeader }),
  };
}

/** A draft with the same content and audience. What no longer exists is left out: the wizard asks for it. */
async function duplicate(campaign: Campaign, name: string) {
  const { channelId, purpose, closeChats, audience, segmentId } = campaign;
  const copy = await createCampaign(client, { body: contentOf(campaign, name) }).catch((error) => {
    if (statusOf(error) !== 400 && statusOf(error) !== 409) throw error;
    return createCampaign(client, { body: { channelId, purpose, closeChats, name, message: {} } });
  });
  if (audience === null) return copy;
  const body = segmentId === null ? { audience } : { segmentId };
  return updateCampaign(client, { path: { campaignId: copy.id }, body });
}

/** What may be done to a campaign, and the dialogs that ask before. */
export function useCampaignActions(): {
  itemsOf: (campaign: Campaign) => readonly MenuItem[];
  dialogs: ReactNode;
} {
  const t = useText();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const canWrite = useScope('campaigns:write');
  const [asked, setAsked] = useState<{ action: 'cancel' | 'delete'; campaign: Campaign }>();
  const close = (): void => setAsked(undefined);
  const setStatus = useWrite(
    ({ id, status }: { id: string; status: 'running' | 'paused' }) =>
      setCampaignStatus(client, { path: { campaignId: id }, body: { status } }),
    { onSuccess: (campaign) => storeCampaign(cache, campaign) },
  );
  const cancel = useWrite(
    (id: string) => setCampaignStatus(client, { path: { campaignId: id }, body: { status: 'cancelled' } }),
    {
      showsError: true,
      onSuccess: (campaign) => {
        storeCampaign(cache, campaign);
        close();
      },
    },
  );
  const remove = useWrite((id: string) => deleteCampaign(client, { path: { campaignId: id } }), {
    done: 'campaigns.deleted',
    showsError: true,
    onSuccess: (_, id) => {
      close();
      void navigate({ to: '/campaigns' }).then(() => {
        forgetCampaign(cache, id);
        forgetDraft(id);
      });
    },
  });
  const copy = useWrite(
    (campaign: Campaign) =>
      duplicate(campaign, t('campaigns.copyOf', { name: [...campaign.name].slice(0, MAX_COPIED).join('') })),
    {
      onSuccess: (campaign) => {
        storeCampaign(cache, campaign);
        void navigate({ to: `/campaigns/${campaign.id}` });
      },
    },
  );

  const itemsOf = (campaign: Campaign): readonly MenuItem[] => {
    if (!canWrite) return [];
    const { id, status } = campaign;
    const change = (to: 'running' | 'paused') => () => setStatus.mutate({ id, status: to });
    const ask = (action: 'cancel' | 'delete') => () => {
      // What an earlier attempt answered says nothing about this one.
      cancel.reset();
      remove.reset();
      setAsked({ action, campaign });
    };
    const canDelete = campaign.startedAt === null && (status === 'draft' || status === 'scheduled');
    const items: (MenuItem | false)[] = [
      status === 'paused' && {
        id: 'resume',
        label: t('campaigns.resume'),
        icon: 'send',
        run: change('running'),
      },
      ['running', 'scheduled'].includes(status) && {
        id: 'pause',
        label: t('campaigns.pause'),
        icon: 'clock',
        run: change('paused'),
      },
      status === 'scheduled' && {
        id: 'edit',
        label: t('campaigns.edit'),
        icon: 'edit',
        run: () => void navigate({ to: `/campaigns/${id}`, search: { step: 'whom' } as never }),
      },
      { id: 'copy', label: t('campaigns.duplicate'), icon: 'copy', run: () => copy.mutate(campaign) },
      ['running', 'paused', 'scheduled'].includes(status) && {
        id: 'cancel',
        label: t('campaigns.cancel'),
        icon: 'close',
        isDanger: true,
        startsGroup: true,
        run: ask('cancel'),
      },
      canDelete && {
        id: 'delete',
        label: t('campaigns.delete'),
        icon: 'trash',
        isDanger: true,
        run: ask('delete'),
      },
    ];
    return items.filter((item) => item !== false);
  };

  const write = asked?.action === 'cancel' ? cancel : remove;
  const dialogs = asked && (
    <ConfirmDialog
      title={t(`campaigns.${asked.action}Title`, { name: asked.campaign.name })}
      text={t(`campaigns.${asked.action}Text`)}
      action={t(asked.action === 'cancel' ? 'campaigns.cancel' : 'campaigns.delete')}
      write={{ ...write, mutate: () => write.mutate(asked.campaign.id) }}
      onClose={close}
    />
  );
  return { itemsOf, dialogs };
}
