import {
  type Channel,
  type ChannelKind,
  type CreateChannelBody,
  createChannel,
  updateChannel,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import styles from './channels.module.css';
import { configOf, type Setting, settingsOf } from './config.ts';
import { CHANNELS_KEY } from './data.ts';

interface ChannelFormProps {
  /** What such a channel needs. */
  info: ChannelKind;
  /** The one to change; without it a new one is created. */
  channel?: Channel;
  onClose: () => void;
  onDone: (channel: Channel) => void;
}

/** What a vendor needs to know. Stored settings are never shown: what stays empty stays as it is. */
export function ChannelForm({ info, channel, onClose, onDone }: ChannelFormProps) {
  const { t, translate } = useTranslator();
  const { kind, provider } = info;
  const fields = settingsOf(info);
  const [name, setName] = useState(channel?.name ?? '');
  const [address, setAddress] = useState(channel?.address ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const save = useWrite(
    () => {
      const config = configOf(fields, values);
      const given = { name: name.trim(), address: address.trim() };
      if (!channel)
        return createChannel(client, {
          body: { kind, provider: provider as CreateChannelBody['provider'], ...given, config },
        });
      const hasChanges = Object.keys(config).length > 0;
      return updateChannel(client, {
        path: { channelId: channel.id },
        body: { ...given, ...(hasChanges ? { config } : {}) },
      });
    },
    { invalidates: [CHANNELS_KEY], showsError: true, onSuccess: onDone, ...(channel && { done: 'saved' }) },
  );
  const advanced = fields.filter(({ isAdvanced }) => isAdvanced);
  const errorOf = (setting: Setting): string | undefined => issueOf(save.error, `config.${setting.name}`);
  const showSetting = (setting: Setting) => (
    <SettingField
      key={setting.name}
      setting={setting}
      isKept={channel !== undefined}
      value={values[setting.name] ?? ''}
      error={errorOf(setting)}
      onChange={(value) => setValues({ ...values, [setting.name]: value })}
    />
  );
  return (
    <FormDialog
      title={
        channel
          ? channel.name
          : t('channels.ofProvider', { kind: t(`kind.${kind}`), provider: translate(info.label) })
      }
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['name', 'address', ...fields.map((setting) => setting.name.split('.').at(-1) as string)]}
    >
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
      <TextField
        label={t(`channels.address.${kind}`)}
        help={translate(info.addressHelp)}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        error={issueOf(save.error, 'address')}
        maxLength={255}
        autoComplete="off"
        required
      />
      {fields.filter(({ isAdvanced }) => !isAdvanced).map(showSetting)}
      {advanced.length > 0 && (
        <details open={advanced.some((setting) => errorOf(setting) !== undefined) || undefined}>
          <summary className={styles.summary}>{t('channels.advanced')}</summary>
          <div className={styles.advanced}>{advanced.map(showSetting)}</div>
        </details>
      )}
    </FormDialog>
  );
}

interface SettingFieldProps {
  setting: Setting;
  /** The channel exists: what stays empty stays as it is. */
  isKept: boolean;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function SettingField({ setting, isKept, value, error, onChange }: SettingFieldProps) {
  const { t, translate } = useTranslator();
  const { type, isSecret, isRequired } = setting;
  const label = isRequired
    ? translate(setting.label)
    : t('channels.optional', { label: translate(setting.label) });
  const kept = isKept ? ` ${t(isSecret ? 'channels.secretKept' : 'channels.keep')}` : '';
  const help = `${translate(setting.help)}${kept}`;
  if (type === 'boolean')
    return (
      <SelectField
        label={label}
        help={help}
        error={error}
        value={value}
        options={[
          { value: '', label: t(isKept ? 'channels.unchanged' : 'channels.byItself') },
          { value: 'true', label: t('contacts.yes') },
          { value: 'false', label: t('contacts.no') },
        ]}
        onChange={onChange}
      />
    );
  return (
    <TextField
      label={label}
      help={help}
      // A manager of passwords must not offer the one of the person.
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      {...(type === 'integer' && { inputMode: 'numeric' as const, pattern: '[0-9]*' })}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      error={error}
      required={isRequired && !isKept}
    />
  );
}
