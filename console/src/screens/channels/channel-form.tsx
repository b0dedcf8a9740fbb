import { type Channel, createChannel, updateChannel } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CHANNELS_KEY } from './key.ts';
import { configOf, type Provider, type Setting } from './providers.ts';

interface ChannelFormProps {
  /** Undefined for a sandbox, which has no settings. */
  provider: Provider | undefined;
  /** The one to change; without it a new one is created. */
  channel?: Channel;
  onClose: () => void;
  onDone: (channel: Channel) => void;
}

/** What a vendor needs to know. Stored settings are never shown: what stays empty stays as it is. */
export function ChannelForm({ provider, channel, onClose, onDone }: ChannelFormProps) {
  const t = useText();
  const [name, setName] = useState(channel?.name ?? '');
  const [address, setAddress] = useState(channel?.address ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const settings = provider?.settings ?? [];
  const save = useWrite(
    () => {
      const config = configOf(settings, values);
      const given = { name: name.trim(), address: address.trim() };
      if (!channel) {
        const { kind, id } = provider as Provider;
        return createChannel(client, { body: { kind, provider: id, ...given, config } });
      }
      const hasChanges = Object.keys(config).length > 0;
      return updateChannel(client, {
        path: { channelId: channel.id },
        body: { ...given, ...(hasChanges ? { config } : {}) },
      });
    },
    { invalidates: [CHANNELS_KEY], showsError: true, onSuccess: onDone, ...(channel && { done: 'saved' }) },
  );
  const helpOf = ({ help, isSecret }: Setting): string | undefined => {
    if (channel) return t(isSecret ? 'channels.secretKept' : 'channels.keep');
    return help && t(help);
  };
  return (
    <FormDialog
      title={channel ? channel.name : t(`channels.provider.${(provider as Provider).id}`)}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['name', 'address', ...settings.map(({ path }) => path.split('.').at(-1) as string)]}
    >
      {provider && !channel && <p>{t(`channels.help.${provider.id}`)}</p>}
      <TextField
        label={t('channels.name')}
        help={t('channels.nameHelp')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(save.error, 'name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
      {provider && (
        <TextField
          label={t(provider.address.label)}
          {...(provider.address.help && { help: t(provider.address.help) })}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          error={issueOf(save.error, 'address')}
          maxLength={255}
          autoComplete="off"
          required
        />
      )}
      {settings.map((setting) => {
        const { path, label, isSecret, isOptional, isNumber } = setting;
        const help = helpOf(setting);
        return (
          <TextField
            key={path}
            label={isOptional ? t('channels.optional', { label: t(label) }) : t(label)}
            {...(help !== undefined && { help })}
            // A manager of passwords must not offer the one of the person.
            type={isSecret ? 'password' : 'text'}
            autoComplete={isSecret ? 'new-password' : 'off'}
            {...(isNumber && { inputMode: 'numeric' as const, pattern: '[0-9]*' })}
            spellCheck={false}
            value={values[path] ?? ''}
            onChange={(event) => setValues({ ...values, [path]: event.target.value })}
            error={issueOf(save.error, `config.${path}`)}
            required={!isOptional && !channel}
          />
        );
      })}
    </FormDialog>
  );
}
