import { type CampaignWithCounts, createCampaign } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Warning } from '../../ui/notices.tsx';
import { useChannels } from './data.ts';

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Every campaign begins as a draft with a name and a channel. */
export function NewDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (campaign: CampaignWithCounts) => void;
}) {
  const t = useText();
  const { data: found } = useChannels();
  const channels = found ?? [];
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string>();
  const channelId = chosen ?? channels[0]?.id;
  const create = useWrite(
    () =>
      createCampaign(client, {
        body: {
          name: name.trim(),
          channelId: channelId as string,
          message: {},
          closeChats: true,
          timezone: browserZone(),
        },
      }),
    { showsError: true, onSuccess: onDone },
  );
  return (
    <FormDialog
      title={t('campaigns.new')}
      submit={t('campaigns.create')}
      onSubmit={() => create.mutate()}
      onClose={onClose}
      isBusy={create.isPending}
      isDisabled={channelId === undefined}
      error={create.error}
      fields={['name', 'channelId']}
    >
      <TextField
        label={t('campaigns.name')}
        help={t('campaigns.nameHelp')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(create.error, 'name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
      {channelId === undefined ? (
        found && <Warning>{t('campaigns.noChannel')}</Warning>
      ) : (
        <SelectField
          label={t('campaigns.channel')}
          value={channelId}
          options={channels.map((one) => ({
            value: one.id,
            label: `${one.name} (${t(`kind.${one.kind}`)})`,
          }))}
          onChange={setChosen}
          error={issueOf(create.error, 'channelId')}
        />
      )}
    </FormDialog>
  );
}
